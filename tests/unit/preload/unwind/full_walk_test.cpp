// SPDX-License-Identifier: Apache-2.0
//
// Whole walks by full steps, through frames that an UnwindRule cannot describe. They must equal the
// walks of the compiler's own unwinder, which reads the same tables by other code.
#include <signal.h>
#include <unwind.h>

#include <algorithm>
#include <vector>

#include "preload/unwind/full_step.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;

// Calls function(argument) from a frame that can be found through rbx only.
asm(R"(
    .text
memtrace_test_call_through_rbx:
    .cfi_startproc
    push %rbx
    .cfi_def_cfa_offset 16
    .cfi_offset rbx, -16
    mov %rsp, %rbx
    .cfi_def_cfa_register rbx
    sub $32, %rsp
    and $-64, %rsp
    mov %rdi, %rax
    mov %rsi, %rdi
    call *%rax
    mov %rbx, %rsp
    .cfi_def_cfa_register rsp
    pop %rbx
    .cfi_def_cfa_offset 8
    .cfi_restore rbx
    ret
    .cfi_endproc
)");
extern "C" void memtrace_test_call_through_rbx(void (*function)(void*), void* argument);

namespace {

// The callers of the function that takes them. It allocates no memory, because a signal handler
// uses it too.
struct Callers {
    static constexpr unsigned max = 256;
    uint64_t pc[max] = {};
    unsigned count = 0;
    unsigned exact = 0;
    FullStep last_step = FullStep::stepped;

    void add(uint64_t address) {
        if (count < max) pc[count++] = address;
    }
    std::vector<uint64_t> list() const { return {pc, pc + count}; }
    bool has(const void* address) const {
        return std::count(pc, pc + count, reinterpret_cast<uint64_t>(address)) != 0;
    }
};

struct TwoWalks {
    Callers ours;
    Callers compilers;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* callers) {
    const uint64_t pc = _Unwind_GetIP(context);
    if (pc != 0) static_cast<Callers*>(callers)->add(pc);
    return _URC_NO_REASON;
}

__attribute__((noinline)) void take_both(void* result) {
    static TableScratch scratch;
    auto& walks = *static_cast<TwoWalks*>(result);
    _Unwind_Backtrace(&add_frame, &walks.compilers);
    Position position;
    asm volatile("lea 0(%%rip), %0" : "=r"(position.pc));
    asm volatile("mov %%rsp, %0" : "=r"(position.sp));
    asm volatile("mov %%rbp, %0" : "=r"(position.fp));
    position.is_exact = true;
    StackBounds bounds;
    StackReader stack(bounds, position.sp);
    for (;;) {
        walks.ours.last_step = step_fully(position, stack, scratch);
        if (walks.ours.last_step != FullStep::stepped) break;
        walks.ours.add(position.pc);
        walks.ours.exact += position.is_exact;
    }
}

void check_equal(const TwoWalks& walks) {
    REQUIRE(walks.compilers.count > 3);
    // The compiler's list begins in take_both() itself.
    const auto compilers = walks.compilers.list();
    CHECK(walks.ours.list() == std::vector<uint64_t>(compilers.begin() + 1, compilers.end()));
    CHECK(walks.ours.last_step == FullStep::end);
}

TwoWalks walks_of_handler;

void handle(int) { take_both(&walks_of_handler); }

// Returns its own return address.
__attribute__((noinline)) const void* raise_with_handler(int flags) {
    struct sigaction action = {};
    struct sigaction before = {};
    action.sa_handler = &handle;
    action.sa_flags = flags;
    walks_of_handler = {};
    sigaction(SIGUSR1, &action, &before);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &before, nullptr);
    return __builtin_return_address(0);
}

}  // namespace

TEST_CASE("a walk by full steps reaches the first function", "[full_step]") {
    TwoWalks walks;
    take_both(&walks);
    check_equal(walks);
    CHECK(walks.ours.exact == 0);
}

TEST_CASE("a walk goes through a frame that only rbx finds", "[full_step]") {
    TwoWalks walks;
    memtrace_test_call_through_rbx(&take_both, &walks);
    check_equal(walks);
    const auto in_between = reinterpret_cast<uint64_t>(&memtrace_test_call_through_rbx);
    REQUIRE(walks.ours.count > 0);
    CHECK(walks.ours.pc[0] - in_between < 32);
}

TEST_CASE("a walk out of a signal handler goes on in what was interrupted", "[full_step]") {
    const void* raised_from = raise_with_handler(0);
    check_equal(walks_of_handler);
    CHECK(walks_of_handler.ours.exact == 1);
    CHECK(walks_of_handler.ours.has(raised_from));
}

TEST_CASE("a walk comes back from a signal's own stack", "[full_step]") {
    std::vector<char> own_stack(256 << 10);
    stack_t signal_stack = {};
    stack_t before = {};
    signal_stack.ss_sp = own_stack.data();
    signal_stack.ss_size = own_stack.size();
    REQUIRE(sigaltstack(&signal_stack, &before) == 0);
    const void* raised_from = raise_with_handler(SA_ONSTACK);
    sigaltstack(&before, nullptr);
    check_equal(walks_of_handler);
    CHECK(walks_of_handler.ours.exact == 1);
    CHECK(walks_of_handler.ours.has(raised_from));
}
