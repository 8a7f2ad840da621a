// SPDX-License-Identifier: Apache-2.0
#include "tests/unwind/truth/truth_recognise.h"

#include "preload/base/sys.h"

namespace truth {

namespace preload = memtrace::preload;

namespace {

constexpr uint64_t unit_bytes = 16;
constexpr uint64_t bytes_max = uint64_t{64} << 20;
constexpr uint32_t no_rest = 0;

}  // namespace

bool KnownStack::is(const preload::StackMemo& memo) const {
    bool same = length == memo.length && end == memo.end;
    for (uint32_t i = 0; same && i < length; ++i) {
        const preload::StackFrame& frame = memo.frames[memo.length - 1 - i];
        same = frames[i].pc == frame.pc && frames[i].kind == frame.kind;
    }
    return same;
}

const KnownStack* Recogniser::find(const void* frame) {
    const preload::CachedStack* const known =
        stack_cache_.find(frame, [](uint32_t rest) { return rest == no_rest; });
    if (known == nullptr) return nullptr;
    return reinterpret_cast<const KnownStack*>(stacks_ + known->id * unit_bytes);
}

void Recogniser::add(const void* frame, const preload::StackMemo& memo) {
    const uint32_t id = keep(memo);
    if (id == 0) return;
    stack_cache_.never_pause();
    for (int times = 0; times < 4; ++times) {
        if (!stack_cache_.is_wanted(id)) continue;
        stack_cache_.add(id, frame, memo, no_rest);
        return;
    }
}

// The id of a copy; 0 if there is no memory.
uint32_t Recogniser::keep(const preload::StackMemo& memo) {
    if (stacks_ == nullptr) {
        stacks_ = static_cast<char*>(preload::sys::map_private(bytes_max));
        if (stacks_ == nullptr) return 0;
    }
    const uint64_t bytes = sizeof(KnownStack) + memo.length * sizeof(KnownStack::Frame);
    if (next_ * unit_bytes + bytes > bytes_max) {
        stack_cache_.clear();
        next_ = 1;
    }
    const auto id = static_cast<uint32_t>(next_);
    next_ += (bytes + unit_bytes - 1) / unit_bytes;
    auto& copy = *reinterpret_cast<KnownStack*>(stacks_ + id * unit_bytes);
    copy.end = memo.end;
    copy.length = memo.length;
    for (uint32_t i = 0; i < memo.length; ++i) {
        const preload::StackFrame& frame = memo.frames[memo.length - 1 - i];
        copy.frames[i] = {frame.pc, frame.kind};
    }
    return id;
}

}  // namespace truth
