// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/profile_file.h"
#include "tests/unit/analyzer/profile/profiles.h"

using namespace memtrace::analyzer;

TEST_CASE("loops are in a profile as they were found") {
    Recording recording;
    SourceLoop outer;
    outer.function = "main";
    outer.file = "/home/u/train.py";
    outer.line = 7;
    outer.thread = "MainThread";
    outer.threads = 3;
    outer.count = 3;
    outer.is_own = true;
    outer.begin_ns = 5;
    outer.end_ns = 9;
    SourceLoop inner = outer;
    inner.parent = 0;
    inner.count.reset();
    inner.why_not = "reasons";
    recording.model.loops.loops = {outer, inner};
    recording.model.loops.steps = 0;
    recording.model.slices.is_found = true;
    const Recording read = read_profile_bytes(write_profile(recording), "x");
    const SourceLoops& loops = read.model.loops;
    REQUIRE(loops.loops.size() == 2);
    CHECK(loops.steps == 0);
    CHECK(loops.loops[0].file == "/home/u/train.py");
    CHECK(loops.loops[0].line == 7);
    CHECK(loops.loops[0].thread == "MainThread");
    CHECK(loops.loops[0].threads == 3);
    CHECK(loops.loops[0].count == 3);
    CHECK(loops.loops[0].is_own);
    CHECK(loops.loops[0].end_ns == 9);
    CHECK_FALSE(loops.loops[0].parent);
    CHECK(loops.loops[1].parent == 0);
    CHECK_FALSE(loops.loops[1].count);
    CHECK(loops.loops[1].why_not == "reasons");
    CHECK(read.model.slices.is_found);
}
