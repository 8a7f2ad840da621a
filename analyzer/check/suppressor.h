// SPDX-License-Identifier: Apache-2.0
//
// Which leaks of a recording are suppressed, and by what. Each suppression counts what it took, so
// that nothing is hidden: the sum is shown, and who took nothing is named.
//
// A stack is taken by the first suppression that fits. LeakSanitizer's fits if one of the stack's
// functions, files or modules does. Valgrind's fits from the innermost frame outwards, where the
// innermost one is the allocating function, which no stack of ours has: it is thought in front.
// Python's frames are passed over there, because valgrind knows none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/check/suppression_file.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

struct SuppressionUse {
    Suppression suppression;
    bool is_expired = false;  // It suppresses nothing any more.
    uint64_t blocks = 0;      // alive at the end
    uint64_t bytes = 0;
    uint64_t held_blocks = 0;  // when the work ended
    uint64_t held_bytes = 0;
};

class Suppressor {
public:
    // `today` as in "2027-01-31".
    Suppressor(const Recording& recording, std::vector<Suppression> suppressions,
               const std::string& today);

    bool suppresses(const Site& site);  // and counts it

    const std::vector<SuppressionUse>& uses() const { return uses_; }

private:
    static constexpr uint32_t none = 0xffffffff;
    // By node: the first suppression of LeakSanitizer's that it or one of its callers fits; the
    // same of those that spare own code.
    struct First {
        uint32_t plain = none;
        uint32_t sparing = none;
        bool known = false;
    };

    uint32_t find(uint32_t stack);
    First first_of(uint32_t stack);
    bool is_own(uint32_t stack) const;
    bool matches_frames(uint32_t index, uint32_t stack);
    void add_frame(First& first, FrameId id);

    const Recording& recording_;
    std::vector<SuppressionUse> uses_;
    std::vector<First> nodes_;
    std::vector<First> frames_;
    std::vector<uint32_t> by_frames_;  // indices of valgrind's
    std::vector<FrameId> stack_;       // of the site that is looked at
};

std::string today_utc();

}  // namespace memtrace::analyzer
