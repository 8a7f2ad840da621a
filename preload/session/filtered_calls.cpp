// SPDX-License-Identifier: Apache-2.0
#include "preload/session/filtered_calls.h"

#include <linux/audit.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include <initializer_list>

#include "preload/base/call_filter.h"
#include "preload/base/fixed_text.h"
#include "preload/base/recording_state.h"
#include "preload/base/sys.h"
#include "preload/recording/thread_lane.h"
#include "preload/writer/dump_file.h"

namespace memtrace::preload {
namespace {

enum class Need { record, start };

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
#define MEMTRACE_START(name, ...) needed(Need::start, #name, SYS_##name, {__VA_ARGS__}),
#include "preload/session/needed_calls.def"
};

std::atomic<bool> is_start_forbidden;

// Copies memory of the program that may not be there. Returns false if it is not.
bool copy(void* to, const void* from, size_t bytes) {
    iovec here{to, bytes}, there{const_cast<void*>(from), bytes};
    return sys::call(SYS_process_vm_readv, sys::pid(), sys::address_of(&here), 1,
                     sys::address_of(&there), 1) == static_cast<long>(bytes);
}

void stop_before(std::string_view call) {
    if (recording() != Recording::on) return;
    Line why(
        "the program sets a filter (seccomp) that would end it at a system call of memtrace (");
    why << call << ")";
    if (!dump_file::is_mapped()) ThreadLane::for_each([](ThreadLane& lane) { lane.drain(); });
    stop_recording(why.view());
}

// A copy of the program's filter.
class Filter {
public:
    explicit Filter(const sock_fprog* filter) {
        sock_fprog program;
        if (!copy(&program, filter, sizeof program) || program.len == 0) return;
        const size_t bytes = program.len * sizeof(sock_filter);
        steps_ = static_cast<sock_filter*>(sys::map_private(bytes));
        if (steps_ == nullptr) return;
        length_ = program.len;
        is_read_ = copy(steps_, program.filter, bytes);
    }
    ~Filter() {
        if (steps_ != nullptr) sys::unmap(steps_, length_ * sizeof(sock_filter));
    }
    Filter(const Filter&) = delete;
    Filter& operator=(const Filter&) = delete;

    bool is_read() const { return is_read_; }
    bool allows(const NeededCall& call) const {
        return lets_go_on(answer_of_filter(steps_, length_, call.data));
    }

private:
    sock_filter* steps_ = nullptr;
    size_t length_ = 0;
    bool is_read_ = false;
};

}  // namespace

void before_filter(const sock_fprog* filter) {
    if (filter == nullptr) {
        is_start_forbidden.store(true);
        stop_before("nearly all");
        return;
    }
    const Filter copied(filter);
    if (!copied.is_read()) return;
    for (const NeededCall& call : needed_calls) {
        if (copied.allows(call)) continue;
        is_start_forbidden.store(true);
        if (call.need == Need::record) {
            stop_before(call.name);
            return;
        }
    }
}

bool no_recording_can_begin() { return is_start_forbidden.load(); }

}  // namespace memtrace::preload
