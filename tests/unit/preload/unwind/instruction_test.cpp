// SPDX-License-Identifier: Apache-2.0
//
// Lengths and effects of instructions, as `objdump -d` shows them.
#include "preload/unwind/instruction.h"

#include <cstring>
#include <string>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

// The instruction with bytes behind it that would be read by mistake.
Instruction decode_hex(const std::string& hex) {
    uint8_t code[2 * instruction_bytes_max];
    std::memset(code, 0x90, sizeof code);
    for (size_t i = 0; i + 1 < hex.size(); i += 2) {
        code[i / 2] = static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    Instruction found = decode(code);
    if (found.target != nullptr) found.number = found.target - code;  // code goes away
    return found;
}

struct Case {
    const char* hex;
    Effect effect;
    int64_t number = 0;
};

}  // namespace

TEST_CASE("an instruction has its length and its effect on the stack pointer", "[instruction]") {
    const Case one = GENERATE(from_range(
        std::vector<Case>{{"55", Effect::push},                       // push %rbp
                          {"4157", Effect::push},                     // push %r15
                          {"6a2a", Effect::push},                     // push $42
                          {"6878563412", Effect::push},               // push $0x12345678
                          {"ff742418", Effect::push},                 // push 0x18(%rsp)
                          {"58", Effect::pop},                        // pop %rax
                          {"5d", Effect::pop_fp},                     // pop %rbp
                          {"415d", Effect::pop},                      // pop %r13
                          {"5c", Effect::unknown},                    // pop %rsp
                          {"4883ec18", Effect::add_sp, -24},          // sub $24, %rsp
                          {"4881c428010000", Effect::add_sp, 0x128},  // add $0x128, %rsp
                          {"4883e4c0", Effect::unknown},              // and $-64, %rsp
                          {"4883fc00", Effect::none},                 // cmp $0, %rsp
                          {"488d6424b8", Effect::add_sp, -0x48},      // lea -0x48(%rsp), %rsp
                          {"488d65f0", Effect::sp_from_fp, -16},      // lea -0x10(%rbp), %rsp
                          {"498d6424f8", Effect::unknown},            // lea -0x8(%r12), %rsp
                          {"4889ec", Effect::sp_from_fp},             // mov %rbp, %rsp
                          {"4c89e4", Effect::unknown},                // mov %r12, %rsp
                          {"4889e5", Effect::none},                   // mov %rsp, %rbp
                          {"488b6c2410", Effect::load_fp, 16},        // mov 0x10(%rsp), %rbp
                          {"4829c4", Effect::unknown},                // sub %rax, %rsp
                          {"c9", Effect::leave},                      // leave
                          {"c3", Effect::ret},                        // ret
                          {"f3c3", Effect::ret},                      // repz ret
                          {"c21000", Effect::ret},                    // ret $16
                          {"0f0b", Effect::stop},                     // ud2
                          {"eb10", Effect::jump, 0x12},               // jmp .+0x12
                          {"e900010000", Effect::jump, 0x105},        // jmp .+0x105
                          {"74f0", Effect::branch, -14},              // je .-14
                          {"0f8500010000", Effect::branch, 0x106},    // jne .+0x106
                          {"ff25aabbcc00", Effect::indirect_jump},    // jmp *0xccbbaa(%rip)
                          {"ffd7", Effect::none},                     // call *%rdi
                          {"e8aabbcc00", Effect::none},               // call
                          {"f30f1efa", Effect::none},                 // endbr64
                          {"66660f1f840000000000", Effect::none},     // a long nop
                          {"64c744081078563412", Effect::none},  // movl $…, %fs:0x10(%rax,%rcx,1)
                          {"48bd8877665544332211", Effect::none}}));  // movabs $…, %rbp
    CAPTURE(one.hex);
    const Instruction found = decode_hex(one.hex);
    CHECK(found.effect == one.effect);
    CHECK(found.number == one.number);
    CHECK(found.length * 2 == static_cast<int>(std::strlen(one.hex)));
}

TEST_CASE("vector instructions have the lengths of their encodings", "[instruction]") {
    const std::string hex =
        GENERATE(as<std::string>{}, "c5f877", "c5e95ecb", "c4e26db84540", "62e17c49118cc440120000",
                 "c4637d1dd901", "c57970cb4e", "8fe878c2ec0e", "66410f3a0fc108", "660f38dc4e10");
    CAPTURE(hex);
    const Instruction found = decode_hex(hex);
    CHECK(found.length * 2u == hex.size());
    CHECK(found.effect == Effect::none);
}

TEST_CASE("what is no instruction has no length", "[instruction]") {
    for (const char* hex : {"06", "60", "d4", "0f04", "0f0f", "9a", "ea"}) {
        CAPTURE(hex);
        CHECK(decode_hex(hex).length == 0);
        CHECK(decode_hex(hex).effect == Effect::unknown);
    }
    // Prefixes without end.
    CHECK(decode_hex("66666666666666666666666666666666").length == 0);
}
