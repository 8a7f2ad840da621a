// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/lost.h"

#include <fcntl.h>

#include <chrono>
#include <thread>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/log.h"
#include "analyzer/cli/cli.h"
#include "analyzer/cli/run.h"
#include "launcher/live/control_page.h"
#include "launcher/live/now.h"

namespace memtrace::launcher {
namespace {

using analyzer::Error;

// Returns the number of the request. Others may ask at the same time.
uint32_t ask_for_search(Control& words) {
    auto& word = words.searches;
    auto seen = now(word);
    uint32_t number;
    do {
        number = asked(seen) + 1;
    } while (!__atomic_compare_exchange_n(&word.word, &seen.word, word.of(number).word, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return number;
}

bool is_answered(const Control& words, uint32_t number) {
    return asked(now(words.searches_ended)) >= number;
}

// The answer may have come with the end of the program.
void require_not_ended(const analyzer::RecordedProgram& program, const Control& words,
                       uint32_t number) {
    try {
        analyzer::require_running(program);
    } catch (const Error&) {
        if (is_answered(words, number)) return;
        throw Error(
            fmt::format("{} has ended before a search was: it looks for requests when it "
                        "allocates or frees. With MEMTRACE_OPTIONS=lost=exit it searches when its "
                        "work ends",
                        name_of(program)));
    }
}

void wait_for_search(const analyzer::RecordedProgram& program, Control& words, double seconds) {
    constexpr uint64_t patience_ns = 2 * second_ns;
    const uint32_t number = ask_for_search(words);
    const auto wait_ns = static_cast<uint64_t>(seconds * static_cast<double>(second_ns));
    bool has_said = false;
    for (const uint64_t begin = now_ns(); !is_answered(words, number);) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        require_not_ended(program, words, number);
        const uint64_t waited = now_ns() - begin;
        if (waited > patience_ns && !has_said) {
            has_said = true;
            analyzer::log_note(
                fmt::format("waiting up to {:g} s for {} to allocate or free: that is when it "
                            "looks for requests",
                            seconds, name_of(program)));
        }
        if (waited < wait_ns) continue;
        throw Error(
            fmt::format("{} has not answered in {:g} s: it looks for requests when it allocates, "
                        "and perhaps it does not allocate now",
                        name_of(program), seconds));
    }
}

}  // namespace

int run_lost(const LostRequestOfUser& request) {
    const analyzer::RecordedProgram program = analyzer::find_program(request.program);
    analyzer::require_running(program);
    const std::string name = name_of(program);
    const ControlPage page(program.dump, name);
    if ((page.header().features & feature_private_rings) != 0) {
        throw Error(
            fmt::format("{} cannot be asked: the header of its dump lies in its own memory "
                        "(memtrace info says why under \"rings\")",
                        name));
    }
    // The path leads through the process, which may end as soon as it has answered.
    const int opened = open(program.dump.c_str(), O_RDONLY | O_CLOEXEC);
    const std::string dump = opened < 0 ? program.dump : fmt::format("/proc/self/fd/{}", opened);
    wait_for_search(program, page.words(), request.seconds);
    std::vector<const char*> report{"memtrace-report", "leaks"};
    if (!request.all) report.push_back("--lost");
    report.push_back(dump.c_str());
    auto parsed = analyzer::parse_command_line(static_cast<int>(report.size()), report.data());
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    std::get<analyzer::Request>(parsed).shown_as = program.dump_name;
    return analyzer::run_and_say(std::get<analyzer::Request>(parsed));
}

}  // namespace memtrace::launcher
