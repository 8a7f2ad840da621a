// SPDX-License-Identifier: Apache-2.0
#include "preload/lost/standing_copy.h"

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/base/clock.h"
#include "preload/base/held_signals.h"
#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

constexpr int request_number = 3, dump_number = 4;

Path shim_folder;
Path reporter;  // the copy starts it

bool is_program(const char* path) {
    struct stat status;
    return sys::stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           sys::call(SYS_access, sys::address_of(path), X_OK) == 0;
}

long fork_with_signal(int at_end) { return sys::call(SYS_clone, at_end); }

// ---- in the copy -------------------------------------------------------------------------------

void close_all_but(int request, int dump) {
    constexpr int above = dump_number + 1;
    // Duplicates above the numbers that they shall have, so that neither overwrites the other.
    const long first = sys::fcntl(request, F_DUPFD, above);
    const long second = sys::fcntl(dump, F_DUPFD, above);
    sys::call(SYS_dup2, first, request_number);
    sys::call(SYS_dup2, second, dump_number);
    if (sys::failed(sys::call(SYS_close_range, above, ~0U, 0))) {
        constexpr int numbers_max = 65536;  // before Linux 5.9
        for (int fd = above; fd < numbers_max; ++fd) sys::close(fd);
    }
    for (int fd = 0; fd < request_number; ++fd) {
        sys::close(fd);
        sys::call(SYS_openat, AT_FDCWD, sys::address_of("/dev/null"), O_RDWR);  // takes this number
    }
}

void write_text(const char* path, std::string_view text) {
    const int fd = sys::open(path, O_WRONLY);
    if (fd < 0) return;
    sys::write(fd, text.data(), text.size());
    sys::close(fd);
}

// Becomes the reporter.
[[noreturn]] void report(const char* pid) {
    sys::call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    const uint64_t none = 0;
    sys::signal_mask(SIG_SETMASK, &none, nullptr);
    const char* const words[] = {reporter.c_str(),  "search-lost", pid,
                                 "/proc/self/fd/4", "3",           nullptr};
    const char* const environment[] = {"PATH=/usr/bin:/bin", nullptr};
    sys::call(SYS_execve, sys::address_of(reporter.c_str()), sys::address_of(words),
              sys::address_of(environment));
    sys::call(SYS_exit_group, 127);
    __builtin_unreachable();
}

[[noreturn]] void stand_still(int request, int dump, bool polite) {
    sys::call(SYS_setsid);
    // Where only descendants may be looked into, this says that anybody of this user may.
    sys::call(SYS_prctl, PR_SET_PTRACER, static_cast<long>(PR_SET_PTRACER_ANY));
    sys::call(SYS_prctl, PR_SET_NAME, sys::address_of("memtrace-copy"));
    if (polite) sys::call(SYS_setpriority, PRIO_PROCESS, 0, 19);
    close_all_but(request, dump);
    // Where memory runs out, the copy goes, and not the program.
    write_text("/proc/self/oom_score_adj", "1000");
    FixedText<24> pid;
    pid << sys::pid();
    const long child = fork_with_signal(SIGCHLD);
    if (child == 0) report(pid.c_str());
    int status = 0;
    while (child > 0 && sys::call(SYS_wait4, child, sys::address_of(&status)) == -EINTR) {
    }
    sys::call(SYS_exit_group, 0);
    __builtin_unreachable();
}

}  // namespace

void remember_shim_folder() {
    Dl_info self;
    if (dladdr(reinterpret_cast<void*>(&remember_shim_folder), &self) == 0) return;
    char absolute[PATH_MAX];
    std::string_view shim = self.dli_fname;
    if (!shim.starts_with('/')) {  // as LD_PRELOAD had it
        if (realpath(self.dli_fname, absolute) == nullptr) return;
        shim = absolute;
    }
    shim_folder = Path(shim.substr(0, shim.rfind('/')));
}

const Path& find_reporter() {
    reporter.clear();
    if (shim_folder.size() == 0) return reporter;
    for (const char* const place :
         {"/memtrace-report", "/../bin/memtrace-report", "/../../bin/memtrace-report",
          "/../../../bin/memtrace-report"}) {
        reporter = shim_folder;
        reporter << place;
        if (!reporter.was_cut() && is_program(reporter.c_str())) return reporter;
    }
    reporter.clear();
    return reporter;
}

StandingCopy StandingCopy::make(int request, int dump, bool polite) {
    // No handler of the program runs in the copy.
    const BlockedSignals quiet(~uint64_t{0});
    const long pid = fork_with_signal(0);
    if (pid == 0) stand_still(request, dump, polite);
    return {pid};
}

bool StandingCopy::has_ended() const {
    int status = 0;
    const long result = sys::call(SYS_wait4, pid, sys::address_of(&status), WNOHANG | __WALL);
    return result != 0 && result != -EINTR;
}

bool StandingCopy::wait(uint64_t nanoseconds) const {
    constexpr long step_ns = 1'000'000;
    const uint64_t begin = clock_ns(CLOCK_MONOTONIC);
    while (!has_ended()) {
        if (clock_ns(CLOCK_MONOTONIC) - begin > nanoseconds) return false;
        const timespec step{0, step_ns};
        sys::call(SYS_nanosleep, sys::address_of(&step));
    }
    return true;
}

void StandingCopy::stop() const {
    sys::call(SYS_kill, pid, SIGKILL);
    wait(1'000'000'000);
}

}  // namespace memtrace::preload
