// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/report_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>

#include "analyzer/base/error.h"
#include "analyzer/cli/cli.h"
#include "analyzer/cli/run.h"
#include "analyzer/profile/profile_file.h"
#include "memtrace/dump/hash.h"
#include "tests/tools/files.h"

namespace memtrace::test {
namespace {

using Line = std::vector<const char*>;

// The JSON goes to standard output instead of the text.
const std::vector<Line>& command_lines() {
    static const std::vector<Line> lines = {
        {"summary", "--json", "-"},
        {"summary"},
        {"sites", "--all-frames"},
        {"html", "-o", "-"},
        {"leaks"},
        {"growth"},
        {"peak"},
        {"tree"},
        {"steps"},
        {"timeline"},
        {"temporary"},
        {"histogram"},
        {"threads"},
        {"phases"},
        {"host"},
        {"gpu"},
        {"oom"},
        {"info"},
        {"text"},
        {"lines", "main.c"},
        {"summary", "--from", "25%", "--to", "75%"},
        {"summary", "--thread", "1"},
        {"check", "--max-leaked-bytes", "1"},
        {"export", "--format", "pprof", "-o", "-"},
        {"export", "--format", "speedscope", "-o", "-"},
        {"export", "--format", "collapsed", "-o", "-"},
        {"profile", "-o", "-"},
    };
    return lines;
}

void throw_away_standard_output() {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
        throw std::runtime_error("there is no /dev/null");
    close(nowhere);
}

analyzer::Request request_of(const Line& line) {
    Line arguments{"memtrace-report"};
    arguments.insert(arguments.end(), line.begin(), line.end());
    arguments.push_back("dump.bin");
    auto parsed =
        analyzer::parse_command_line(static_cast<int>(arguments.size()), arguments.data());
    if (auto* request = std::get_if<analyzer::Request>(&parsed)) return std::move(*request);
    throw std::logic_error(std::string("the command line of ") + line[0] + " is wrong");
}

std::vector<analyzer::Request> make_requests() {
    std::vector<analyzer::Request> requests;
    for (const Line& line : command_lines()) requests.push_back(request_of(line));
    throw_away_standard_output();
    return requests;
}

}  // namespace

void report_on(const Bytes& bytes) {
    static const std::vector<analyzer::Request> requests = make_requests();
    analyzer::Request request = requests[hash_bytes(bytes.data(), bytes.size()) % requests.size()];
    const TempFile file(bytes);
    request.dumps = {file.path()};
    if (!analyzer::is_profile(file.path())) request.symbols.sysroot = "/nowhere";
    try {
        analyzer::run(request);
    } catch (const analyzer::Error&) {
    }
}

}  // namespace memtrace::test
