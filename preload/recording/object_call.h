// SPDX-License-Identifier: Apache-2.0
//
// One call of Python's object allocator, while this thread is in it. If its arenas have no room,
// the allocator calls malloc. Then the block is recorded as malloc's and is no object of the
// arenas. So the hooks of malloc note here which blocks they handed out and took back meanwhile.
//
// An object is such a block if it begins at the block or a little behind it: the allocator of
// PYTHONMALLOC=debug puts a few words in front of each object.
#pragma once

#include <cstdint>

#include "memtrace/dump/records.h"
#include "preload/base/thread_state.h"

namespace memtrace::preload {

class ObjectCall {
public:
    // `layer` tells which of our tables was called (python_objects.h).
    explicit ObjectCall(uint32_t layer) : layer_(layer), outer_(thread_state.object_call) {
        thread_state.object_call = this;
    }
    ~ObjectCall() { thread_state.object_call = outer_; }
    ObjectCall(const ObjectCall&) = delete;
    ObjectCall& operator=(const ObjectCall&) = delete;

    // Announces that the object of `release` is about to be freed.
    void expect(const Release& release) {
        release_ = release;
        has_release_ = true;
    }

    // For the hooks of malloc, which are called inside this call.
    static void note_taken(const void* block) {
        ObjectCall* const call = thread_state.object_call;
        if (call == nullptr) [[likely]]
            return;
        if (call->count_ < taken_max) call->taken_[call->count_++] = number_of(block);
    }
    static void note_given(const void* block) {
        ObjectCall* const call = thread_state.object_call;
        if (call == nullptr) [[likely]]
            return;
        if (call->release_.address - number_of(block) <= in_front_max) call->has_release_ = false;
    }

    // For the hook of munmap. An arena may go with its last object, and the object's end must
    // come before the arena's. Returns nullptr if no object is about to be freed. Like
    // take_release(), it returns the release only once.
    static const Release* release_before_unmap() {
        ObjectCall* const call = thread_state.object_call;
        return call == nullptr ? nullptr : call->take_release();
    }

    // Called after the allocator has returned. Returns the release that is still to be recorded;
    // nullptr if the object was a block of malloc's, or is recorded already.
    const Release* take_release() {
        const bool had = has_release_;
        has_release_ = false;
        return had ? &release_ : nullptr;
    }

    // Called after the allocator has returned. True if the object is a block of malloc's.
    bool is_of_malloc(const void* object) const {
        for (uint32_t i = 0; i < count_; ++i) {
            if (number_of(object) - taken_[i] <= in_front_max) return true;
        }
        return false;
    }

    uint32_t layer() const { return layer_; }

    // Notes that a deeper table of ours was reached.
    void note_reached() { is_reached_ = true; }
    bool is_reached() const { return is_reached_; }

private:
    static uint64_t number_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

    static constexpr uint64_t in_front_max = 64;
    // The object's own block comes first or follows the list of arenas; tracemalloc may add a
    // few.
    static constexpr uint32_t taken_max = 8;

    uint32_t layer_;
    uint32_t count_ = 0;
    bool has_release_ = false;
    bool is_reached_ = false;
    Release release_;
    ObjectCall* outer_;
    uint64_t taken_[taken_max];
};

}  // namespace memtrace::preload
