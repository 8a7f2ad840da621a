// SPDX-License-Identifier: Apache-2.0
//
// What `check` found in sentences, which all its outputs share. Nothing here is made harmless for a
// terminal or a file format yet: whoever writes it does that.
#pragma once

#include <string>
#include <vector>

#include "analyzer/check/limit_check.h"

namespace memtrace::analyzer {

// "12.0 MiB (12,582,912 bytes), limit 11.0 MiB (…): +10 % on 10.0 MiB before"
std::string verdict_text(const LimitResult& result);

// "1.0 MiB", "1.0 MiB to 1.2 MiB"
std::string band_text(Metric metric, const Band& band);

// What a blamed site had before: "1.0 MiB", "new", "less than 16.0 KiB"; empty without a baseline.
std::string before_text(const LimitResult& result, const Blame& blame);

// "leak (src/a.c:4) has leaked-bytes 1.3 MiB, before: new; host leaked-bytes: …". One line.
std::string blame_sentence(const LimitResult& result, const Blame& blame);

// A suppression that somebody should look at.
struct SuppressionRemark {
    std::string file;
    uint32_t line = 0;
    std::string text;
};

// Those that have expired, and of the user's own those that took nothing.
std::vector<SuppressionRemark> suppression_remarks(const CheckResult& result);

struct SuppressedSum {
    uint64_t blocks = 0;  // alive at the end
    uint64_t bytes = 0;
    uint64_t held_blocks = 0;  // when the work ended
    uint64_t held_bytes = 0;
};
SuppressedSum suppressed_sum(const CheckResult& result);

// "Suppressed, not counted as leaked: 1.0 MiB (…) in 3 blocks", and what was not counted as held
// where a limit is on that. Empty: nothing was.
std::string suppressed_text(const CheckResult& result);

// A result with the dump that it is about, for outputs that are of all dumps together.
struct CheckedDump {
    std::string path;
    CheckResult result;
    // A sentence: why the dump could not be read or judged, and has no result.
    std::string unread{};
};

// "train", or of a dump that could not be read the name of its file.
std::string name_of(const CheckedDump& dump);

}  // namespace memtrace::analyzer
