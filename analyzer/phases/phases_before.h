// SPDX-License-Identifier: Apache-2.0
//
// The phases before some moment, for an observer that begins to follow there. The list of all
// phases has them by grouped names ("step #"), and the marks of the recording by full ones, unless
// there were too many marks. So a pattern may have matched before, or not, and sometimes nobody
// knows.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/phases/phase_names.h"
#include "analyzer/phases/phase_ranges.h"

namespace memtrace::analyzer {

struct PhaseBefore {
    std::string name;  // grouped
    bool is_mark = false;
    uint32_t depth = 0;
    uint64_t open = 0;  // number of open occurrences
};

class PhasesBefore {
public:
    enum class Answer : uint8_t { no, yes, unknown };

    // `ranges`: those that are open, by number in `phases`. `nameless`: occurrences of further
    // names. `has_all`: the marks are all of before; they must outlive the object.
    PhasesBefore(PhaseRanges ranges, std::vector<PhaseBefore> phases, uint64_t nameless,
                 const std::vector<MarkInfo>& marks, bool has_all)
        : ranges_(std::move(ranges)),
          phases_(std::move(phases)),
          nameless_(nameless),
          marks_(marks),
          has_all_(has_all) {}

    const PhaseRanges& ranges() const { return ranges_; }
    const std::vector<PhaseBefore>& phases() const { return phases_; }
    uint64_t nameless() const { return nameless_; }

    bool any_open() const {
        bool is_any = false;
        ranges_.for_each_open([&](uint32_t, uint64_t) { is_any = true; });
        return is_any;
    }
    // Is there a phase or mark of before that matches?
    Answer began(const PhasePattern& pattern) const;
    // Does the range match that is open and has this number?
    Answer matches(const PhasePattern& pattern, uint32_t phase) const;
    // The same of any open range: unknown if it is not known of one of them.
    Answer is_open(const PhasePattern& pattern) const;

private:
    Answer matches_group(const PhasePattern& pattern, const std::string& name) const;

    PhaseRanges ranges_;
    std::vector<PhaseBefore> phases_;
    uint64_t nameless_;
    const std::vector<MarkInfo>& marks_;
    bool has_all_;
};

}  // namespace memtrace::analyzer
