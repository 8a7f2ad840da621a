// SPDX-License-Identifier: Apache-2.0
//
// A dump at some moment of its replay, with everything that reports may need later: the Replay, the
// phases, the slices. The moment can be stored and come back to, in another process:
//
//   compact     file ─► CompactRun ─ replay_until(moment) ─ store() ─►  section `past`
//   any report  section `past` ─ restore() ─► CompactRun ─ the events that are left ─► Model
//
// It may be stored, restored and gone on with again and again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/base/progress.h"
#include "analyzer/base/tick_clock.h"
#include "analyzer/compact/scoped_blocks.h"
#include "analyzer/model/model.h"
#include "analyzer/phases/phase_list.h"
#include "analyzer/reader/dump_index.h"
#include "analyzer/reader/event.h"
#include "analyzer/reader/packed_state.h"
#include "analyzer/reader/past.h"
#include "analyzer/replay/replay.h"
#include "analyzer/replay/run_slices.h"
#include "analyzer/replay/slice_plan.h"

namespace memtrace::analyzer {

// How the run is cut into slices. Part of what is stored.
struct CompactPlan {
    SliceOptions slices;
    SourceLoops loops;
    // The recording went on when it was planned, so nobody knew where its middle would be.
    bool has_open_end = false;
};

// The newest event of a lane that a run has: its time, in ticks, and the number of events of that
// time. Times in a lane never fall, so this tells which events of a lane are known.
struct KnownEvents {
    uint64_t time = 0;
    uint64_t count = 0;
};

// Returns the key (event.h) up to which events are older than this tick.
constexpr uint64_t key_before(uint64_t tick) { return tick == 0 ? 0 : last_key(tick - 1); }

class CompactRun {
public:
    // `file`, `index` and `problems` must outlive the object.
    CompactRun(const DumpFile& file, const DumpIndex& index, Problems& problems, CompactPlan plan);
    ~CompactRun();
    CompactRun(const CompactRun&) = delete;
    CompactRun& operator=(const CompactRun&) = delete;

    // The middle of the recording, as a report of the whole dump has it. Call it first.
    void set_half();
    // For a dump that still grows: its lanes come one by one, behind those of the index.
    void add_lane(const LaneSections& lane);
    void set_grows(bool grows);

    // Replays the events up to this key (event.h).
    void replay_until(uint64_t key, const Progress& progress = {});

    // Calls see(lane, event, step of the plan's loop) for each event, before it is replayed.
    using See = std::function<void(size_t lane, const Event& event, LoopSteps::Step step)>;
    void set_look(See see);

    Replay& replay();
    // The clock of the whole recording, settled: also with what was not replayed yet. Its records
    // come at their times, and until then the length of a tick is an estimate.
    TickClock whole_clock();
    // What is known of phases and steps. Not after observe().
    AllPhases& phases();
    const RunSlicer& slicer() const;
    const CompactPlan& plan() const;
    // From here on another observer follows, in place of the list of all phases, which it returns.
    // store() cannot be called any more.
    std::unique_ptr<PhaseObserver> observe(std::unique_ptr<PhaseObserver> phases);

    // The number of times that a lane went on with an event older than one that was replayed.
    uint64_t late() const;
    // Blocks that threads acquired while they said that searches should leave theirs out.
    const ScopedBlocks& left_out() const;

    // What is known of a lane, by its place in the index.
    KnownEvents known(size_t lane) const;
    // The time of the oldest record of the lane that is still needed to go on, in ticks. A resize
    // has an effect at its beginning and another one at its end.
    uint64_t needed_since(size_t lane) const;

    // Returns the state of now.
    PackedState store();
    // Goes on where store() was called. The lanes say what is known of them. Throws BadArchive, and
    // Error if the state cannot be unpacked.
    void restore(const Past& past);
    // Reads the plan at the beginning of a state. Throws the same.
    static CompactPlan plan_of(const Past& past, const DumpFile& file);

    // Makes the Model of what was replayed. The object is of no more use.
    Model finish();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace memtrace::analyzer
