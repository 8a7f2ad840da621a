// SPDX-License-Identifier: Apache-2.0
//
// A made-up interpreter in plain memory: thread state, frames, code objects and strings as a layout
// requires. It is the process's Python during its lifetime. Every thread finds its thread state.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "preload/python/python_codes.h"
#include "preload/python/python_runtime.h"

namespace memtrace::test {

class MadePython {
public:
    explicit MadePython(uint32_t minor) {
        preload::forget_python();
        preload::forget_all_python_codes();
        preload::find_python_layout({3, minor, true}, nullptr, layout);
        thread_state = block();
        put(thread_state + layout.thread_id,
            reinterpret_cast<uint64_t>(__builtin_thread_pointer()));
        preload::PythonRuntime runtime;
        runtime.layout = layout;
        runtime.runtime = runtime_ = block(runtime_words);
        runtime.code_type = block();
        runtime.string_type = block();
        runtime.bytes_type = block();
        runtime.this_thread_state = [] { return reinterpret_cast<void*>(thread_state); };
        preload::adopt_python(runtime, version(minor).c_str());
        if (layout.thread_cframe != preload::PythonLayout::none) {
            root_cframe_ = block();
            put(thread_state + layout.thread_cframe, root_cframe_);
        }
        if (layout.runtime_interpreters != preload::PythonLayout::none) {
            put(runtime_ + layout.runtime_interpreters, 1);
            put(runtime_ + layout.runtime_interpreters + 8, 1);
        }
    }
    ~MadePython() {
        preload::forget_python();
        preload::forget_all_python_codes();
    }
    MadePython(const MadePython&) = delete;
    MadePython& operator=(const MadePython&) = delete;

    static std::string version(uint32_t minor) {
        return "3." + std::to_string(minor) + ".1 (main)";
    }

    uint64_t string(const std::string& text) {
        const uint64_t at = block(text.size() / 8 + 16);
        put(at + layout.object_type, preload::python.string_type);
        put(at + layout.string_length, text.size());
        put(at + layout.string_state, 1 << 2 | 1 << 5 | 1 << 6);
        std::memcpy(reinterpret_cast<void*>(at + layout.string_ascii), text.data(), text.size());
        return at;
    }

    uint64_t bytes(size_t size) {
        const uint64_t at = block(size / 8 + 16);
        put(at + layout.object_type, preload::python.bytes_type);
        put(at + layout.bytes_length, size);
        std::memset(reinterpret_cast<void*>(at + layout.bytes_data), 7, size);
        return at;
    }

    // Makes a code object with room for a hundred instructions, at `at` if given.
    uint64_t code(const std::string& name, const std::string& file, uint64_t at = 0) {
        if (at == 0) at = block(128);
        put(at + layout.object_type, preload::python.code_type);
        put(at + layout.code_name, string(name));
        put(at + layout.code_file, string(file));
        put(at + layout.code_lines, bytes(10));
        put_half(at + layout.code_first_line, 17);
        if (layout.instruction == preload::PythonInstruction::pointer) {
            put(at + layout.bytes_length, 100);
        } else {
            put(at + layout.code_instructions, bytes(200));
        }
        return at;
    }

    // Adds a new innermost frame. `in_new_loop` means that the evaluation loop was called anew.
    uint64_t push(uint64_t code, int32_t index, bool in_new_loop) {
        uint64_t outer = frames_.empty() ? 0 : frames_.back();
        const auto chain = layout.chain;
        if (chain == preload::PythonChain::shims && in_new_loop) {
            const uint64_t shim = loop();
            put(shim + layout.frame_back, outer);
            put_byte(shim + layout.frame_owner, 3);
            outer = shim;
        }
        const uint64_t frame = block();
        frames_.push_back(frame);
        put(frame + layout.frame_back, outer);
        put(frame + layout.frame_code, code);
        set_index(frame, code, index);
        const bool has_cframe = chain == preload::PythonChain::frame_cframes ||
                                (chain == preload::PythonChain::cframes && in_new_loop);
        if (has_cframe) {
            const uint64_t cframe = loop();
            put(cframe + layout.cframe_previous, get(thread_state + layout.thread_cframe));
            put(thread_state + layout.thread_cframe, cframe);
        }
        if (chain == preload::PythonChain::cframes) {
            put_byte(frame + layout.frame_is_entry, in_new_loop ? 1 : 0);
        }
        set_top(frame);
        return frame;
    }

    // Makes the innermost frame return. Its loop stays, as if it continued with the next frame.
    void pop_within_loop() {
        frames_.pop_back();
        set_top(frames_.empty() ? 0 : frames_.back());
    }

    void set_index(uint64_t frame, uint64_t code, int32_t index) {
        const uint64_t at = frame + layout.frame_instruction;
        switch (layout.instruction) {
            case preload::PythonInstruction::byte_offset:
                put_half(at, static_cast<uint32_t>(index < 0 ? -1 : 2 * index));
                break;
            case preload::PythonInstruction::unit_offset:
                put_half(at, static_cast<uint32_t>(index));
                break;
            case preload::PythonInstruction::pointer:
                put(at,
                    code + layout.code_instructions + static_cast<uint64_t>(2 * int64_t{index}));
                break;
        }
    }

    void set_finalizer(uint64_t state) { put(runtime_ + layout.runtime_finalizing, state); }

    // Up to 3.11: sets the holder of the GIL, in a process with several interpreters.
    void set_holder(uint64_t state) {
        put(runtime_ + layout.runtime_interpreters, 2);
        put(runtime_ + layout.runtime_current, state);
    }

    // Returns a state that this thread has in another interpreter, with the frames of the first.
    uint64_t another_state() {
        const uint64_t state = block();
        std::memcpy(pointer(state), pointer(thread_state), 512);
        const uint64_t cframe = block();
        std::memcpy(pointer(cframe), pointer(get(state + layout.thread_cframe)), 64);
        put(state + layout.thread_cframe, cframe);
        return state;
    }

    static void put(uint64_t at, uint64_t value) { std::memcpy(pointer(at), &value, 8); }
    static void put_half(uint64_t at, uint32_t value) { std::memcpy(pointer(at), &value, 4); }
    static void put_byte(uint64_t at, uint8_t value) { std::memcpy(pointer(at), &value, 1); }
    static uint64_t get(uint64_t at) { return preload::word_at(at); }

    preload::PythonLayout layout;
    static inline uint64_t thread_state = 0;

private:
    static void* pointer(uint64_t at) { return reinterpret_cast<void*>(at); }

    // The runtime's state is larger than the other objects read here.
    static constexpr size_t runtime_words = 256;

    uint64_t block(size_t words = 64) {
        blocks_.push_back(std::make_unique<uint64_t[]>(words));
        return reinterpret_cast<uint64_t>(blocks_.back().get());
    }

    // Returns a place on this thread's stack for the next inner evaluation loop. This object lies
    // there.
    uint64_t loop() { return reinterpret_cast<uint64_t>(loops_ + loop_words * --loops_left_); }

    void set_top(uint64_t frame) {
        if (layout.thread_frame != preload::PythonLayout::none) {
            put(thread_state + layout.thread_frame, frame);
        } else {
            put(get(thread_state + layout.thread_cframe) + layout.cframe_frame, frame);
        }
    }

    static constexpr size_t loop_words = 16;
    static constexpr size_t loops_max = 256;

    std::vector<std::unique_ptr<uint64_t[]>> blocks_;
    std::vector<uint64_t> frames_;
    uint64_t runtime_ = 0;
    uint64_t root_cframe_ = 0;
    size_t loops_left_ = loops_max;
    uint64_t loops_[loop_words * loops_max] = {};
};

}  // namespace memtrace::test
