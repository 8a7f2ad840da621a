// SPDX-License-Identifier: Apache-2.0
//
// The order of events across threads, at the price of the order within one.
//
// For each address stamps must be in the order in which things happened, although acquisition and
// release may be another thread's. So a stamp must not be taken before the loads in front of it are
// done: it could be older than the acquisition of a pointer which such a load receives. A fence
// waits for them, and for everything else that the processor has begun: in a program that mostly
// allocates it costs more than the rest of the stamp.
//
// Most programs have one thread that does nearly all of the work. Its lane is the favoured one. It
// goes without the fence as long as nobody else has recorded anything since its last fence: what
// all others recorded before that is older than that fence's stamp, and stamps of a lane never go
// back. The others always wait, and count their events in `events_of_others`: after the stamp, and
// before anybody can see what the event is about. Loads are not reordered with loads, so whoever
// has received their pointer sees their count, too.
#pragma once

#include <atomic>
#include <cstdint>

namespace memtrace::preload {

class Lane;

class StampOrder {
public:
    // This lane begins to be used. The first one is the favoured one.
    static void join(Lane& lane);

    // A thread moves to another lane.
    static void move(Lane& from, Lane& to);

    // For a forked child: none of the lanes is in it.
    static void forget_all();

    // Whether a stamp of this lane has to wait for what is in front of it. To be asked after what
    // the event is about was received.
    static bool has_to_wait(const Lane& lane) {
        if (favoured_.load(std::memory_order_acquire) != &lane) return true;
        const uint64_t others = events_of_others_.load(std::memory_order_acquire);
        if (others == seen_) [[likely]]
            return false;
        seen_ = others;
        return true;
    }

    // Events of this lane have been stamped, and are about to become visible to other threads.
    // nullptr: of a thread without a lane.
    static void publish(const Lane* lane) {
        const Lane* const favoured = favoured_.load(std::memory_order_acquire);
        if (favoured == lane || favoured == nobody()) return;
        count_event_of_others();
    }

private:
    // Nobody is favoured any more: several threads work.
    static Lane* nobody() { return reinterpret_cast<Lane*>(uintptr_t{1}); }
    static void count_event_of_others();

    alignas(64) static std::atomic<Lane*> favoured_;  // nullptr: there is no lane yet
    static uint64_t seen_;  // of events_of_others_; only the favoured lane's thread uses it
    alignas(64) static std::atomic<uint64_t> events_of_others_;
};

}  // namespace memtrace::preload
