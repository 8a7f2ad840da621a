// SPDX-License-Identifier: Apache-2.0
#include "preload/session/filtered_calls.h"

#include <linux/audit.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <initializer_list>

#include "preload/base/call_filter.h"
#include "preload/base/clock.h"
#include "preload/base/fixed_text.h"
#include "preload/base/held_signals.h"
#include "preload/base/recording_state.h"
#include "preload/base/sys.h"
#include "preload/helper/detached_helper.h"
#include "preload/lost/may_search.h"
#include "preload/recording/thread_lane.h"
#include "preload/writer/dump_file.h"

namespace memtrace::preload {
namespace {

enum class Need { record, look, start };

struct NeededCall {
    Need need;
    const char* name;
    seccomp_data data;
};

constexpr NeededCall needed(Need need, const char* name, int number,
                            std::initializer_list<long> arguments) {
    NeededCall call{need, name, {}};
    call.data.nr = number;
    call.data.arch = AUDIT_ARCH_X86_64;
    size_t place = 0;
    for (const long argument : arguments) {
        call.data.args[place++] = static_cast<uint64_t>(argument);
    }
    return call;
}

constexpr NeededCall needed_calls[] = {
#define MEMTRACE_RECORD(name, ...) needed(Need::record, #name, SYS_##name, {__VA_ARGS__}),
#define MEMTRACE_LOOK(name, ...) needed(Need::look, #name, SYS_##name, {__VA_ARGS__}),
#define MEMTRACE_START(name, ...) needed(Need::start, #name, SYS_##name, {__VA_ARGS__}),
#include "preload/session/needed_calls.def"
};

std::atomic<bool> is_start_forbidden;
std::atomic<bool> is_look_forbidden;
// The recording has stopped and every thread has left the shim, which makes no calls any more. Not
// even another filter may be looked at: an earlier one could end the program at that.
std::atomic<bool> is_over;

// One thread at a time asks what a filter would do, and waits for others that are in the shim.
// A forked child may find the turn taken by a thread that it does not have.
class Turn {
public:
    Turn() {
        const uint64_t begin = clock_ns(CLOCK_MONOTONIC);
        while (taken_.exchange(true) && clock_ns(CLOCK_MONOTONIC) - begin < wait_ns_max) {
            sys::call(SYS_sched_yield);
        }
    }
    ~Turn() { taken_.store(false); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    static constexpr uint64_t wait_ns_max = 2'000'000'000;
    static inline std::atomic<bool> taken_;
    // A handler that sets a filter would wait for the thread that it interrupted.
    const BlockedSignals quiet_{signals_that_can_wait};
};

bool may_look() {
    char from = 0, to = 0;
    return !is_look_forbidden.load() && sys::copy_memory(&to, &from, 1) == 0;
}

// The other threads are away before the filter meets them, and their last events are written then.
void stop_before(std::string_view call) {
    is_start_forbidden.store(true);
    const Recording before = recording();
    if (before == Recording::on) {
        Line why(
            "the program sets a filter (seccomp) that would end it at a system call of memtrace (");
        why << call << ")";
        stop_recording(why.view());
    }
    if (before == Recording::asleep) {
        set_recording(Recording::off);
        dump_file::set_state(State::stopped);  // Nobody can wake it up any more.
    }
    if (before == Recording::on || before == Recording::stopped) {
        const bool have_all_left = ThreadLane::send_away(may_look());
        if (before == Recording::on && have_all_left && !dump_file::is_mapped()) {
            ThreadLane::for_each([](ThreadLane& lane) { lane.drain(); });
        }
    }
    is_over.store(true);
}

// A copy of the program's filter.
class Filter {
public:
    explicit Filter(const sock_fprog* filter) {
        sock_fprog program;
        error_ = sys::copy_memory(&program, filter, sizeof program);
        if (error_ != 0 || program.len == 0) return;
        const size_t bytes = program.len * sizeof(sock_filter);
        steps_ = static_cast<sock_filter*>(sys::map_private(bytes));
        error_ = steps_ == nullptr ? -ENOMEM : sys::copy_memory(steps_, program.filter, bytes);
        length_ = program.len;
    }
    ~Filter() {
        if (steps_ != nullptr) sys::unmap(steps_, length_ * sizeof(sock_filter));
    }
    Filter(const Filter&) = delete;
    Filter& operator=(const Filter&) = delete;

    bool is_read() const { return steps_ != nullptr && error_ == 0; }
    // The kernel refuses such a filter, too.
    bool is_refused() const { return error_ == -EFAULT || (error_ == 0 && steps_ == nullptr); }
    bool allows(const NeededCall& call) const {
        return lets_go_on(answer_of_filter(steps_, length_, call.data));
    }

private:
    sock_filter* steps_ = nullptr;
    size_t length_ = 0;
    long error_ = 0;
};

}  // namespace

void before_filter(const sock_fprog* filter) {
    constexpr const char* why = "the program has set a filter of system calls (seccomp)";
    forbid_lost_searches(why);
    forbid_helpers(why);
    if (is_over.load()) return;
    const Turn turn;
    if (is_over.load()) return;
    if (filter == nullptr) return stop_before("nearly all");
    if (!may_look()) return stop_before("a filter that cannot be read may refuse any");
    const Filter copied(filter);
    if (copied.is_refused()) return;
    if (!copied.is_read()) return stop_before("a filter that cannot be read may refuse any");
    for (const NeededCall& call : needed_calls) {
        if (copied.allows(call)) continue;
        if (call.need == Need::record) return stop_before(call.name);
        if (call.need == Need::look) is_look_forbidden.store(true);
        else is_start_forbidden.store(true);
    }
}

bool no_recording_can_begin() { return is_start_forbidden.load(); }

}  // namespace memtrace::preload
