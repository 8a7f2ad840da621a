// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/lost.h"

#include <chrono>
#include <thread>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "analyzer/base/error.h"
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
    const uint32_t number = ask_for_search(page.words());
    const auto wait_ns = static_cast<uint64_t>(request.seconds * static_cast<double>(second_ns));
    for (const uint64_t begin = now_ns(); asked(now(page.words().searches_ended)) < number;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        analyzer::require_running(program);
        if (now_ns() - begin < wait_ns) continue;
        throw Error(
            fmt::format("{} has not answered in {:g} s: it looks for requests when it allocates, "
                        "and perhaps it does not allocate now",
                        name, request.seconds));
    }
    std::vector<const char*> report{"memtrace-report", "leaks"};
    if (!request.all) report.push_back("--lost");
    report.push_back(program.dump.c_str());
    auto parsed = analyzer::parse_command_line(static_cast<int>(report.size()), report.data());
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    std::get<analyzer::Request>(parsed).shown_as = program.dump_name;
    return analyzer::run_and_say(std::get<analyzer::Request>(parsed));
}

}  // namespace memtrace::launcher
