// SPDX-License-Identifier: Apache-2.0
//
// The order of events across threads, without a fence for most events.
//
// For each address, stamps must be in the order in which things happened, although acquisition
// and release may be on different threads. So a stamp must not be taken before the preceding
// loads are done: it could be older than the acquisition of a pointer that such a load receives.
// A fence waits for the loads, and for everything else that the processor has begun. In a program
// that mostly allocates, the fence costs more than the rest of the stamp.
//
// Most programs have one thread that does nearly all of the work. Its lane is the favoured lane.
// It omits the fence while no other thread has recorded anything since its last fence: everything
// that the others recorded before is older than that fence's stamp, and stamps of a lane never
// decrease. The other threads always wait, and count their events in `events_of_others_`, after
// the stamp and before any thread can see the block of the event. Loads are not reordered with
// loads, so a thread that has received their pointer sees their count, too.
#pragma once

#include <atomic>
#include <cstdint>

namespace memtrace::preload {

class Lane;

class StampOrder {
public:
    // Called when the lane begins to be used. The first lane becomes the favoured lane.
    static void join(Lane& lane);

    // Called when a thread moves to another lane.
    static void move(Lane& from, Lane& to);

    // Forgets all lanes. A forked child has none of them.
    static void forget_all();

    // True if a stamp of this lane must wait for the preceding loads. Must be called after the
    // event's pointer was received.
    static bool has_to_wait(const Lane& lane) {
        if (favoured_.load(std::memory_order_acquire) != &lane) return true;
        const uint64_t others = events_of_others_.load(std::memory_order_acquire);
        if (others == seen_) [[likely]]
            return false;
        seen_ = others;
        return true;
    }

    // Called when events of this lane have been stamped and are about to become visible to other
    // threads. nullptr for a thread without a lane.
    static void publish(const Lane* lane) {
        const Lane* const favoured = favoured_.load(std::memory_order_acquire);
        if (favoured == lane || favoured == nobody()) return;
        count_event_of_others();
    }

private:
    // The value of favoured_ when no lane is favoured any more, because several threads work.
    static Lane* nobody() { return reinterpret_cast<Lane*>(uintptr_t{1}); }
    static void count_event_of_others();

    alignas(64) static std::atomic<Lane*> favoured_;  // nullptr until there is a lane
    static uint64_t seen_;  // of events_of_others_; only the favoured lane's thread uses it
    alignas(64) static std::atomic<uint64_t> events_of_others_;
};

}  // namespace memtrace::preload
