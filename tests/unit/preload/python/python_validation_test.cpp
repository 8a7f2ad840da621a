// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_validation.h"

#include <functional>

#include "tests/unit/preload/python/made_python.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;
using memtrace::test::MadePython;

namespace {

CheckedPythonStack check(uint32_t length_max = 100) {
    PythonFrame frames[100];
    return check_python_stack(python, MadePython::thread_state, frames, length_max);
}

// True if this change to a right stack of 3.12 would switch Python off.
bool is_noticed(const std::function<void(MadePython&, uint64_t code, uint64_t frame)>& spoil) {
    MadePython made(12);
    const uint64_t code = made.code("f", "f.py");
    made.push(code, 0, true);
    const uint64_t frame = made.push(code, 1, true);
    CHECK(check().surprise == nullptr);
    spoil(made, code, frame);
    return check().surprise != nullptr;
}

}  // namespace

TEST_CASE("a stack that is as it should be convinces", "[python_check]") {
    for (const uint32_t minor : {8u, 9u, 10u, 11u, 12u}) {
        MadePython made(minor);
        const uint64_t code = made.code("f", "f.py");
        CHECK(check().surprise == nullptr);
        CHECK_FALSE(check().is_convincing);  // There is nothing to see.
        made.push(code, -1, true);
        const uint64_t frame = made.push(code, 3, false);
        made.push(code, 4, true);
        const CheckedPythonStack stack = check();
        INFO("3." << minor << ": " << (stack.surprise == nullptr ? "" : stack.surprise));
        CHECK(stack.is_convincing);
        CHECK(stack.length == 3);
        CHECK(check(2).is_cut);
        made.set_index(frame, code, 5);
        CHECK(check().hash != stack.hash);
    }
}

TEST_CASE("whatever is not as it should be is noticed", "[python_check]") {
    using Made = MadePython;
    CHECK(is_noticed([](Made&, uint64_t code, uint64_t) { Made::put(code + 8, 8); }));
    CHECK(is_noticed([](Made& made, uint64_t code, uint64_t) {
        Made::put(code + made.layout.code_name, code);
    }));
    CHECK(is_noticed([](Made& made, uint64_t code, uint64_t) {
        Made::put(code + made.layout.code_file, 4096);
    }));
    CHECK(is_noticed([](Made& made, uint64_t code, uint64_t) {
        Made::put(made.get(code + made.layout.code_file) + 16, uint64_t{1} << 40);
    }));
    CHECK(is_noticed([](Made& made, uint64_t code, uint64_t) {
        Made::put(made.get(code + made.layout.code_lines) + 16, uint64_t{1} << 40);
    }));
    CHECK(is_noticed([](Made& made, uint64_t code, uint64_t) {
        Made::put_half(code + made.layout.code_first_line, ~0u);
    }));
    CHECK(is_noticed(
        [](Made& made, uint64_t code, uint64_t frame) { made.set_index(frame, code, 100); }));
    CHECK(is_noticed([](Made& made, uint64_t, uint64_t frame) {
        Made::put(frame + made.layout.frame_back, 0xdead'0000'0000'0008);
    }));
    CHECK(is_noticed([](Made& made, uint64_t, uint64_t frame) {
        Made::put(frame + made.layout.frame_back, frame + 4);
    }));
    CHECK(is_noticed([](Made& made, uint64_t, uint64_t) {
        Made::put(Made::thread_state + made.layout.thread_id, 1);
    }));
}

TEST_CASE("loops in an odd order are no proof, and no surprise", "[python_check]") {
    MadePython made(12);
    const uint64_t code = made.code("f", "f.py");
    made.push(code, 0, true);
    const uint64_t frame = made.push(code, 1, true);
    // A loop on the heap, as on the stack of a fiber.
    static uint64_t shim[16];
    const uint64_t old = made.get(frame + made.layout.frame_back);
    std::memcpy(shim, reinterpret_cast<const void*>(old), sizeof shim);
    made.put(frame + made.layout.frame_back, reinterpret_cast<uint64_t>(shim));
    const CheckedPythonStack stack = check();
    CHECK(stack.surprise == nullptr);
    CHECK_FALSE(stack.is_convincing);
    CHECK(stack.length == 2);
}
