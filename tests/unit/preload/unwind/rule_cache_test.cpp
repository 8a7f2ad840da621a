// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/rule_cache.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "preload/unwind/stack_reader.h"
#include "preload/unwind/unwind_generation.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

TableScratch& scratch() {
    static const auto room = std::make_unique<TableScratch>();
    return *room;
}

// A function and its caller, as the caller's rule must connect them.
struct Link {
    uint64_t pc = 0;         // where the inner function returns to
    uint64_t sp = 0;         // rsp at that call
    uint64_t fp = 0;         // rbp at that call
    uint64_t caller_pc = 0;  // where the outer function returns to
    UnwindRule rule;
    uint64_t found_pc = 0;  // caller_pc as found by the rule
};

__attribute__((noipa)) void inner_function(Link& link) {
    const auto* frame = static_cast<const uint64_t*>(__builtin_frame_address(0));
    link.pc = frame[1];
    link.sp = reinterpret_cast<uint64_t>(frame + 2);
    link.fp = frame[0];
}

// Applies the rule while its own frame still exists.
__attribute__((noipa)) void outer_function(Link& link) {
    inner_function(link);
    link.caller_pc = reinterpret_cast<uint64_t>(__builtin_return_address(0));
    link.rule = find_unwind_rule(link.pc, scratch());
    const uint64_t base = link.rule.reads_frame_pointer() ? link.fp : link.sp;
    const auto offset = static_cast<uint64_t>(link.rule.cfa_offset());
    link.found_pc = StackReader::word(base + offset - 8);
}

// The code of the C library: many thousands of addresses with unwind data.
struct Code {
    uint64_t begin = 0;
    uint64_t end = 0;
};

Code code_of_libc() {
    Code found;
    dl_iterate_phdr(
        [](dl_phdr_info* object, size_t, void* out) {
            const auto wanted = reinterpret_cast<uint64_t>(dlsym(RTLD_NEXT, "qsort"));
            for (int i = 0; i < object->dlpi_phnum; ++i) {
                const ElfW(Phdr)& segment = object->dlpi_phdr[i];
                const uint64_t begin = object->dlpi_addr + segment.p_vaddr;
                if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
                if (wanted < begin || wanted >= begin + segment.p_memsz) continue;
                *static_cast<Code*>(out) = {begin, begin + segment.p_memsz};
                return 1;
            }
            return 0;
        },
        &found);
    return found;
}

std::vector<UnwindRule> rules_of(const Code& code, uint64_t stride) {
    std::vector<UnwindRule> rules;
    for (uint64_t pc = code.begin + stride; pc < code.end; pc += stride) {
        rules.push_back(find_unwind_rule(pc, scratch()));
    }
    return rules;
}

}  // namespace

TEST_CASE("the rule of a return address leads to the caller's", "[rule_cache]") {
    Link link;
    outer_function(link);
    CHECK((link.rule.kind() == StepKind::sp_keep || link.rule.kind() == StepKind::sp_save ||
           link.rule.kind() == StepKind::fp_keep || link.rule.kind() == StepKind::fp_save));
    CHECK(link.found_pc == link.caller_pc);
}

TEST_CASE("a rule is the same again, also after it was forgotten", "[rule_cache]") {
    Link link;
    outer_function(link);
    const UnwindRule rule = find_unwind_rule(link.pc, scratch());
    CHECK(find_unwind_rule(link.pc, scratch()) == rule);
    forget_unwind_rules(link.pc - 1, link.pc);
    CHECK(find_unwind_rule(link.pc, scratch()) == rule);
}

TEST_CASE("what is not code has no rule", "[rule_cache]") {
    static int data = 0;
    const auto on_heap = std::make_unique<int>(0);
    for (const void* address :
         {static_cast<const void*>(&data), static_cast<const void*>(on_heap.get())}) {
        const UnwindRule rule = find_unwind_rule(reinterpret_cast<uint64_t>(address), scratch());
        CHECK(rule.kind() == StepKind::none);
    }
    CHECK(find_unwind_rule(1, scratch()).kind() == StepKind::none);
    CHECK(find_unwind_rule(~uint64_t{0}, scratch()).kind() == StepKind::none);
}

TEST_CASE("the table grows over the code of libc, and gives the same rules again", "[rule_cache]") {
    const Code code = code_of_libc();
    REQUIRE(code.end - code.begin > 100'000);
    forget_unwind_rules(code.begin, code.end);
    const uint64_t bytes = rule_cache_bytes();
    const std::vector<UnwindRule> first = rules_of(code, 37);
    REQUIRE(first.size() > 10'000);  // more than the first tables hold
    CHECK(rule_cache_bytes() > bytes);
    CHECK((rules_of(code, 37) == first));
    // Forgotten entries leave places behind, and others are found across them.
    const Code half{code.begin, code.begin + (code.end - code.begin) / 2};
    forget_unwind_rules(half.begin, half.end);
    CHECK((rules_of(code, 37) == first));
}

TEST_CASE("while something is unloaded rules are right, and none is remembered", "[rule_cache]") {
    const Code code = code_of_libc();
    const Code part{code.begin, code.begin + 200'000};
    const std::vector<UnwindRule> before = rules_of(part, 41);
    const uint64_t generation = unwind_generation();
    begin_unload();
    begin_unload();
    CHECK(is_unloading());
    const uint64_t bytes = rule_cache_bytes();
    CHECK((rules_of(part, 41) == before));
    rules_of(code, 3);  // more than any table so far has room for
    CHECK(rule_cache_bytes() == bytes);
    end_unload();
    CHECK(is_unloading());
    end_unload();
    CHECK_FALSE(is_unloading());
    CHECK(unwind_generation() > generation);
}

TEST_CASE("what comes and goes at one address does not fill the table", "[rule_cache]") {
    const auto address = reinterpret_cast<uint64_t>(reinterpret_cast<const void*>(&::qsort)) + 1;
    find_unwind_rule(address, scratch());
    const uint64_t before = rule_cache_bytes();
    for (int i = 0; i < 200; ++i) {
        forget_unwind_rules(address - 1, address);
        find_unwind_rule(address, scratch());
    }
    CHECK(rule_cache_bytes() == before);
}
