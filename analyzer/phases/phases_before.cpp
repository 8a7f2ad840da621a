// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/phases_before.h"

#include <algorithm>

namespace memtrace::analyzer {
namespace {

bool begins(const MarkInfo& mark) {
    return mark.kind == MarkKind::begin || mark.kind == MarkKind::mark;
}

}  // namespace

// Of a name of which only the group is known.
PhasesBefore::Answer PhasesBefore::matches_group(const PhasePattern& pattern,
                                                 const std::string& name) const {
    if (pattern.matches(name)) return Answer::yes;
    const bool may_be = PhasePattern(grouped_name(pattern.text())).matches(name);
    return may_be ? Answer::unknown : Answer::no;
}

PhasesBefore::Answer PhasesBefore::began(const PhasePattern& pattern) const {
    const bool is_listed = std::any_of(marks_.begin(), marks_.end(), [&](const MarkInfo& mark) {
        return begins(mark) && pattern.matches(mark.text);
    });
    if (is_listed) return Answer::yes;
    if (has_all_) return Answer::no;
    Answer answer = nameless_ == 0 ? Answer::no : Answer::unknown;
    for (const PhaseBefore& phase : phases_) {
        const Answer one = matches_group(pattern, phase.name);
        if (one == Answer::yes) return one;
        if (one == Answer::unknown) answer = one;
    }
    return answer;
}

PhasesBefore::Answer PhasesBefore::matches(const PhasePattern& pattern, uint32_t phase) const {
    const std::string& name = phases_[phase].name;
    if (!has_all_) return matches_group(pattern, name);
    bool all = true, none = true;
    for (const MarkInfo& mark : marks_) {
        if (mark.kind != MarkKind::begin || grouped_name(mark.text) != name) continue;
        (pattern.matches(mark.text) ? none : all) = false;
    }
    if (all != none) return all ? Answer::yes : Answer::no;
    return Answer::unknown;
}

PhasesBefore::Answer PhasesBefore::is_open(const PhasePattern& pattern) const {
    Answer answer = Answer::no;
    ranges_.for_each_open([&](uint32_t phase, uint64_t) {
        const Answer one = matches(pattern, phase);
        if (one == Answer::unknown || answer == Answer::no) answer = one;
    });
    return answer;
}

}  // namespace memtrace::analyzer
