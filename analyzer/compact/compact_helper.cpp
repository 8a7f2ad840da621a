// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compact/compact_helper.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/compact/compact_live.h"
#include "analyzer/compact/dump_in_use.h"
#include "analyzer/reader/dump_file.h"

namespace memtrace::analyzer {
namespace {

constexpr int ok = 0, failed = 1, not_worth_it = 3;
constexpr long look_ms = 250;  // at whether the program still runs
constexpr std::chrono::milliseconds look_at_child{20};

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

// Returns the child's status, or nothing if it was stopped because `starves`.
std::optional<int> status_of(pid_t child, const std::function<bool()>& starves) {
    int status = 0;
    for (;;) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) return status;
        if (ended < 0 && errno != EINTR) return std::nullopt;
        if (starves()) break;
        std::this_thread::sleep_for(look_at_child);
    }
    kill(child, SIGKILL);  // No instant of a compaction does harm (dump_in_use.h).
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return std::nullopt;
}

// How much of the processor a compaction may take from others: as little as there is time for.
struct Priority {
    int nice;
    double part;  // of the bytes that the dump may take: it has until then
};
constexpr Priority priorities[] = {
    {19, 1.0 / 3}, {10, 3.0 / 5}, {0, std::numeric_limits<double>::infinity()}};
constexpr size_t last_priority = std::size(priorities) - 1;
// So many compactions after one that got too little begin with the priority that it needed.
constexpr int busy_compactions = 16;

// The child takes the memory of the compaction with it. If others want all of the processor, the
// dump grows meanwhile; then another child with a higher priority begins anew, because the first
// one may not raise its own.
class Compactor {
public:
    Compactor(std::string path, DumpInUse& dump, uint64_t max_bytes)
        : path_(std::move(path)), dump_(dump), max_bytes_(max_bytes) {}

    void run() {
        if (busy_ == 0) needed_ = 0;
        else busy_ -= 1;
        for (size_t number = needed_; number <= last_priority; ++number) {
            if (is_late(priorities[number])) continue;
            if (run_child(priorities[number])) return;
            needed_ = number + 1;
            busy_ = busy_compactions;
        }
    }

private:
    bool is_late(const Priority& priority) const {
        return double(dump_.bytes()) >= priority.part * double(max_bytes_);
    }

    // Returns false if the child was stopped.
    bool run_child(const Priority& priority) {
        const pid_t child = fork();
        if (child == 0) {
            // The program may have a lower one itself.
            if (getpriority(PRIO_PROCESS, 0) < priority.nice)
                setpriority(PRIO_PROCESS, 0, priority.nice);
            try {
                _exit(compact_once(path_, max_bytes_, {}));
            } catch (const std::exception&) {  // std::bad_alloc, too
                _exit(failed);
            }
        }
        if (child < 0) {
            dump_.count_failure(compaction_error);
            return true;
        }
        const std::optional<int> status = status_of(child, [&] { return is_late(priority); });
        if (!status) return false;
        if (WIFSIGNALED(*status)) dump_.count_failure(static_cast<uint32_t>(WTERMSIG(*status)));
        else if (WEXITSTATUS(*status) == failed) dump_.count_failure(compaction_error);
        return true;
    }

    std::string path_;
    DumpInUse& dump_;
    uint64_t max_bytes_;
    size_t needed_ = 0;  // the number of the priority to begin with
    int busy_ = 0;       // number of next compactions for which that holds
};

// libc has a function for that from 2.34 on only, and Linux a call from 5.9 on.
void close_below(int descriptor) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 3, descriptor - 1, 0) == 0) return;
#endif
    for (int open = 3; open < descriptor; ++open) close(open);
}

int compact_beside(const std::string& shim_path, uint64_t max_bytes) {
    DumpInUse dump(shim_path);
    // What the shim has passed on has a lock of the program, which must end with the program.
    close_below(dump.descriptor());
    if (!dump.become_helper()) return failed;  // There is one.
    const std::string path = fmt::format("/proc/self/fd/{}", dump.descriptor());
    Problems ignored;
    const DumpFile file(path, ignored);
    Compactor compactor(path, dump, max_bytes);
    while (file.is_being_written()) {
        if (const uint32_t asked = dump.compaction_asked()) {
            compactor.run();
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
