// SPDX-License-Identifier: Apache-2.0
//
// A dump at some moment of its replay, with everything that reports may need later: the Replay, the
// phases, the slices. The moment can be stored and come back to, in another process:
//
//   compact     file ─► CompactRun ─ replay_until(moment) ─ store() ─►  section `past`
//   any report  section `past` ─ restore() ─► CompactRun ─ the events that are left ─► Model
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/base/progress.h"
#include "analyzer/model/model.h"
#include "analyzer/reader/dump_index.h"
#include "analyzer/replay/slice_plan.h"

namespace memtrace::analyzer {

// How the run is cut into slices. Part of what is stored.
struct CompactPlan {
    SliceOptions slices;
    SourceLoops loops;
};

class CompactRun {
public:
    // `file`, `index` and `problems` must outlive the object.
    CompactRun(const DumpFile& file, const DumpIndex& index, Problems& problems, CompactPlan plan);
    ~CompactRun();
    CompactRun(const CompactRun&) = delete;
    CompactRun& operator=(const CompactRun&) = delete;

    // The middle of the recording, as a report of the whole dump has it. Call it first.
    void set_half();

    // Replays the events up to this key (event.h).
    void replay_until(uint64_t key, const Progress& progress = {});
    // The time of the oldest record of the lane that still has an effect after the moment, in
    // ticks. A resize has one at its end.
    uint64_t needed_since(size_t lane) const;

    // Returns the state of now.
    std::string store();
    // Goes on where store() was called. The index has that moment. Throws BadArchive.
    void restore(std::string_view state);
    // Reads the plan at the beginning of a state. Throws BadArchive.
    static CompactPlan plan_of(std::string_view state);

    // Replays what is left. The object is of no more use.
    Model finish(const Progress& progress = {});

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace memtrace::analyzer
