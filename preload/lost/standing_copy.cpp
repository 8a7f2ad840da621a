// SPDX-License-Identifier: Apache-2.0
#include "preload/lost/standing_copy.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/base/clock.h"
#include "preload/base/held_signals.h"
#include "preload/base/sys.h"
#include "preload/helper/reporter.h"

namespace memtrace::preload {
namespace {

Path reporter;  // the copy starts it

long fork_with_signal(int at_end) { return sys::call(SYS_clone, at_end); }

// ---- in the copy -------------------------------------------------------------------------------

void write_text(const char* path, std::string_view text) {
    const int fd = sys::open(path, O_WRONLY);
    if (fd < 0) return;
    sys::write(fd, text.data(), text.size());
    sys::close(fd);
}

// As rt_sigaction() takes it.
struct KernelAction {
    uint64_t handler, flags, restorer, mask;
};

// Becomes the reporter.
[[noreturn]] void report(const char* pid) {
    sys::call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    const uint64_t none = 0;
    sys::signal_mask(SIG_SETMASK, &none, nullptr);
    // An answer that is longer than a file may be is an error with a sentence, and no signal.
    const KernelAction ignored{1 /*SIG_IGN*/, 0, 0, 0};
    sys::call(SYS_rt_sigaction, SIGXFSZ, sys::address_of(&ignored), 0, sizeof ignored.mask);
    const char* const words[] = {reporter.c_str(),  "search-lost", pid,
                                 "/proc/self/fd/4", "3",           nullptr};
    run_reporter(words);
}

[[noreturn]] void stand_still(int request, int dump, bool polite) {
    sys::call(SYS_setsid);
    // Where only descendants may be looked into, this says that anybody of this user may.
    sys::call(SYS_prctl, PR_SET_PTRACER, static_cast<long>(PR_SET_PTRACER_ANY));
    sys::call(SYS_prctl, PR_SET_NAME, sys::address_of("memtrace-copy"));
    if (polite) sys::call(SYS_setpriority, PRIO_PROCESS, 0, 19);
    keep_descriptors({request, dump});
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

bool StandingCopy::can_be_made() {
    find_reporter(reporter);
    return reporter.size() != 0;
}

StandingCopy StandingCopy::make(int request, int dump, bool polite) {
    find_reporter(reporter);
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
