// SPDX-License-Identifier: Apache-2.0
//
// A dump that is followed while its program writes it. Each look() replays what came since the last
// one, so a look costs what the program did meanwhile, however long it has run.
//
//   the program   ring ─► chunk ─► file
//   look()        DumpFollower ─► EventStream ─► Replay           again and again
//   for_each_space()                              └► what each call site holds now
//   finish()                                      └► the Model of this moment
//
// An event is stamped a little before it is in the file. So look() leaves the newest fifth of a
// second for the next look, and finish() does not.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/spaces/peak_tracker.h"

namespace memtrace::analyzer {

class LiveDump {
public:
    // Throws Error if there is nothing to read.
    explicit LiveDump(std::string path);
    ~LiveDump();
    LiveDump(const LiveDump&) = delete;
    LiveDump& operator=(const LiveDump&) = delete;

    // Reads what was written since the last call. When the program has ended, all that is left.
    void look();

    bool is_running() const;  // at the last look
    // True if the newest events of each thread lie in memory of the program, so that they are not
    // in the figures.
    bool lags() const;

    // Calls each(counter, is_estimate) for each space that has call sites.
    void for_each_space(const std::function<void(const SpaceCounter&, bool)>& each) const;

    // The process, and the samples and marks so far, whose times are in ticks.
    const Model& so_far() const;
    // Times that were not recorded, so far.
    std::vector<RecordingGap> gaps() const;
    uint64_t now_ns() const;      // of the last look, from the start of the recording
    uint64_t dump_bytes() const;  // at the last look

    // Returns the Model of the moment of the last look. The object is of no more use: call this in
    // a process of its own (child_job.h).
    Model finish();

private:
    struct Reading;

    void read_anew();

    std::string path_;
    std::unique_ptr<Reading> reading_;
    uint64_t anew_next_ns_ = 0;  // The dump is read anew not before this, on the monotonic clock.
};

}  // namespace memtrace::analyzer
