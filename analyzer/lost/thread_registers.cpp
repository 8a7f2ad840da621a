// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/thread_registers.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <unordered_map>
#include <utility>

namespace memtrace::analyzer {
namespace {

// A thread that waits in the kernel is inside a function that it called: six registers outlast a
// call. One that computes has all but the stack pointer, and two words in each of 16 vectors.
constexpr uint64_t words_of_a_call = 6, words_of_a_computation = 15 + 2 * 16;
// With so many times more blocks than words, the error is small whoever is innocent.
constexpr uint64_t many_times = 8;

bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// Numbers of threads: those that waited in the kernel from one look to the other, and the rest.
struct Waits {
    uint64_t waited = 0;
    uint64_t others = 0;
};

Waits waits_of(const std::vector<LostThreadLook>& before, const std::vector<LostThreadLook>& now,
               uint64_t without, uint64_t alive) {
    const auto waited = [&](const LostThreadLook& look) {
        return look.is_asleep != 0 &&
               std::any_of(before.begin(), before.end(), [&](const LostThreadLook& old) {
                   return old.thread == look.thread && old.is_asleep != 0 &&
                          old.switches == look.switches;
               });
    };
    Waits waits;
    for (const LostThreadLook& look : now) {
        if (look.thread == without) continue;
        (waited(look) ? waits.waited : waits.others) += 1;
    }
    const uint64_t seen = waits.waited + waits.others;
    waits.others += alive - std::min(alive, seen);
    return waits;
}

}  // namespace

std::vector<LostThreadLook> look_at_threads(uint64_t pid, size_t most) {
    namespace fs = std::filesystem;
    std::vector<LostThreadLook> looks;
    std::error_code error;
    const fs::directory_iterator threads("/proc/" + std::to_string(pid) + "/task", error);
    if (error) return looks;
    for (const fs::directory_entry& thread : threads) {
        const std::string number = thread.path().filename();
        if (!is_number(number) || looks.size() >= most) continue;
        LostThreadLook look;
        look.thread = std::stoull(number);
        std::ifstream status(thread.path() / "status");
        for (std::string word; status >> word;) {
            uint64_t count = 0;
            if (word == "State:" && status >> word) look.is_asleep = word == "S" || word == "D";
            if (word.ends_with("ctxt_switches:") && status >> count) look.switches += count;
        }
        looks.push_back(look);
    }
    return looks;
}

uint64_t words_in_registers(const std::vector<LostThreadLook>& before,
                            const std::vector<LostThreadLook>& now, uint64_t without,
                            uint64_t alive) {
    const Waits waits = waits_of(before, now, without, alive);
    return waits.waited * words_of_a_call + waits.others * words_of_a_computation;
}

bool have_all_waited(const std::vector<LostThreadLook>& before,
                     const std::vector<LostThreadLook>& now, uint64_t without, uint64_t alive) {
    return waits_of(before, now, without, alive).others == 0;
}

Doubt doubtful(const std::vector<PointerSearch::State>& states, uint64_t words,
               const std::function<uint32_t(uint32_t block)>& stack_of) {
    Doubt doubt;
    if (words == 0) return doubt;
    std::unordered_map<uint32_t, uint64_t> counts;    // by stack
    std::vector<std::pair<uint32_t, uint32_t>> lost;  // block, stack
    for (uint32_t block = 0; block < states.size(); ++block) {
        if (states[block] != PointerSearch::State::definitely) continue;
        lost.emplace_back(block, stack_of(block));
        counts[lost.back().second] += 1;
    }
    std::erase_if(lost, [&](const auto& one) { return counts[one.second] > words; });
    const uint64_t all = lost.size();
    if (all > many_times * words) {
        // One of few is more likely to be in use than one of many.
        std::stable_sort(lost.begin(), lost.end(), [&](const auto& a, const auto& b) {
            return counts[a.second] < counts[b.second];
        });
        lost.resize(words);
    } else if (all > words) {
        doubt.lost_of_them = all - words;
    }
    for (const auto& [block, stack] : lost) doubt.blocks.push_back(block);
    return doubt;
}

}  // namespace memtrace::analyzer
