// SPDX-License-Identifier: Apache-2.0
//
// Turns the path of a dump into the Model that reports read. This is the only entry to the first
// half of the analyzer.
//
// Throws Error if nothing can be read (no such file, not a dump, a newer version). All other
// problems, including damage, are stored in the Model: problems, notes and `damaged`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/base/progress.h"
#include "analyzer/base/tick_clock.h"
#include "analyzer/model/model.h"
#include "analyzer/phases/phase_observer.h"
#include "analyzer/reader/known_nodes.h"
#include "analyzer/replay/loop_steps.h"
#include "analyzer/replay/slice_plan.h"
#include "analyzer/watch/tensor_request.h"
#include "analyzer/watch/watch_request.h"

namespace memtrace::analyzer {

// Parts of the Model that not every report needs. They cost nothing if not requested.
struct LoadOptions {
    PhaseRequest phases;
    // Cuts the run into slices and keeps the history of each site (site_history.h).
    std::optional<SliceOptions> slices;
    // The loop whose iterations "step 12" of a range counts if the program marks no steps. Null: it
    // has none, and `why_no_loop` says why.
    std::shared_ptr<const LoopTurns> loop;
    std::string why_no_loop;
    // Only memory that these threads acquire counts: names with *, or numbers. The sites of other
    // threads are marked (Space::left_out). This reads the dump twice, like a range of phases.
    std::vector<std::string> threads;
    // Watches every change of every space (Model::watch).
    WatchRequest watch;
    // Follows tensors instead of everything else above (RunWatch::tensors).
    TensorRequest tensors;
    // The loop whose steps are noted in `step_times`; null: not requested. Of a run that is cut at
    // the steps of a loop, it is that loop.
    std::shared_ptr<const LoopTurns> times_of;
    std::shared_ptr<StepTimes> step_times;
    // What earlier passes over the dump left for this one, and this one for later ones; null: there
    // are none.
    std::shared_ptr<NodeMemo> nodes;
};

class DumpFile;
class Problems;
class Replay;
struct DumpIndex;

// The last step of reading a dump: what the replay found, what the file's header says, and all
// problems, become one Model.
Model finish_model(Replay& replay, const DumpFile& file, Problems& problems);

// Returns the clock of the whole recording, which its records give only at their times.
TickClock look_at_clock(const DumpFile& file, const DumpIndex& index);

// Tells the replay the middle of the recording. Call before the first event.
void set_half(const DumpIndex& index, Replay& replay);

// After a ring's head there may be an unfinished record if the thread was killed while it wrote. A
// thread that had finished cannot have left one. Call after the last event.
void check_ring_ends(const DumpFile& file, const DumpIndex& index, Replay& replay,
                     Problems& problems);

// `path` may be "-" or a pipe. The dump is then read into memory.
Model load_dump(const std::string& path, const Progress& progress = {},
                const LoadOptions& options = {});

}  // namespace memtrace::analyzer
