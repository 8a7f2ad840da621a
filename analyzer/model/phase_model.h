// SPDX-License-Identifier: Apache-2.0
//
// Figures of phases: part of the Model.
//
// A phase is open from the beginning of its first occurrence until the last open occurrence ends.
// Nothing counts twice if a name begins inside itself, or in several threads at the same time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memtrace::analyzer {

// Figures of one phase in one space.
struct PhaseFigures {
    uint64_t allocations = 0;  // while the phase was open, by any thread; also the next two
    uint64_t frees = 0;
    uint64_t allocated_bytes = 0;
    uint64_t peak_bytes = 0;  // the most that was alive while the phase was open
    uint64_t peak_time_ns = 0;
    uint64_t begin_bytes = 0;  // alive when the phase first began
    uint64_t end_bytes = 0;    // alive when the phase last ended
    uint64_t kept_blocks = 0;  // acquired while the phase was open and alive when it ended
    uint64_t kept_bytes = 0;
    uint64_t leaked_blocks = 0;  // part of those: alive at the end of the recording
    uint64_t leaked_bytes = 0;
};

struct PhaseInfo {
    std::string name;
    bool is_mark = false;  // a moment; its figures are those of what was alive then
    bool open = false;     // It has no end of its own and ends with the recording.
    uint64_t occurrences = 0;
    uint32_t depth = 0;  // open phases of the same thread when it first began
    uint64_t first_begin_ns = 0;
    uint64_t duration_ns = 0;
    std::vector<std::pair<std::string, PhaseFigures>> spaces;  // in the order of Model::spaces
};

// The part of the recording that counts (--from, --to).
struct AskedRange {
    std::string from;  // as typed; empty: from the start of the recording
    std::string to;    // as typed; empty: to its end
    uint64_t begin_ns = 0;
    uint64_t end_ns = 0;
    // Where `from` or `to` is a step: the name of its mark, or of the loop. "step 3" is the third
    // step, and a program that counts from 0 calls it "step 2".
    std::string from_step = {};
    std::string to_step = {};
};

struct PhaseList {
    std::vector<PhaseInfo> phases;    // in the order of first_begin_ns
    uint64_t unpaired_ends = 0;       // ends without a begin
    std::optional<AskedRange> range;  // All figures are those of the phases inside this range.
};

// The only phase or range that a Model contains. All figures of its spaces and sites are those of
// the phase, and `live` is what the phase left (kept_* above).
struct AskedPhase {
    std::string asked;  // as typed; empty: a range without a phase
    bool open = false;
    uint64_t occurrences = 0;
    uint64_t first_begin_ns = 0;
    uint64_t duration_ns = 0;
    std::optional<AskedRange> range;  // With a phase: the part of the phase inside this range.

    const char* noun() const { return asked.empty() ? "range" : "phase"; }
};

}  // namespace memtrace::analyzer
