// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_validation.h"

#include "preload/python/python_codes.h"

namespace memtrace::preload {
namespace {

constexpr uint64_t text_characters_max = 1u << 16;
constexpr uint32_t first_line_max = 1u << 26;
constexpr uint64_t instructions_max = 1u << 24;

class Checker {
public:
    explicit Checker(const PythonRuntime& runtime) : runtime_(runtime), at_(runtime.layout) {}

    GuardedMemory& memory() { return memory_; }
    const char* surprise() const {
        if (surprise_ != nullptr) return surprise_;
        return memory_.failed() ? "what its frames point at cannot be read" : nullptr;
    }

    void expect(bool is_true, const char* otherwise) {
        if (!is_true && surprise_ == nullptr && !memory_.failed()) surprise_ = otherwise;
    }

    bool is_a(uint64_t object, uint64_t type) {
        return memory_.word(object + at_.object_type) == type && !memory_.failed();
    }

    void check_frame(const PythonFrame& frame) {
        expect(is_a(frame.code, runtime_.code_type), "a frame's code is no code object");
        if (surprise() != nullptr) return;
        check_text(memory_.word(frame.code + at_.code_file));
        check_text(memory_.word(frame.code + at_.code_name));
        const uint64_t lines = memory_.word(frame.code + at_.code_lines);
        expect(is_a(lines, runtime_.bytes_type), "a code's line table is no bytes object");
        expect(bytes_length(lines) <= PythonCodeText::lines_bytes_max,
               "a code's line table is too long");
        expect(memory_.half(frame.code + at_.code_first_line) <= first_line_max,
               "a code's first line is not possible");
        check_instruction(frame);
    }

private:
    uint64_t bytes_length(uint64_t bytes) { return memory_.word(bytes + at_.bytes_length); }

    void check_text(uint64_t text) {
        expect(is_a(text, runtime_.string_type), "a code's name is no string");
        const uint32_t width = memory_.half(text + at_.string_state) >> 2 & 7;
        expect(width == 1 || width == 2 || width == 4, "a name's characters are not possible");
        expect(memory_.word(text + at_.string_length) <= text_characters_max, "a name is too long");
    }

    void check_instruction(const PythonFrame& frame) {
        constexpr const char* outside = "a frame is not inside of its code";
        uint64_t bytes;  // size of the instructions
        if (at_.instruction == PythonInstruction::pointer) {
            bytes = 2 * bytes_length(frame.code);  // a code object stores it at the same offset
            const auto offset =
                static_cast<int64_t>(frame.instruction - frame.code - at_.code_instructions);
            expect(offset >= -2 && offset < static_cast<int64_t>(bytes) && offset % 2 == 0,
                   outside);
        } else {
            bytes = bytes_length(memory_.word(frame.code + at_.code_instructions));
            const int64_t unit = at_.instruction == PythonInstruction::byte_offset ? 1 : 2;
            const int64_t offset = static_cast<int32_t>(frame.instruction) * unit;
            expect(offset >= -2 && offset < static_cast<int64_t>(bytes), outside);
        }
        expect(bytes <= instructions_max, "a code's instructions are too many");
    }

    const PythonRuntime& runtime_;
    const PythonLayout& at_;
    GuardedMemory memory_;
    const char* surprise_ = nullptr;
};

}  // namespace

CheckedPythonStack check_python_stack(const PythonRuntime& runtime, uint64_t tstate,
                                      PythonFrame* frames, uint32_t length_max) {
    CheckedPythonStack stack;
    Checker check(runtime);
    const PythonLayout& layout = runtime.layout;
    PythonFrameReader<GuardedMemory> reader(layout, check.memory(), tstate);
    // A state still belongs to another thread until its own thread has begun, and has no frames
    // until then.
    check.expect(reader.frame() == 0 || check.memory().word(tstate + layout.thread_id) ==
                                            reinterpret_cast<uint64_t>(__builtin_thread_pointer()),
                 "a thread's state is another thread's");
    auto inner = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
    bool is_in_order = true;
    while (reader.frame() != 0 && check.surprise() == nullptr && stack.length < length_max) {
        // Each loop of 3.11 points to its innermost frame.
        const bool begins_loop = stack.length == 0 || frames[stack.length - 1].anchor != 0;
        if (layout.chain == PythonChain::cframes && begins_loop) {
            check.expect(
                check.memory().word(reader.cframe() + layout.cframe_frame) == reader.frame(),
                "frames and evaluation loops are not in step");
        }
        PythonFrame& frame = frames[stack.length];
        frame = reader.take();
        if (check.surprise() != nullptr) break;
        check.check_frame(frame);
        if (frame.anchor == PythonFrame::unknown_loop) {
            is_in_order &= layout.chain == PythonChain::frame_objects;
        } else if (frame.anchor != PythonFrame::same_loop) {
            is_in_order &= frame.anchor > inner;
            inner = frame.anchor;
        }
        stack.hash = (stack.hash ^ frame.instruction ^ frame.code << 7) * 0x9e3779b97f4a7c15u;
        ++stack.length;
    }
    stack.is_cut = reader.frame() != 0;
    stack.surprise = check.surprise();
    stack.is_convincing = is_in_order && stack.length != 0 && stack.surprise == nullptr;
    return stack;
}

}  // namespace memtrace::preload
