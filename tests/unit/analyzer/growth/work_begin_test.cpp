// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/work_begin.h"

#include "analyzer/growth/growth.h"
#include "tests/unit/analyzer/growth/growing.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

constexpr size_t rest_min = 10;
const std::string main_line = "py:<module> /home/me/train.py:3";
const std::string importlib = "py:_find_and_load <frozen importlib._bootstrap>:1";
const std::string package = "py:<module> /v/lib/python3.11/site-packages/torch/__init__.py:7";
const std::string own_module = "py:<module> /home/me/model.py:4";
const std::string step = "py:step /home/me/train.py:20";

// A run that is cut by time. Stacks are innermost first.
struct Run : GrowingStory {
    Run() {
        recording.model.slices.step.clear();
        recording.model.slices.steps = 0;
    }
    void imports(uint64_t begin, uint64_t end, int places = 1) {
        for (int i = 0; i < places; ++i) {
            keeps({"interpreter:load" + std::to_string(i), package, importlib, main_line}, 100,
                  begin, end);
        }
    }
    size_t before() const { return slices_before_work(recording, rest_min); }
};

}  // namespace

TEST_CASE("the work begins where imports end") {
    Run run;
    run.imports(0, 80);
    run.keeps({step, main_line}, 100, 80);
    CHECK(run.before() == 80);
}

TEST_CASE("a line of one's own inside an import is work") {
    Run run;
    run.keeps({own_module, importlib, main_line}, 100);
    CHECK(run.before() == 0);
}

TEST_CASE("an import in the middle of the work is no beginning") {
    Run run;
    run.imports(0, 30, 9);
    run.keeps({step, main_line}, 100, 30);
    run.imports(60, 62, 9);
    CHECK(run.before() == 30);
}

TEST_CASE("a program that works between its imports has begun to work") {
    Run run;
    run.keeps({step, main_line}, 100);
    run.imports(0, 80);
    CHECK(run.before() == 0);
}

TEST_CASE("enough slices are left to tell a course of time") {
    Run run;
    run.imports(0, 95);
    run.keeps({step, main_line}, 100, 95);
    CHECK(run.before() == 100 - rest_min);
}

TEST_CASE("a leak of a short run behind long imports is judged by the work alone") {
    Run run;
    run.imports(0, 85);
    run.keeps({step, main_line}, 100, 85);
    const Growth growth = find_growth(run.recording, {});
    REQUIRE_FALSE(growth.findings.empty());
    CHECK(growth.findings[0].verdict == Verdict::leak);
    CHECK(growth.findings[0].grown_blocks == 15);
    CHECK(growth.points == 16);
}

TEST_CASE("a run whose work is a moment is judged as a whole") {
    Run run;
    run.imports(0, 85);
    run.keeps({step, main_line}, 100, 85, 86);
    std::vector<RunSlice>& slices = run.recording.model.slices.slices;
    for (size_t i = 86; i < slices.size(); ++i) slices[i].events = 0;
    CHECK(curves_of_work(run.recording, rest_min).size() == 87);
    CHECK(curves_of_work(run.recording, 2).size() == 3);
}
