// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/stamp_order.h"

#include "preload/base/hot_data.h"
#include "preload/writer/lane.h"

namespace memtrace::preload {

MEMTRACE_HOT_DATA alignas(64) std::atomic<Lane*> StampOrder::favoured_{nullptr};
MEMTRACE_HOT_DATA uint64_t StampOrder::seen_ = ~uint64_t{0};
MEMTRACE_HOT_DATA alignas(64) std::atomic<uint64_t> StampOrder::events_of_others_{0};

namespace {

// Acquisitions of the favoured lane at the last look.
std::atomic<uint64_t> acquisitions_seen{0};

}  // namespace

void StampOrder::join(Lane& lane) {
    Lane* none = nullptr;
    favoured_.compare_exchange_strong(none, &lane);
}

void StampOrder::move(Lane& from, Lane& to) {
    Lane* expected = &from;
    favoured_.compare_exchange_strong(expected, &to);
}

void StampOrder::forget_all() {
    favoured_.store(nullptr);
    seen_ = ~uint64_t{0};
    events_of_others_.store(0);
    acquisitions_seen.store(0);
}

// Favouring one lane costs the other threads a word that they all write. It pays only if they do
// little compared with the favoured lane.
void StampOrder::count_event_of_others() {
    constexpr uint64_t look_after = 4096;
    constexpr uint64_t favoured_share_min = 8;
    const uint64_t events = events_of_others_.fetch_add(1, std::memory_order_seq_cst);
    if ((events + 1) % look_after != 0) return;
    Lane* favoured = favoured_.load(std::memory_order_acquire);
    if (favoured == nullptr || favoured == nobody()) return;
    const uint64_t acquisitions = __atomic_load_n(&favoured->acquisitions(), __ATOMIC_RELAXED);
    const uint64_t seen = acquisitions_seen.exchange(acquisitions, std::memory_order_relaxed);
    if (acquisitions - seen < favoured_share_min * look_after) {
        favoured_.compare_exchange_strong(favoured, nobody());
    }
}

}  // namespace memtrace::preload
