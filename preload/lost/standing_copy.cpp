// SPDX-License-Identifier: Apache-2.0
#include "preload/lost/standing_copy.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "preload/base/clock.h"
#include "preload/base/held_signals.h"
#include "preload/base/sys.h"
#include "preload/helper/reporter.h"
#include "preload/lost/shared_pages.h"

namespace memtrace::preload {
namespace {

Path reporter;                            // the copy starts it
constexpr int end_of_reporter = SIGTERM;  // It ends the reporter, and not the copy.
constexpr long step_ns = 1'000'000;       // between two looks at a process

long fork_with_signal(int at_end) { return sys::call(SYS_clone, at_end); }

// True if the shim's and the copy's word for each other was `none`.
bool change_state(LostRequest& request, LostCopyState state) {
    LostCopyState before = LostCopyState::none;
    return __atomic_compare_exchange(&request.copy_state, &before, &state, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE);
}

// ---- in the copy -------------------------------------------------------------------------------

// Where memory runs out, the kernel ends the reporter, then the copy, and not the program.
constexpr int64_t score_max = 1000, score_of_copy = 100;  // above the program's own

void change_score(int64_t by) {
    constexpr const char* path = "/proc/self/oom_score_adj";
    char text[24];
    const size_t size = sys::read_file(path, text, sizeof text);
    int64_t score = 0;
    for (size_t i = 0; i < size && text[i] != '\n'; ++i) {
        if (text[i] != '-') score = score * 10 + (text[i] - '0');
    }
    if (size != 0 && text[0] == '-') score = -score;
    FixedText<24> changed;
    const int64_t sum = std::min(score + by, score_max);
    if (sum < 0) changed << '-';
    changed << static_cast<uint64_t>(sum < 0 ? -sum : sum);
    const int fd = sys::open(path, O_WRONLY);
    if (fd < 0) return;
    sys::write(fd, changed.c_str(), changed.size());
    sys::close(fd);
}

// As rt_sigaction() takes it.
struct KernelAction {
    uint64_t handler, flags, restorer, mask;
};

// Becomes the reporter.
[[noreturn]] void report(const char* pid) {
    sys::call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    change_score(score_max);
    // An answer that is longer than a file may be is an error with a sentence, and no signal.
    const KernelAction ignored{1 /*SIG_IGN*/, 0, 0, 0}, usual{0 /*SIG_DFL*/, 0, 0, 0};
    sys::call(SYS_rt_sigaction, SIGXFSZ, sys::address_of(&ignored), 0, sizeof ignored.mask);
    sys::call(SYS_rt_sigaction, end_of_reporter, sys::address_of(&usual), 0, sizeof usual.mask);
    const uint64_t none = 0;
    sys::signal_mask(SIG_SETMASK, &none, nullptr);
    const char* const words[] = {reporter.c_str(),  "search-lost", pid,
                                 "/proc/self/fd/4", "3",           nullptr};
    run_reporter(words);
}

[[noreturn]] void stand_still(LostRequest& shared, int request, int dump, bool polite) {
    sys::call(SYS_setsid);
    // Where only descendants may be looked into, this says that anybody of this user may.
    sys::call(SYS_prctl, PR_SET_PTRACER, static_cast<long>(PR_SET_PTRACER_ANY));
    sys::call(SYS_prctl, PR_SET_NAME, sys::address_of("memtrace-copy"));
    if (polite) sys::call(SYS_setpriority, PRIO_PROCESS, 0, 19);
    keep_descriptors({request, dump});
    change_score(score_of_copy);
    enter_shared_pages();
    FixedText<24> pid;
    pid << sys::pid();
    long child = -1;
    if (change_state(shared, LostCopyState::has_reporter)) child = fork_with_signal(SIGCHLD);
    if (child == 0) report(pid.c_str());
    if (child > 0) __atomic_store_n(&shared.reporter, child, __ATOMIC_RELEASE);
    int status = 0;
    while (child > 0 && sys::call(SYS_wait4, child, sys::address_of(&status)) == -EINTR) {
    }
    sys::call(SYS_exit_group, 0);
    __builtin_unreachable();
}

// Takes the reporter of a copy that was ended by others, if the program has got it. The kernel has
// ended it with the copy.
void take_orphan(const LostRequest& request) {
    constexpr int steps = 1000;
    const auto orphan = static_cast<long>(__atomic_load_n(&request.reporter, __ATOMIC_ACQUIRE));
    for (int i = 0; orphan > 0 && i < steps; ++i) {
        const long taken = sys::call(SYS_wait4, orphan, 0, WNOHANG | __WALL);
        if (taken != 0 && taken != -EINTR) return;
        const timespec step{0, step_ns};
        sys::call(SYS_nanosleep, sys::address_of(&step));
    }
}

}  // namespace

bool StandingCopy::can_be_made() {
    find_reporter(reporter);
    return reporter.size() != 0;
}

StandingCopy StandingCopy::make(LostRequest& request, int request_descriptor, int dump_descriptor,
                                bool polite) {
    find_reporter(reporter);
    request.copy_state = LostCopyState::none;
    request.reporter = 0;
    // No handler of the program runs in the copy.
    const BlockedSignals quiet(~uint64_t{0});
    const long pid = fork_with_signal(0);
    if (pid == 0) stand_still(request, request_descriptor, dump_descriptor, polite);
    return {pid, &request};
}

bool StandingCopy::has_ended() const {
    int status = 0;
    const long result = sys::call(SYS_wait4, pid, sys::address_of(&status), WNOHANG | __WALL);
    if (result == pid && WIFSIGNALED(status)) take_orphan(*request);
    return result != 0 && result != -EINTR;
}

bool StandingCopy::wait(uint64_t nanoseconds) const {
    const uint64_t begin = clock_ns(CLOCK_MONOTONIC);
    while (!has_ended()) {
        if (clock_ns(CLOCK_MONOTONIC) - begin > nanoseconds) return false;
        const timespec step{0, step_ns};
        sys::call(SYS_nanosleep, sys::address_of(&step));
    }
    return true;
}

void StandingCopy::stop() const {
    constexpr uint64_t wait_ns = 2'000'000'000, resend_ns = 10'000'000;
    if (!change_state(*request, LostCopyState::stopped)) {
        // The signal goes to both, but the copy has blocked it, and ends with the reporter.
        for (uint64_t waited = 0; waited < wait_ns; waited += resend_ns) {
            sys::call(SYS_kill, -pid, end_of_reporter);
            if (wait(resend_ns)) return;
        }
    }
    sys::call(SYS_kill, pid, SIGKILL);
    wait(wait_ns);
}

}  // namespace memtrace::preload
