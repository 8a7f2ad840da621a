// SPDX-License-Identifier: Apache-2.0
#include "launcher/page.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <variant>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/cli/cli.h"
#include "analyzer/cli/run.h"
#include "analyzer/commands/common_options.h"
#include "launcher/browser.h"
#include "launcher/process.h"
#include "launcher/say.h"

namespace memtrace::launcher {
namespace {

using analyzer::printable;

// Returns the exit code of `memtrace-report html`.
int write_page(const std::string& dump, const std::string& file) {
    const char* const words[] = {"memtrace-report", "html"};
    auto parsed = analyzer::parse_command_line(2, words);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    auto& request = std::get<analyzer::Request>(parsed);
    request.dumps = {dump};
    request.check.output = file;
    dup2(STDERR_FILENO, STDOUT_FILENO);  // Standard output is the program's.
    return analyzer::run_and_say(std::move(request));
}

// True if there is a page. A damaged dump has one, too.
bool has_written(const ProcessEnd& end) {
    return end.code == analyzer::exit_fine || end.code == analyzer::exit_incomplete;
}

std::string absolute(const std::string& path) {
    std::error_code error;
    const auto whole = std::filesystem::absolute(path, error);
    return error ? path : whole.lexically_normal().string();
}

void try_page(const std::string& file, const std::vector<std::string>& dumps, bool open,
              const std::string& preload) {
    const std::string path = file.empty() ? analyzer::file_beside(dumps[0], ".html") : file;
    const ProcessEnd end = run_apart("the page", [&] { return write_page(dumps[0], path); });
    if (!has_written(end)) {
        say(
            fmt::format("there is no page of this run; memtrace-report html -o ELSEWHERE {} makes "
                        "it from the dump, at another place",
                        printable(dumps[0])));
        return;
    }
    if (dumps.size() > 1) {
        say(
            fmt::format("the page shows the first process; there {} more: memtrace-report html "
                        "DUMP makes a page of each",
                        dumps.size() == 2 ? "is 1 dump"
                                          : "are " + analyzer::counted(dumps.size() - 1, "dump")));
    }
    if (!open) return;
    const std::string whole = absolute(path);
    const std::string why_not = open_in_browser(whole, preload);
    if (!why_not.empty()) say(fmt::format("{}; the page is {}", why_not, printable(whole)));
}

}  // namespace

void make_page(const std::string& file, const std::vector<std::string>& dumps, bool open,
               const std::string& preload) {
    try {
        try_page(file, dumps, open, preload);
    } catch (const std::exception& error) {
        say(error.what());
    }
}

}  // namespace memtrace::launcher
