// SPDX-License-Identifier: Apache-2.0
//
// The findings of `check` as sentences, which all its outputs share. The text is not yet escaped
// for a terminal or a file format. The writer of each output does that.
#pragma once

#include <string>
#include <vector>

#include "analyzer/check/limit_check.h"

namespace memtrace::analyzer {

// Returns "12.0 MiB (12,582,912 bytes), limit 11.0 MiB (…): +10 % on 10.0 MiB before".
std::string verdict_text(const LimitResult& result);

// Returns "1.0 MiB"; "3 blocks of 0 bytes" if the blocks are what breaks the limit.
std::string now_text(const LimitResult& result, const Blame& blame);
// The same of the measured figure of a space.
std::string measured_text(const LimitResult& result);

// Returns "1.0 MiB" or "1.0 MiB to 1.2 MiB".
std::string band_text(Metric metric, const Band& band);

// Returns the earlier figure of a blamed site: "1.0 MiB", "new", or "new, or less than 16.0 KiB".
// Returns an empty string without a baseline.
std::string before_text(const LimitResult& result, const Blame& blame);

// Returns one line: "host leaked-bytes: leaked-bytes 1.3 MiB (before: new), by keep < main".
std::string blame_sentence(const LimitResult& result, const Blame& blame);

// A suppression that a person should look at.
struct SuppressionRemark {
    std::string file;
    uint32_t line = 0;
    std::string text;
};

// Returns remarks on suppressions that have expired, and on suppressions of the user that
// suppressed nothing.
std::vector<SuppressionRemark> suppression_remarks(const CheckResult& result);

struct SuppressedSum {
    uint64_t blocks = 0;  // alive at the end
    uint64_t bytes = 0;
    uint64_t held_blocks = 0;  // when the work ended
    uint64_t held_bytes = 0;
};
SuppressedSum suppressed_sum(const CheckResult& result);

// Returns "Suppressed, not counted as leaked: 1.0 MiB (…) in 3 blocks". If a limit is on held
// memory, also the amount that was not counted as held. Returns an empty string if nothing was
// suppressed.
std::string suppressed_text(const CheckResult& result);

// Returns a sentence about blocks that are possibly lost if there is a limit on lost ones, which
// does not count them. Returns an empty string if there is none to mention.
std::string possibly_lost_text(const CheckResult& result);

// The result of one dump, for outputs that cover all dumps together.
struct CheckedDump {
    std::string path;
    CheckResult result;
    // A sentence: why the dump could not be read or judged. It then has no result.
    std::string unread{};
};

// Returns the name of the program, "train", or the file name of a dump that could not be read.
std::string name_of(const CheckedDump& dump);

}  // namespace memtrace::analyzer
