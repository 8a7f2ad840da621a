// SPDX-License-Identifier: Apache-2.0
//
// Reads the frames of a thread, from the innermost outward, as each version links them. The user
// chooses how memory is read: by PlainMemory once the layout is known to be right.
#pragma once

#include <cstdint>

#include "preload/python/python_layout.h"
#include "preload/unwind/stack_reader.h"

namespace memtrace::preload {

struct PythonFrame {
    // The anchor of a frame in the same evaluation loop as the next frame outside.
    static constexpr uint64_t same_loop = 0;
    // 3.8 and 3.9: each frame has a separate loop, in order, but its position is unknown.
    static constexpr uint64_t unknown_loop = ~uint64_t{0};

    uint64_t frame;  // its address, to tell it from other frames
    uint64_t code;
    uint64_t instruction;  // as stored by the interpreter, see python_position()
    uint64_t anchor;       // an address on the C stack, in the frame of its evaluation loop
};

struct PlainMemory {
    __attribute__((no_sanitize("address", "thread"))) static uint64_t word(uint64_t address) {
        return *reinterpret_cast<const uint64_t*>(address);
    }
    __attribute__((no_sanitize("address", "thread"))) static uint32_t half(uint64_t address) {
        return *reinterpret_cast<const uint32_t*>(address);
    }
    __attribute__((no_sanitize("address", "thread"))) static uint8_t byte(uint64_t address) {
        return *reinterpret_cast<const uint8_t*>(address);
    }
};

// Checks with the kernel that every word is readable. An unreadable word reads as 0 and counts as a
// failure. So does reading without end.
class GuardedMemory {
public:
    uint64_t word(uint64_t address) {
        if ((address & 7) == 0 && can_read(address)) return PlainMemory::word(address);
        failed_ = true;
        return 0;
    }
    uint32_t half(uint64_t address) {
        if ((address & 3) == 0 && can_read(address)) return PlainMemory::half(address);
        failed_ = true;
        return 0;
    }
    uint8_t byte(uint64_t address) {
        if (can_read(address)) return PlainMemory::byte(address);
        failed_ = true;
        return 0;
    }
    bool failed() const { return failed_; }

private:
    static constexpr uint32_t reads_max = 100'000;

    bool can_read(uint64_t address) {
        return ++reads_ < reads_max && is_readable(address & ~uint64_t{7});
    }

    uint32_t reads_ = 0;
    bool failed_ = false;
};

template <class Memory>
class PythonFrameReader {
public:
    PythonFrameReader(const PythonLayout& layout, Memory& memory, uint64_t tstate)
        : layout_(layout), memory_(memory) {
        if (layout.thread_cframe != PythonLayout::none) {
            cframe_ = memory.word(tstate + layout.thread_cframe);
        }
        if (layout.thread_frame != PythonLayout::none) {
            frame_ = memory.word(tstate + layout.thread_frame);
        } else if (cframe_ != 0) {
            frame_ = memory.word(cframe_ + layout.cframe_frame);
        }
        if (layout.chain == PythonChain::shims) frame_ = skip_shims(frame_);
    }

    // The frame that take() will return, or 0 if there is none.
    uint64_t frame() const { return frame_; }
    uint64_t cframe() const { return cframe_; }

    uint64_t instruction(uint64_t frame) const {
        const uint64_t address = frame + layout_.frame_instruction;
        return layout_.instruction == PythonInstruction::pointer ? memory_.word(address)
                                                                 : memory_.half(address);
    }

    uint64_t code(uint64_t frame) const {
        return memory_.word(frame + layout_.frame_code) & layout_.frame_code_mask;
    }

    uint64_t back(uint64_t frame) const { return memory_.word(frame + layout_.frame_back); }

    uint64_t skip_shims(uint64_t frame) const {
        while (frame != 0 && is_shim(frame)) frame = back(frame);
        return frame;
    }

    bool is_entry(uint64_t frame) const {
        return memory_.byte(frame + layout_.frame_is_entry) != 0;
    }

    PythonFrame take() {
        PythonFrame now{frame_, code(frame_), instruction(frame_), PythonFrame::same_loop};
        const uint64_t outer = back(frame_);
        switch (layout_.chain) {
            case PythonChain::frame_objects: now.anchor = PythonFrame::unknown_loop; break;
            case PythonChain::frame_cframes: now.anchor = take_cframe(); break;
            case PythonChain::cframes:
                if (is_entry(frame_)) now.anchor = take_cframe();
                break;
            case PythonChain::shims:
                if (outer != 0 && is_shim(outer)) now.anchor = outer;
                break;
        }
        frame_ = layout_.chain == PythonChain::shims ? skip_shims(outer) : outer;
        return now;
    }

    uint64_t take_cframe() {
        if (cframe_ == 0) return PythonFrame::unknown_loop;
        const uint64_t taken = cframe_;
        cframe_ = memory_.word(cframe_ + layout_.cframe_previous);
        return taken;
    }

    void go_to(uint64_t frame, uint64_t cframe) {
        frame_ = frame;
        cframe_ = cframe;
    }

private:
    bool is_shim(uint64_t frame) const {
        return memory_.byte(frame + layout_.frame_owner) >= PythonLayout::shim_owner_min;
    }

    const PythonLayout& layout_;
    Memory& memory_;
    uint64_t frame_ = 0;
    uint64_t cframe_ = 0;
};

}  // namespace memtrace::preload
