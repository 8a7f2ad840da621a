// SPDX-License-Identifier: Apache-2.0
//
// Decides which leaks of a recording are suppressed, and by which suppression. Each suppression
// counts its leaks, so that nothing is hidden: reports show the sum, and name the suppressions that
// suppressed nothing.
//
// The first suppression that matches a stack suppresses it. Where the kinds of lost blocks are
// known, each kind goes to the first that matches and names it. A suppression in LeakSanitizer's
// format matches if one of the stack's functions, files or modules matches. A suppression in
// valgrind's format matches from the innermost frame outwards. Its innermost frame is the
// allocating function. The stacks of a recording do not contain that function, so it is imagined in
// front of them. Python frames are skipped there, because valgrind has none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <tsl/robin_map.h>

#include "analyzer/base/number_hash.h"
#include "analyzer/check/suppression_file.h"
#include "analyzer/frames/path_values.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

struct SuppressionUse {
    Suppression suppression;
    bool is_expired = false;  // suppresses nothing any more
    uint64_t blocks = 0;      // alive at the end
    uint64_t bytes = 0;
    uint64_t held_blocks = 0;  // when the work ended
    uint64_t held_bytes = 0;
};

class Suppressor {
public:
    // `today` has the form "2027-01-31".
    Suppressor(const Recording& recording, std::vector<Suppression> suppressions,
               const std::string& today);

    // Returns which blocks of a site of this space are suppressed, and counts them: alive at the
    // end, held when the work ended, lost. Where a search for lost blocks knows their kinds, a
    // suppression takes those that it names, and elsewhere all.
    Totals suppressed(const Space& space, const Site& site);

    const std::vector<SuppressionUse>& uses() const { return uses_; }

private:
    static constexpr uint32_t none = 0xffffffff;
    // The first suppression in LeakSanitizer's format that matches a node or one of its callers.
    struct First {
        uint32_t plain = none;
        uint32_t sparing = none;  // the same among those that spare own code
        bool known = false;
    };

    // A frame: the user's own code or not, or part of an import.
    enum class Own : uint8_t { unknown, yes, no, importing };

    // Returns the first suppression that takes blocks of these kinds.
    uint32_t find(uint32_t stack, uint8_t kinds);
    First first_of(uint32_t stack);
    uint32_t number_of(const First& first);
    const First& first_in(const std::string& text);
    bool is_own(uint32_t stack);
    Own own_of(FrameId id);
    struct Pattern;
    void read_frames(uint32_t stack);  // into stack_
    bool fits(Pattern& pattern, FrameId id) const;
    bool matches_frames(const Suppression& suppression, const std::vector<uint32_t>& patterns);
    void add_frame(First& first, FrameId id);

    const Recording& recording_;
    const bool was_searched_;  // for lost blocks
    std::vector<SuppressionUse> uses_;
    static constexpr uint32_t unknown = 0xffffffff;
    std::vector<uint32_t> nodes_;  // by node: index into firsts_, or unknown
    std::vector<First> firsts_;
    tsl::robin_map<uint64_t, uint32_t, NumberHash> numbers_;  // of firsts_, by both suppressions
    std::vector<First> frames_;
    std::unordered_map<std::string_view, First> texts_;  // by function, file or module
    std::vector<Own> own_frames_;                        // by frame
    PathValues<uint8_t> own_paths_;  // by stack: whether the user's own code allocated
    // A pattern of valgrind's, and the frames that it fits.
    struct Pattern {
        FramePattern pattern;
        std::optional<std::string> demangled;  // of a pattern that is a mangled name
        std::vector<bool> known;               // by frame; empty: none yet
        std::vector<bool> fits;
    };
    std::vector<Pattern> patterns_;
    std::vector<uint32_t> by_frames_;  // indices of those in valgrind's format
    std::vector<std::vector<uint32_t>> numbers_of_patterns_;  // of each of them, into patterns_
    std::vector<FrameId> stack_;                              // stack of the current site
};

std::string today_utc();

}  // namespace memtrace::analyzer
