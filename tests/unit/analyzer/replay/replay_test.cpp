// SPDX-License-Identifier: Apache-2.0
//
// Stories of a program's heap, and the resulting models.
#include "analyzer/replay/replay.h"

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using namespace memtrace::test;

TEST_CASE("a block that stays is leaked, one that goes at once is temporary") {
    const Model model = load_story(R"(
        node lane=0 id=1 address=0x40
        node lane=0 id=2 parent=1 address=0x50
        acquire lane=0 time=10 api=malloc stack=1 size=100 address=0x1000
        acquire lane=0 time=20 api=malloc stack=2 size=50 address=0x2000
        release lane=0 time=30 api=free address=0x2000
        acquire lane=0 time=40 api=malloc stack=2 size=20 address=0x2000
        acquire lane=0 time=50 api=malloc size=1 address=0x3000       # no stack
        release lane=0 time=60 api=free address=0x2000
    )");
    CHECK(problems_of(model).empty());
    CHECK_FALSE(model.damaged);
    CHECK(unequal_sums(model).empty());
    CHECK(model.capture.events == 6);
    CHECK(model.capture.anomalies == 0);
    CHECK(model.capture.captures == 3);
    CHECK(model.capture.stacks == 2);
    const Space& host = *space_named(model, "host");
    CHECK(host.totals.allocations == 4);
    CHECK(host.totals.frees == 2);
    CHECK(host.totals.allocated_bytes == 171);
    CHECK(host.totals.live_bytes == 101);
    CHECK(host.totals.at_peak_bytes == 150);
    CHECK(host.totals.temporary == 1);
    CHECK(host.peak_time_ns == 20);
    CHECK(find_site(host, 1)->totals.live_bytes == 100);
    CHECK(find_site(host, 2)->totals.at_peak_bytes == 50);
    CHECK(find_site(host, 2)->totals.temporary == 1);
    CHECK(find_site(host, 0)->totals.allocations == 1);
    CHECK(model.stacks.nodes[2].parent == 1);
}

TEST_CASE("the free of another thread counts in order of time, though its lane comes first") {
    const Model model = load_story(R"(
        release lane=0 time=20 api=free address=0x1000
        acquire lane=1 time=10 api=malloc size=100 address=0x1000
        acquire lane=1 time=30 api=malloc size=200 address=0x1000
    )");
    CHECK(model.capture.anomalies == 0);
    const Space& host = *space_named(model, "host");
    CHECK(host.totals.live_bytes == 200);
    CHECK(host.totals.temporary == 0);
}

TEST_CASE("a fork child frees what it inherited") {
    const Model model = load_story(R"(
        process pid=20 forked_from=10 arguments="x\x00-y\x00\x00" rank="RANK=3"
        release lane=0 time=30 address=0x7000
        resize lane=0 time=40 duration=1 old_address=0x8000 size=5 address=0x8000
        acquire lane=0 time=50 size=1 address=0x9000
        acquire lane=0 time=60 size=1 address=0x9000
    )");
    CHECK(model.capture.inherited_frees == 2);
    CHECK(model.capture.anomalies == 1);
    CHECK(model.process.pid == 20);
    CHECK(model.process.command == std::vector<std::string>{"x", "-y", ""});
    CHECK(model.process.rank == "RANK=3");
}

TEST_CASE("threads: who allocated, under which name, from when to when") {
    const Model model = load_story(R"(
        thread_start lane=0 time=5 tid=100
        thread_name lane=0 time=6 text="main"
        acquire lane=0 time=10 size=100 address=0x1000
        thread_start lane=1 time=20 tid=101
        acquire lane=1 time=30 size=7 address=0x2000
        release lane=1 time=31 address=0x2000
        thread_end lane=1 time=40
        thread_name lane=0 time=41 tid=101 text="worker"   # said by another thread
        thread_name lane=0 time=42 tid=999 text="nobody"
        thread_start lane=1 time=50 tid=101     # another thread with the number of the dead one
        acquire lane=1 time=60 size=8 address=0x2000
        thread_start lane=2 time=70 tid=100     # main moves to a larger lane
        release lane=2 time=80 address=0x1000
    )");
    REQUIRE(model.threads.size() == 3);
    CHECK(model.threads[0].tid == 100);
    CHECK(model.threads[0].name == "main");
    CHECK(model.threads[0].allocations == 1);
    CHECK(model.threads[1].allocated_bytes == 7);
    CHECK(model.threads[1].end_ns == 40);
    CHECK(model.threads[1].name == "worker");
    CHECK(model.threads[2].start_ns == 50);
    CHECK_FALSE(model.threads[2].end_ns.has_value());
    // Both blocks are freed by their thread before its next allocation. Lane 2 is lane 0's thread.
    CHECK(space_named(model, "host")->totals.temporary == 2);
}

TEST_CASE("how it ended, marks, samples, notes, options, modules") {
    const Model model = load_story(R"(
        process pid=1 executable="/bin/x"
        option key="stacks" value="1"
        clock time=0 monotonic_ns=1000 realtime_ns=5000000
        module lane=0 time=1 id=3 begin=0x100 end=0x200 path="/lib/libx.so" build_id="\xab\x00"
        mark lane=0 time=10 kind=begin text="epoch \"1\" # one"
        sample lane=0 time=20 rss=4096 pss=2048
        note lane=0 time=30 subject="coverage" text="malloc is somebody else's"
        fork lane=0 time=40 child_pid=7
        end lane=0 time=50 kind=exit code=3
    )");
    CHECK(model.process.end == "exit 3");
    CHECK(model.process.children == 1);
    CHECK(model.process.start_realtime_ns == 5000000);
    CHECK(model.process.duration_ns == 50);
    CHECK(model.marks[0].text == "epoch \"1\" # one");
    CHECK(model.marks[0].kind == memtrace::MarkKind::begin);
    CHECK(model.samples[0].pss == 2048);
    CHECK(model.notes[0].subject == "coverage");
    CHECK(model.options.at("stacks") == "1");
    CHECK(model.stacks.modules.at(3).build_id == std::string("\xab\0", 2));
}

TEST_CASE("an exec that failed is not how the program ended") {
    const Model failed = load_story(R"(
        end lane=0 time=10 kind=exec
        acquire lane=0 time=20 size=1 address=0x1000
    )");
    CHECK(failed.process.end == "unknown");
    const Model done = load_story("end lane=0 time=10 kind=exec\n");
    CHECK(done.process.end == "exec");
    const Model later = load_story(R"(
        end lane=0 time=10 kind=exec
        acquire lane=0 time=20 size=1 address=0x1000
        end lane=0 time=30 kind=immediate code=127
    )");
    CHECK(later.process.end == "exit 127");
}

TEST_CASE("stacks that were cut are counted by reason") {
    const Model model = load_story(R"(
        node lane=0 id=1 kind=truncated address=1        # depth
        node lane=0 id=2 parent=1 address=0x50
        node lane=0 id=3 kind=truncated address=3        # nested
        node lane=0 id=4 address=0x60
        acquire lane=0 time=10 stack=2 size=1 address=0x1000
        acquire lane=0 time=11 stack=2 size=1 address=0x2000
        acquire lane=0 time=12 stack=3 size=1 address=0x3000
        acquire lane=0 time=13 stack=4 size=1 address=0x4000
    )");
    CHECK(model.capture.captures == 4);
    CHECK(model.capture.captures_truncated == 3);
    CHECK(model.capture.cuts.at(memtrace::Cut::depth) == 2);
    CHECK(model.capture.cuts.at(memtrace::Cut::nested) == 1);
}

TEST_CASE("a stack without definition is a damage, and known as far as it goes") {
    const Model model = load_story(R"(
        node lane=0 id=3 parent=2 address=0x50
        acquire lane=0 time=10 stack=3 size=1 address=0x1000
    )");
    CHECK(model.damaged);
    CHECK(model.stacks.nodes[3].defined);
    CHECK_FALSE(model.stacks.nodes[2].defined);
}

TEST_CASE("of what a lane says about its walks, the last counts, and lanes add up") {
    const Model model = load_story(R"(
        process pid=1 executable="/bin/x"
        acquire lane=0 time=10 stack=0 size=1 address=0x1000
        walks lane=0 time=20 of_lane=0 walked=5 verified=10 splices=1 bridged=1 guessed=0
        walks lane=0 time=30 of_lane=0 walked=8 verified=30 splices=4 bridged=1 guessed=2
        walks lane=2 time=30 of_lane=2 recognised=6
        walks lane=0 time=40 of_lane=1 walked=2 verified=3 splices=1 mismatches=1 recognised=1
    )");
    const memtrace::Walks& walks = model.capture.walks;
    CHECK(walks.walked == 10);
    CHECK(walks.verified == 33);
    CHECK(walks.splices == 5);
    CHECK(walks.mismatches == 1);
    CHECK(walks.bridged == 1);
    CHECK(walks.guessed == 2);
    CHECK(walks.recognised == 7);
}

TEST_CASE("stacks of which Python's part is not known are counted by their reason") {
    const Model model = load_story(R"(
        process pid=1 executable="/bin/x"
        node lane=0 time=1 id=1 parent=0 module=0 kind=native address=0x10
        node lane=0 time=1 id=2 parent=1 module=0 kind=python address=0x1
        node lane=0 time=1 id=3 parent=2 module=0 kind=python address=0x300001
        node lane=0 time=1 id=4 parent=1 module=0 kind=python address=0x2
        acquire lane=0 time=10 stack=3 size=1 address=0x1000
        acquire lane=0 time=11 stack=3 size=1 address=0x2000
        acquire lane=0 time=12 stack=4 size=1 address=0x3000
        acquire lane=0 time=13 stack=1 size=1 address=0x4000
    )");
    CHECK(model.capture.python_gaps ==
          std::map<memtrace::PythonGap, uint64_t>{{memtrace::PythonGap::depth, 2},
                                                  {memtrace::PythonGap::finalizing, 1}});
    CHECK(model.capture.captures_truncated == 0);
}

TEST_CASE("of what a lane says about its Python walks, the last counts, and lanes add up") {
    const Model model = load_story(R"(
        process pid=1 executable="/bin/x"
        acquire lane=0 time=10 stack=0 size=1 address=0x1000
        python_walks lane=0 time=20 of_lane=0 stacks=5 empty=1 foreign=0 unread=0 frames=50 kept=4
        python_walks lane=0 time=30 of_lane=0 stacks=8 empty=2 foreign=0 unread=1 frames=80 kept=9
        python_walks lane=0 time=40 of_lane=1 stacks=1 empty=0 foreign=7 unread=0 frames=3 kept=0
    )");
    const memtrace::PythonWalks& walks = model.capture.python_walks;
    CHECK(walks.stacks == 9);
    CHECK(walks.empty == 2);
    CHECK(walks.foreign == 7);
    CHECK(walks.unread == 1);
    CHECK(walks.frames == 83);
    CHECK(walks.kept == 9);
}
