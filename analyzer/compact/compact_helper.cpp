// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compact/compact_helper.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/compact/compact_live.h"
#include "analyzer/compact/dump_in_use.h"
#include "analyzer/reader/dump_file.h"

namespace memtrace::analyzer {
namespace {

constexpr int ok = 0, failed = 1, not_worth_it = 3;
constexpr long look_ms = 250;      // at whether the program still runs
constexpr uint64_t calm_part = 4;  // of the bytes that the dump may take
constexpr int lowest_priority = 19;

// The shim starts this process with all signals blocked, beside a program that matters more.
void be_a_guest() {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGXFSZ, SIG_IGN);  // A file that must not grow is an error of a compaction.
    const rlimit no_core = {};
    setrlimit(RLIMIT_CORE, &no_core);
    // Where memory runs out, this process goes, and not the program.
    std::ofstream("/proc/self/oom_score_adj") << 1000;
}

int compact_once(const std::string& path, uint64_t max_bytes, std::optional<uint64_t> until_ns) {
    return compact_live(path, max_bytes, until_ns).freed_bytes > 0 ? ok : not_worth_it;
}

int say(const std::exception& error) {
    fmt::print(stderr, "memtrace-report: {}\n", error.what());
    return failed;
}

// The child takes the memory of the compaction with it. While the dump is small there is time, and
// it only has what nobody else wants of the processor.
void compact_in_child(const std::string& path, DumpInUse& dump, uint64_t max_bytes) {
    const pid_t child = fork();
    if (child == 0) {
        if (dump.bytes() < max_bytes / calm_part) setpriority(PRIO_PROCESS, 0, lowest_priority);
        try {
            _exit(compact_once(path, max_bytes, {}));
        } catch (const std::exception&) {  // std::bad_alloc, too
            _exit(failed);
        }
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) dump.count_failure(static_cast<uint32_t>(WTERMSIG(status)));
    else if (child < 0 || WEXITSTATUS(status) == failed) dump.count_failure(compaction_error);
}

int compact_beside(const std::string& shim_path, uint64_t max_bytes) {
    DumpInUse dump(shim_path);
    // What the shim has passed on has a lock of the program, which must end with the program.
    close_range(3, static_cast<unsigned>(dump.descriptor()) - 1, 0);
    if (!dump.become_helper()) return failed;  // There is one.
    const std::string path = fmt::format("/proc/self/fd/{}", dump.descriptor());
    Problems ignored;
    const DumpFile file(path, ignored);
    while (file.is_being_written()) {
        if (const uint32_t asked = dump.compaction_asked()) {
            compact_in_child(path, dump, max_bytes);
            dump.end_compaction(asked);
        } else {
            dump.wait_for_request(look_ms);
        }
    }
    return ok;
}

uint64_t number(std::string_view text) {
    uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

}  // namespace

std::optional<int> run_compact_helper(int count, const char* const* words) {
    const std::string_view word = count > 0 ? words[0] : "";
    try {
        if (word == "compact-beside" && count == 3) {
            be_a_guest();
            return compact_beside(words[1], number(words[2]));
        }
        if (word == "compact-once" && (count == 3 || count == 4)) {
            std::optional<uint64_t> until_ns;
            if (count == 4) until_ns = number(words[3]);
            return compact_once(words[1], number(words[2]), until_ns);
        }
    } catch (const std::exception& error) {
        return say(error);
    }
    return std::nullopt;
}

}  // namespace memtrace::analyzer
