// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cuda_callback_context.h"

#include <atomic>

namespace memtrace::preload::cuda {
namespace {

struct Place {
    std::atomic<bool> is_taken{false};
    bool is_set = false;
    CallbackContext all;
};
Place places[callback_places + 1];

}  // namespace

unsigned take_callback_place() {
    for (unsigned i = 1; i <= callback_places; ++i) {
        if (places[i].is_taken.load(std::memory_order_relaxed)) continue;
        if (places[i].is_taken.exchange(true, std::memory_order_acquire)) continue;
        thread_state.callback_place = static_cast<uint8_t>(i);
        return i;
    }
    return 0;
}

void give_callback_place() {
    const unsigned place = callback_place();
    thread_state.callback_place = 0;
    if (place != 0) places[place].is_taken.store(false, std::memory_order_release);
}

const CallbackContext* callback_context() {
    const Place& place = places[callback_place()];
    return place.is_set ? &place.all : nullptr;
}

// A thread without a place stores nothing, because all threads share place 0.
CallbackScope::CallbackScope(const CallbackContext& all) {
    if (callback_place() == 0) return;
    places[callback_place()].all = all;
    places[callback_place()].is_set = true;
}

CallbackScope::~CallbackScope() {
    if (callback_place() != 0) places[callback_place()].is_set = false;
}

}  // namespace memtrace::preload::cuda
