// SPDX-License-Identifier: Apache-2.0
//
// What phases come to: part of the Model.
//
// A phase is open from the moment when its first occurrence begins to the one when the last that
// is open ends. So a name that is begun inside of itself, or by several threads at a time, counts
// nothing twice.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace memtrace::analyzer {

// Of one phase in one space.
struct PhaseFigures {
    uint64_t allocations = 0;  // while it was open, by any thread; so are the next two
    uint64_t frees = 0;
    uint64_t allocated_bytes = 0;
    uint64_t peak_bytes = 0;  // the most that was alive while it was open, whoever acquired it
    uint64_t peak_time_ns = 0;
    uint64_t begin_bytes = 0;  // alive when it began for the first time
    uint64_t end_bytes = 0;    // and when it ended for the last time
    uint64_t kept_blocks = 0;  // acquired while it was open, and alive when it ended
    uint64_t kept_bytes = 0;
    uint64_t leaked_blocks = 0;  // of these: alive at the end of the recording
    uint64_t leaked_bytes = 0;
};

struct PhaseInfo {
    std::string name;
    bool is_mark = false;  // a moment: its figures say what was alive then
    bool open = false;     // It was not ended; it ends with the recording.
    uint64_t occurrences = 0;
    uint32_t depth = 0;  // phases that the same thread had begun, the first time
    uint64_t first_begin_ns = 0;
    uint64_t duration_ns = 0;
    std::vector<std::pair<std::string, PhaseFigures>> spaces;  // of the recording, in its order
};

struct PhaseList {
    std::vector<PhaseInfo> phases;  // in the order of first_begin_ns
    uint64_t unpaired_ends = 0;     // of nothing that had begun
};

// The phase that a Model is about: all figures of spaces and sites are its own, and `live` is what
// it left (kept_* above).
struct AskedPhase {
    std::string asked;  // as typed
    bool open = false;
    uint64_t occurrences = 0;
    uint64_t first_begin_ns = 0;
    uint64_t duration_ns = 0;
};

}  // namespace memtrace::analyzer
