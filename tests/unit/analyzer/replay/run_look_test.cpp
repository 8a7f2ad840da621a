// SPDX-License-Identifier: Apache-2.0
//
// The first look at a dump: threads by name or number, the steps of a loop, and what the replay
// makes of them. Ranges of times and marks are in single_phase_test.cpp.
#include "analyzer/replay/run_look.h"

#include "analyzer/base/error.h"
#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;
using Catch::Matchers::Contains;

namespace {

// Lane 1 is used by two threads, one after the other.
constexpr const char* threads = R"(
    thread_start lane=0 time=1 tid=100
    acquire lane=0 time=2 stack=1 size=1000 address=0x1000
    thread_start lane=1 time=3 tid=101
    acquire lane=1 time=4 stack=1 size=20 address=0x2000
    acquire lane=1 time=5 stack=2 size=300 address=0x3000
    thread_name lane=1 time=6 text="loader-1" tid=0
    release lane=0 time=7 address=0x3000
    map lane=1 time=8 stack=3 size=4096 address=0x100000
    thread_end lane=1 time=9
    thread_start lane=1 time=10 tid=102
    thread_name lane=1 time=11 text="writer" tid=0
    acquire lane=1 time=12 stack=1 size=4 address=0x4000
    thread_name lane=0 time=13 text="main" tid=0
)";

Model load(const std::vector<std::string>& patterns, const char* story = threads) {
    const TempFile file(dump_from_text(story));
    LoadOptions options;
    options.threads = patterns;
    return load_dump(file.path(), {}, options);
}

// Returns the sites that count as "stack:bytes".
std::string counted_sites(const Model& model, const char* name) {
    const Space& space = *space_named(model, name);
    std::string text;
    for (size_t i = 0; i < space.sites.size(); ++i) {
        if (!space.left_out.empty() && space.left_out[i]) continue;
        const Site site = space.sites[i];
        text +=
            std::to_string(site.stack) + ":" + std::to_string(site.totals.allocated_bytes) + " ";
    }
    return text;
}

}  // namespace

TEST_CASE("only memory that the threads acquired counts, whoever frees it") {
    const Model model = load({"loader*"});
    CHECK(unequal_sums(model).empty());
    CHECK(space_named(model, "host")->totals.allocated_bytes == 1324);
    CHECK(counted_sites(model, "host") == "1:20 2:300 ");
    CHECK(counted_sites(model, "mmap") == "3:4096 ");
    CHECK(counted_sites(load({"writer"}), "host") == "1:4 ");
    CHECK(counted_sites(load({"102", "main"}), "host") == "1:1004 ");
    CHECK(counted_sites(load({"*"}), "host") == "1:1024 2:300 ");
}

TEST_CASE("without the option sites are not divided") {
    const Model model = load({});
    CHECK(space_named(model, "host")->left_out.empty());
    CHECK(space_named(model, "host")->sites.size() == 2);
}

TEST_CASE("a site that several threads used has the peak that the chosen ones reached there") {
    const Model model = load({"101", "102"});
    const Space& host = *space_named(model, "host");
    uint64_t own_peak = 0;
    for (size_t i = 0; i < host.sites.size(); ++i) {
        const Site site = host.sites[i];
        if (!host.left_out[i] && site.stack == 1) own_peak = site.totals.own_peak_bytes;
    }
    CHECK(own_peak == 24);
}

TEST_CASE("a thread that does not exist is refused with the names that do") {
    CHECK_THROWS_WITH(load({"loder"}), Contains("--thread loder") && Contains("loader-1, main"));
    CHECK_THROWS_WITH(load({"main", "103"}), Contains("--thread 103"));
}

TEST_CASE("memory that a driver keeps, and events of no thread, belong to none") {
    const char* const story = R"(
        acquire lane=0 time=2 stack=1 size=1 address=0x1000
        thread_start lane=1 time=3 tid=7
        gpu_acquire lane=1 time=4 memory=device stack=2 size=0x1000 address=0xa0000
        gpu_pool lane=1 time=15 kind=pool pool=0x77 reserved=0x5000
    )";
    CHECK(counted_sites(load({"7"}, story), "host").empty());
    CHECK(counted_sites(load({"7"}, story), "device:0") == "2:4096 ");
}

// ---- the steps of a loop ------------------------------------------------------------------------

namespace {

// main 1 calls from two lines of a loop, 2 and 3, three times. Several events have the same time.
constexpr const char* loop_story = R"(
    node lane=0 time=1 id=1 parent=0 address=0x1000
    node lane=0 time=1 id=2 parent=1 address=0x1010
    node lane=0 time=1 id=3 parent=1 address=0x1020
    acquire lane=0 time=2 stack=1 size=1000 address=0x1000
    acquire lane=0 time=3 stack=2 size=1 address=0x2000
    acquire lane=0 time=3 stack=3 size=2 address=0x3000
    acquire lane=0 time=3 stack=2 size=10 address=0x4000
    acquire lane=0 time=3 stack=3 size=20 address=0x5000
    release lane=0 time=4 address=0x2000
    acquire lane=0 time=5 stack=2 size=100 address=0x6000
    acquire lane=0 time=6 stack=3 size=200 address=0x7000
    release lane=0 time=7 address=0x7000
    work_end lane=0 time=8
    acquire lane=0 time=9 stack=1 size=5000 address=0x8000
)";

// Returns what was acquired in the host's memory between these ends.
uint64_t acquired(const std::string& from, const std::string& to, LoadOptions options = {}) {
    const TempFile file(dump_from_text(loop_story));
    options.phases.from = from;
    options.phases.to = to;
    return space_named(load_dump(file.path(), {}, options), "host")->totals.allocated_bytes;
}

LoadOptions with_loop() {
    LoopTurns loop;
    loop.begins = {uint64_t{no_stack} << 32 | 2, uint64_t{3} << 32 | 2};
    loop.inside = {2, 3};
    loop.name = "main.c:4";
    StackNodes nodes;
    nodes.push_back({});
    for (const uint32_t parent : {0u, 1u, 1u}) {
        StackNode node;
        node.parent = parent;
        node.defined = true;
        node.address = 0x1000;
        nodes.push_back(node);
    }
    loop.frames = std::make_shared<PathFrames>(std::move(nodes));
    LoadOptions options;
    options.loop = std::make_shared<LoopTurns>(loop);
    return options;
}

}  // namespace

TEST_CASE("a range counts the steps of a loop if the program marks none") {
    CHECK(acquired("step 1", "step 1", with_loop()) == 3);
    CHECK(acquired("step 2", "step 2", with_loop()) == 30);
    CHECK(acquired("step 2", "", with_loop()) == 5330);
    CHECK(acquired("", "step 2", with_loop()) == 1033);
}

TEST_CASE("the last step of a loop that goes on to the end of the work ends there") {
    CHECK(acquired("step 3", "step 3", with_loop()) == 300);
}

TEST_CASE("a step that the loop has not, or no loop, is refused with what there is") {
    CHECK_THROWS_WITH(acquired("step 4", "", with_loop()), Contains("3 steps of main.c:4"));
    LoadOptions none;
    none.why_no_loop = "its source was not found";
    CHECK_THROWS_WITH(acquired("step 1", "", none), Contains("its source was not found"));
}
