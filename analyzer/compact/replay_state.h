// SPDX-License-Identifier: Apache-2.0
//
// What a Replay knows between two events, for archive.h.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "analyzer/compact/model_state.h"
#include "analyzer/model/known_modules.h"
#include "analyzer/replay/replay.h"

namespace memtrace::analyzer {

struct ReplayState {
    static void state(auto& replay, auto& each) {
        each(replay.clock_, replay.model_, replay.known_.join, replay.threads_);
        each(replay.heap_, replay.heap_sample_, replay.maps_, replay.objects_,
             replay.gone_with_arenas_, replay.sizes_, replay.gpu_, replay.host_);
        each(replay.gaps_, replay.python_, replay.backwards_, replay.libraries_,
             replay.last_library_, replay.walks_, replay.python_walks_);
        each(replay.events_, replay.first_time_, replay.last_time_, replay.now_, replay.forks_,
             replay.marks_, replay.mark_bytes_, replay.samples_, replay.known_.unsound,
             replay.known_.count, replay.known_.far);
        each(replay.end_, replay.end_lane_, replay.went_on_, replay.work_end_, replay.next_moment_,
             replay.half_, replay.has_passed_half_, replay.cut_resizes_, replay.lost_);
        if constexpr (std::remove_reference_t<decltype(each)>::reads) {
            for (const auto& [id, module] : replay.model_.stacks.modules)
                if (is_shim_module(module.path)) replay.known_.join.leave_out(id);
        }
    }
    // From here on another observer follows, in place of the one before, which it returns. It knows
    // nothing of what is alive: see tell_what_is_alive().
    static std::unique_ptr<PhaseObserver> observe(Replay& replay,
                                                  std::unique_ptr<PhaseObserver> phases) {
        phases->follow(replay);
        std::unique_ptr<PhaseObserver> before = std::exchange(replay.phases_, std::move(phases));
        replay.gpu_.observe(*replay.phases_);
        replay.for_each_counter([&](SpaceCounter& counter) {
            counter.set_observer(replay.phases_->observe(counter.name()));
        });
        return before;
    }
    // Tells the observers of all spaces what is alive.
    static void tell_what_is_alive(Replay& replay) {
        const auto listen = [&](bool is_on) {
            replay.for_each_counter([&](SpaceCounter& counter) {
                counter.set_listener(is_on ? counter.observer() : nullptr);
            });
        };
        listen(true);
        replay.count_births();
        listen(false);
        replay.gpu_.for_each_space([&](GpuSpace& space) { space.tell_groups(); });
    }
    // Only this part counts, and it has begun or not. The middle of the run does not matter then.
    static void limit(Replay& replay, const RangeMoments& moments, bool has_begun) {
        replay.range_.emplace(moments, *replay.phases_, has_begun);
        replay.next_moment_ = replay.range_->next_time();
        replay.half_ = RangeCursor::never;
        replay.has_passed_half_ = false;
    }
    // Number of marks so far, the latest time, and when the work ended.
    static uint64_t marks(const Replay& replay) { return replay.marks_; }
    static uint64_t last_time(const Replay& replay) { return replay.last_time_; }
    static const WorkEndChoice& work_end(const Replay& replay) { return replay.work_end_; }

    // False if numbers in it point to nothing. An archive may say anything.
    static bool is_sound(Replay& replay, const RunHistory& history) {
        bool is_sound = replay.heap_.is_sound() && replay.heap_sample_.is_sound() &&
                        replay.maps_.is_sound() && replay.objects_.is_sound() &&
                        replay.threads_.is_sound() && replay.gpu_.is_sound();
        replay.for_each_counter([&](const SpaceCounter& counter) {
            is_sound &= history.are_below(counter.history_index(), counter.site_count()) &&
                        counter.has_backward_below(replay.backwards_.count());
        });
        return is_sound;
    }
};

}  // namespace memtrace::analyzer
