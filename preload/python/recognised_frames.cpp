// SPDX-License-Identifier: Apache-2.0
#include "preload/python/recognised_frames.h"

#include "preload/base/sys.h"

namespace memtrace::preload {

void RecognisedFrames::take(const BumpArena& arena, const CachedPythonStack& stack) {
    misses_ = 0;
    if (stack.length > depth_max) return;
    if (frames_ == nullptr) {
        void* const pages = sys::map_private(depth_max * (sizeof *frames_ + sizeof *places_));
        if (pages == nullptr) return;
        frames_ = static_cast<PythonFrame*>(pages);
        places_ = reinterpret_cast<uint16_t*>(frames_ + depth_max);
    }
    uint16_t place = arena.place_of(stack);
    for (const auto* one = &stack; one->length != 0;
         place = one->outer, one = &arena.at<CachedPythonStack>(place)) {
        frames_[one->length - 1] = one->frame;
        places_[one->length - 1] = place;
    }
    count_ = stack.length;
    in_clears_ = arena.clears();
}

}  // namespace memtrace::preload
