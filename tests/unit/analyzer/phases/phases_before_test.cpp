// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/phases_before.h"

#include "analyzer/phases/phase_list.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

using Answer = PhasesBefore::Answer;

// Phases of which some began before, with the marks that a recording lists.
struct Past {
    AllPhases list;
    std::vector<MarkInfo> marks;

    void mark(MarkKind kind, const char* text) {
        Mark record;
        record.kind = kind;
        record.text = text;
        record.scope = MarkScope::process;
        list.on(record, 0);
        marks.push_back({0, kind, text});
    }
    PhasesBefore before(bool has_all = true) const { return list.so_far(marks, has_all); }
};

Past two_steps() {
    Past past;
    past.mark(MarkKind::begin, "step 1");
    past.mark(MarkKind::end, "step 1");
    past.mark(MarkKind::begin, "step 2");
    past.mark(MarkKind::mark, "saved");
    return past;
}

}  // namespace

TEST_CASE("a phase has begun before, or not, by its full name") {
    const Past past = two_steps();
    const PhasesBefore before = past.before();
    CHECK(before.began(PhasePattern("step 1")) == Answer::yes);
    CHECK(before.began(PhasePattern("step #")) == Answer::yes);
    CHECK(before.began(PhasePattern("step 3")) == Answer::no);
    CHECK(before.began(PhasePattern("saved")) == Answer::yes);
    CHECK(before.began(PhasePattern("load")) == Answer::no);
}

TEST_CASE("where not all marks are listed, a number is not known") {
    const Past past = two_steps();
    Past shorter = two_steps();
    shorter.marks.clear();
    const PhasesBefore before = shorter.before(false);
    CHECK(before.began(PhasePattern("step 3")) == Answer::unknown);
    CHECK(before.began(PhasePattern("step #")) == Answer::yes);
    CHECK(before.began(PhasePattern("load")) == Answer::no);
    CHECK(before.is_open(PhasePattern("step 2")) == Answer::unknown);
}

TEST_CASE("which of two steps is open is not known") {
    const Past past = two_steps();
    const PhasesBefore before = past.before();
    CHECK(before.any_open());
    CHECK(before.is_open(PhasePattern("step #")) == Answer::yes);
    CHECK(before.is_open(PhasePattern("step 2")) == Answer::unknown);
    CHECK(before.is_open(PhasePattern("saved")) == Answer::no);
    CHECK(before.is_open(PhasePattern("load")) == Answer::no);
}
