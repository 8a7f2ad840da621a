// SPDX-License-Identifier: Apache-2.0
#include "preload/base/call_filter.h"

#include <linux/audit.h>

#include <cstddef>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

using Program = std::vector<sock_filter>;

constexpr uint32_t number_at = offsetof(seccomp_data, nr);
constexpr uint32_t argument_at = offsetof(seccomp_data, args);

seccomp_data call(int number, uint64_t argument = 0) {
    seccomp_data result{};
    result.nr = number;
    result.arch = AUDIT_ARCH_X86_64;
    result.args[0] = argument;
    return result;
}

uint32_t answer(const Program& program, const seccomp_data& asked) {
    return answer_of_filter(program.data(), program.size(), asked);
}

sock_filter step(uint16_t code, uint32_t k, uint8_t jt = 0, uint8_t jf = 0) {
    return {code, jt, jf, k};
}

const sock_filter load_number = step(BPF_LD | BPF_W | BPF_ABS, number_at);
const sock_filter allow = step(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
const sock_filter kill = step(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);

}  // namespace

TEST_CASE("a list of numbers allows those and no other", "[call_filter]") {
    const Program program = {load_number, step(BPF_JMP | BPF_JEQ | BPF_K, 9, 0, 1),
                             allow,       step(BPF_JMP | BPF_JEQ | BPF_K, 11, 0, 1),
                             allow,       kill};
    CHECK(answer(program, call(9)) == SECCOMP_RET_ALLOW);
    CHECK(answer(program, call(11)) == SECCOMP_RET_ALLOW);
    CHECK(answer(program, call(10)) == SECCOMP_RET_KILL_PROCESS);
}

TEST_CASE("a filter may look at arguments, calculate and remember", "[call_filter]") {
    // Allows a call whose first argument has both bits of 0x30, however it gets there.
    const Program program = {step(BPF_LD | BPF_W | BPF_ABS, argument_at),
                             step(BPF_ST, 3),
                             step(BPF_LD | BPF_IMM, 0x31),
                             step(BPF_ALU | BPF_SUB | BPF_K, 1),
                             step(BPF_MISC | BPF_TAX, 0),
                             step(BPF_LD | BPF_MEM, 3),
                             step(BPF_ALU | BPF_AND | BPF_X, 0),
                             step(BPF_JMP | BPF_JEQ | BPF_X, 0, 0, 1),
                             allow,
                             kill};
    CHECK(answer(program, call(1, 0x70)) == SECCOMP_RET_ALLOW);
    CHECK(answer(program, call(1, 0x10)) == SECCOMP_RET_KILL_PROCESS);
}

TEST_CASE("jumps go over steps, and an answer may be calculated", "[call_filter]") {
    const Program program = {step(BPF_JMP | BPF_JA, 1), kill,
                             step(BPF_LD | BPF_IMM, SECCOMP_RET_ERRNO | 13),
                             step(BPF_RET | BPF_A, 0)};
    CHECK(answer(program, call(1)) == (SECCOMP_RET_ERRNO | 13));
}

TEST_CASE("what is no filter ends the program, as far as the shim knows", "[call_filter]") {
    CHECK(answer({}, call(1)) == SECCOMP_RET_KILL_PROCESS);
    CHECK(answer({load_number}, call(1)) == SECCOMP_RET_KILL_PROCESS);  // no answer
    CHECK(answer({step(BPF_LD | BPF_W | BPF_ABS, 2), allow}, call(1)) == SECCOMP_RET_KILL_PROCESS);
    CHECK(answer({step(BPF_LD | BPF_W | BPF_ABS, 64), allow}, call(1)) == SECCOMP_RET_KILL_PROCESS);
    CHECK(answer({step(BPF_LD | BPF_MEM, 16), allow}, call(1)) == SECCOMP_RET_KILL_PROCESS);
    CHECK(answer({step(BPF_LD | BPF_IMM, 1), step(BPF_ALU | BPF_DIV | BPF_K, 0), allow}, call(1)) ==
          SECCOMP_RET_KILL_PROCESS);
    CHECK(answer({step(BPF_JMP | BPF_JA, 1000), allow}, call(1)) == SECCOMP_RET_KILL_PROCESS);
}

TEST_CASE("a call that fails goes on; one that signals or waits does not", "[call_filter]") {
    CHECK(lets_go_on(SECCOMP_RET_ALLOW));
    CHECK(lets_go_on(SECCOMP_RET_LOG));
    CHECK(lets_go_on(SECCOMP_RET_ERRNO | 1));
    CHECK_FALSE(lets_go_on(SECCOMP_RET_KILL_THREAD));
    CHECK_FALSE(lets_go_on(SECCOMP_RET_KILL_PROCESS));
    CHECK_FALSE(lets_go_on(SECCOMP_RET_TRAP | 7));
    CHECK_FALSE(lets_go_on(SECCOMP_RET_TRACE));
    CHECK_FALSE(lets_go_on(SECCOMP_RET_USER_NOTIF));
}
