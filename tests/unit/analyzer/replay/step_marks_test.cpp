// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/step_marks.h"

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

// Marks at given times, each an event apart, cut as RunSlicer does.
class Marked {
public:
    explicit Marked(const std::string& requested = "") : marks(requested) {}

    StepMarks::Found mark(const std::string& text, MarkKind kind = MarkKind::begin,
                          MarkSource source = MarkSource::program, const char* domain = "") {
        time += 10;
        Mark record;
        record.time = time;
        record.kind = kind;
        record.text = text;
        record.source = source;
        record.domain = domain;
        const StepMarks::Found found = marks.find(record);
        CutPlace place{cuts.made(), time, time};
        if (found.is_cut) {
            cuts.make();
            places.push_back(place);
        }
        if (found.is_kept) marks.keep(found, place);
        if (found.is_leader) marks.set_last(found, place);
        return found;
    }
    std::string leader() const { return marks.last() ? marks.last()->steps->name : ""; }
    std::vector<SlicePlan::Slice> plan() const {
        return plan_steps(marks.last().value(), 120, cuts, places);
    }

    StepMarks marks;
    HistoryCuts cuts;
    std::vector<CutPlace> places;
    uint64_t time = 0;
};

uint64_t steps_of(const std::vector<SlicePlan::Slice>& slices) {
    uint64_t sum = 0;
    for (const SlicePlan::Slice& slice : slices) sum += slice.steps;
    return sum;
}

}  // namespace

TEST_CASE("any number of steps fits, none is lost, and slices end at steps") {
    for (const uint64_t steps : {10u, 120u, 121u, 239u, 479u, 480u, 481u, 1000u, 12'345u}) {
        Marked run;
        for (uint64_t i = 0; i < steps; ++i) run.mark("step " + std::to_string(i));
        CHECK(steps_of(run.plan()) == steps - 1);
        run.mark("step 9", MarkKind::end);
        const auto slices = run.plan();
        CHECK(steps_of(slices) == steps);
        CHECK(slices.size() <= 120);
        CHECK(slices.size() > std::min<uint64_t>(steps, 58));
        if (steps > 480) CHECK(slices.size() > 78);
        CHECK(slices[0].steps == 0);
        const uint64_t each = slices[1].steps;
        for (size_t i = 1; i + 1 < slices.size(); ++i) REQUIRE(slices[i].steps == each);
        CHECK(slices.back().end.time == run.time);
        // Below 480 every step is known, and the slices are as small as they can be.
        if (steps < 480) CHECK(each == (steps + 1 + 118) / 119);
    }
}

TEST_CASE("the leader has a name about steps, is of the program, or comes most often") {
    Marked run;
    for (int i = 0; i < 9; ++i) run.mark("layer 1");
    CHECK(run.leader().empty());  // too few
    run.mark("layer 2");
    CHECK(run.leader() == "layer #");
    for (int i = 0; i < 30; ++i) run.mark("my batch", MarkKind::begin, MarkSource::nvtx);
    CHECK(run.leader() == "my batch");
    for (int i = 0; i < 11; ++i) run.mark("epoch");
    CHECK(run.leader() == "my batch");
    for (int i = 0; i < 10; ++i) run.mark("Training Step 3");
    CHECK(run.leader() == "Training Step #");
    CHECK_FALSE(run.mark("epoch").is_cut);  // It cannot lead any more.
    CHECK(steps_of(run.plan()) == 9);
}

TEST_CASE("annotations of libraries for a profiler are no steps") {
    Marked run;
    for (int i = 0; i < 50; ++i) run.mark("aten::add", MarkKind::begin, MarkSource::nvtx);
    for (int i = 0; i < 50; ++i)
        run.mark("pass batch-norm", MarkKind::begin, MarkSource::nvtx, "XLA");
    CHECK(run.leader().empty());
    CHECK_FALSE(run.mark("aten::add", MarkKind::begin, MarkSource::nvtx).is_cut);
    Marked requested("aten::add");
    for (int i = 0; i < 50; ++i) requested.mark("aten::add", MarkKind::begin, MarkSource::nvtx);
    CHECK(requested.leader() == "aten::add");
}

TEST_CASE("a mark that leads late was cut from its beginning") {
    Marked run;
    for (int i = 0; i < 300; ++i) {
        run.mark("step a");
        if (i >= 150) run.mark("step b"), run.mark("step b");
    }
    CHECK(run.leader() == "step a");  // 300 each: the first in the alphabet
    run.mark("step b");
    CHECK(run.leader() == "step b");
    const auto slices = run.plan();
    CHECK(steps_of(slices) == 300);
    CHECK(slices.size() > 58);
}

TEST_CASE("of many names the less likely are cut no more") {
    Marked run;
    for (int i = 0; i < 200; ++i) {
        for (char name = 'a'; name < 'k'; ++name) {
            for (char n = 'a'; n <= name; ++n) run.mark(std::string("op ") + name);
        }
        run.marks.limit_cuts();
        std::vector<uint32_t> cuts;
        run.marks.append_cuts(cuts);
        REQUIRE(cuts.size() <= 1 + 480 + 960);
    }
    CHECK(run.leader() == "op j");
    CHECK(steps_of(run.plan()) == 1999);
    CHECK_FALSE(run.mark("op a").is_cut);
}

TEST_CASE("a requested mark is the step, however rare, and must occur") {
    Marked run("epoch 3");
    for (int i = 0; i < 20; ++i) CHECK_FALSE(run.mark("step").is_cut);
    CHECK_THROWS_WITH(run.marks.check_requested(), Catch::Contains("it has step"));
    run.mark("epoch 1");
    run.mark("epoch 2");
    run.marks.check_requested();
    CHECK(run.leader() == "epoch #");
    CHECK(steps_of(run.plan()) == 1);
}

TEST_CASE("numbers in names do not matter") {
    CHECK(without_numbers("step 12 of 100") == "step # of #");
    CHECK(without_numbers("epoch") == "epoch");
    CHECK(without_numbers("") == "");
}
