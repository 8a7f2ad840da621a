// SPDX-License-Identifier: Apache-2.0
//
// How the resident set of the process went on while it worked, from the samples of the kernel's
// count. The memory of a machine is used up by resident pages, and not by what a program holds: a
// heap that is pinned by small blocks grows although little is held.
//
// memtrace's own pages are resident, too, and grow with what it has to remember. They are measured
// now and then, so the trend is that of the program alone. Where they were never measured (an older
// dump), they are in it, and reports say so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

// Judged over the last half of the work.
struct ResidentTrend {
    // Why nothing can be told; empty: it can.
    std::string not_known;
    uint64_t since_ns = 0;
    uint64_t until_ns = 0;
    uint64_t at_start = 0;                 // bytes resident at the first sample of the work
    uint64_t now = 0;                      // bytes resident at the last sample, with memtrace's
    std::optional<uint64_t> own_at_start;  // memtrace's part of these; nothing: not measured
    std::optional<uint64_t> own_now;
    // True if it rises steadily to new heights: what it never falls below has a slope above 0 with
    // 95 % confidence, ends as high as it ever was, and rose by more than a trifle.
    bool rises = false;
    double bytes_per_hour = 0;  // median of all slopes between two samples (Theil and Sen)
    double low = 0;             // bounds of this with 95 % confidence
    double high = 0;
};

ResidentTrend resident_trend(const Model& model);

// Returns a clause about memtrace's part: "of it memtrace's own pages 30.1 MiB, 2.0 MiB more than
// at the start", or that it is not known. Empty if nothing is known of the resident set.
std::string own_part_text(const ResidentTrend& trend);

}  // namespace memtrace::analyzer
