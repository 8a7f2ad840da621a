// SPDX-License-Identifier: Apache-2.0
//
// What a Replay knows between two events, for archive.h.
#pragma once

#include "analyzer/compact/model_state.h"
#include "analyzer/replay/replay.h"

namespace memtrace::analyzer {

struct ReplayState {
    static void state(auto& replay, auto& each) {
        each(replay.clock_, replay.model_, replay.join_, replay.threads_);
        each(replay.heap_, replay.heap_sample_, replay.maps_, replay.objects_,
             replay.gone_with_arenas_, replay.sizes_, replay.gpu_, replay.host_);
        each(replay.gaps_, replay.python_, replay.backwards_, replay.libraries_,
             replay.last_library_, replay.walks_, replay.python_walks_);
        each(replay.events_, replay.first_time_, replay.last_time_, replay.now_, replay.forks_,
             replay.marks_, replay.mark_bytes_, replay.samples_, replay.unsound_nodes_,
             replay.nodes_, replay.far_nodes_);
        each(replay.end_, replay.end_lane_, replay.went_on_, replay.work_end_, replay.next_moment_,
             replay.half_, replay.has_passed_half_, replay.cut_resizes_, replay.lost_);
    }
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
