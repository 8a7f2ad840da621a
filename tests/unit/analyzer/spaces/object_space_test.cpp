// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/object_space.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using test::load_story;

namespace {

const Space& space_of(const Model& model, const std::string& name) {
    const Space* const space = test::space_named(model, name);
    if (space == nullptr) throw std::runtime_error("there is no space " + name);
    return *space;
}

}  // namespace

TEST_CASE("objects are a space of their own, beside the heap", "[object_space]") {
    const Model model = load_story(R"(
        python_objects lane=0 time=1 state=whole interval=0 why=""
        acquire lane=0 time=10 api=malloc size=1000 address=0x1000
        acquire lane=0 time=11 api=PyObject_Malloc size=100 address=0x2000
        acquire lane=0 time=12 api=PyMem_Malloc size=50 address=0x2080
        release lane=0 time=13 api=PyObject_Free address=0x2000
    )");
    CHECK(space_of(model, "host").totals.allocated_bytes == 1000);
    CHECK(space_of(model, "python").totals.allocated_bytes == 150);
    CHECK(space_of(model, "python").totals.live_bytes == 50);
    CHECK(space_of(model, "python").totals.own_peak_bytes == 150);
    CHECK(model.capture.anomalies == 0);
    // Objects lie in mappings. A thread's bytes are those of the heap.
    CHECK(model.threads[0].allocated_bytes == 1000);
}

TEST_CASE("arenas are one site and a class, whoever mapped them", "[object_space][map_space]") {
    const Model model = load_story(R"(
        node lane=0 time=1 id=1 parent=0 kind=native address=0x11
        node lane=0 time=1 id=2 parent=0 kind=native address=0x22
        map lane=0 time=2 address=0x100000 size=0x100000 stack=1 purpose=python_arena
        map lane=0 time=3 address=0x200000 size=0x100000 stack=2 purpose=python_arena
        map lane=0 time=4 address=0x400000 size=0x1000 stack=2
    )");
    const Space& space = space_of(model, "mmap");
    REQUIRE(space.sites.size() == 2);
    CHECK(space.sites[0].totals.allocations == 2);
    CHECK(model.stacks.nodes.at(space.sites[0].stack).group == Group::python_arenas);
    CHECK(space.classes.at("python_arena").allocated_bytes == 0x200000);
    CHECK(space.classes.at("anonymous").allocated_bytes == 0x1000);
}

TEST_CASE("the arenas at the objects' peak are known", "[object_space]") {
    const Model model = load_story(R"(
        python_objects lane=0 time=1 state=whole interval=0 why=""
        map lane=0 time=2 class=anonymous address=0x100000 size=0x100000 purpose=python_arena
        acquire lane=0 time=3 api=PyObject_Malloc size=100 address=0x100030
        release lane=0 time=4 api=PyObject_Free address=0x100030
        map lane=0 time=5 class=anonymous address=0x200000 size=0x100000 purpose=python_arena
        acquire lane=0 time=6 api=PyObject_Malloc size=90 address=0x100030
    )");
    CHECK(model.capture.python_objects->arena_bytes_at_peak == 0x100000);
    CHECK(model.capture.python_objects->arena_bytes == 0x200000);
}

TEST_CASE("what is left in an arena goes with it", "[object_space]") {
    const Model model = load_story(R"(
        python_objects lane=0 time=1 state=whole interval=0 why=""
        map lane=0 time=2 class=anonymous address=0x100000 size=0x100000 purpose=python_arena
        acquire lane=0 time=3 api=PyObject_Malloc size=100 address=0x100030
        acquire lane=0 time=4 api=PyObject_Malloc size=200 address=0x1ffe00
        acquire lane=0 time=5 api=PyObject_Malloc size=300 address=0x200000
        unmap lane=0 time=6 address=0x100000 size=0x100000
        map lane=0 time=7 class=anonymous address=0x100000 size=0x100000 purpose=python_arena
        acquire lane=0 time=8 api=PyObject_Malloc size=10 address=0x100030
    )");
    CHECK(model.capture.anomalies == 0);
    CHECK(model.capture.python_objects->gone_with_arenas == 2);
    CHECK(space_of(model, "python").totals.frees == 2);
    CHECK(space_of(model, "python").totals.live_bytes == 310);
}

TEST_CASE("an unknown object is a contradiction unless recording began late", "[object_space]") {
    const std::string events = R"(
        release lane=0 time=10 api=PyObject_Free address=0x1000
        acquire lane=0 time=11 api=PyObject_Malloc size=10 address=0x2000
        acquire lane=0 time=12 api=PyObject_Malloc size=20 address=0x2000
    )";
    const Model whole =
        load_story("python_objects lane=0 time=1 state=whole interval=0 why=\"\"\n" + events);
    CHECK(whole.capture.anomalies == 2);
    const Model late =
        load_story("python_objects lane=0 time=1 state=late interval=0 why=\"x\"\n" + events);
    CHECK(late.capture.anomalies == 0);
    CHECK(space_of(late, "python").totals.live_bytes == 20);
    CHECK(late.capture.python_objects->why == "x");
}

TEST_CASE("a block of a sample stands for several", "[object_space]") {
    constexpr uint64_t interval = 4096;
    std::string story = "python_objects lane=0 time=1 state=whole interval=4096 why=\"\"\n";
    for (int i = 0; i < 1000; ++i) {
        story += "acquire lane=0 time=" + std::to_string(2 + i) + " api=PyObject_Malloc size=512 " +
                 "address=" + std::to_string(0x100000 + 512 * i) + "\n";
    }
    story += "release lane=0 time=2000 api=PyObject_Free address=0x100000\n";
    const Model model = load_story(story);
    const Space& space = space_of(model, "python");
    const double weight = SampledBlocks::weight_of(512, interval);
    CHECK(std::abs(weight - 1 / (1 - std::exp(-512.0 / 4096))) < 1e-9);
    // The fractions of blocks add up to whole blocks in the long run.
    CHECK(space.totals.allocations == static_cast<uint64_t>(1000 * weight));
    CHECK(space.totals.allocated_bytes == 1000 * static_cast<uint64_t>(std::round(weight * 512)));
    CHECK(space.totals.live_blocks == space.totals.allocations - static_cast<uint64_t>(weight));
    CHECK(space.is_estimate);
    CHECK(model.capture.python_objects->sampled == 1000);
    CHECK(model.capture.captures == 0);
}

TEST_CASE("objects that were all recorded may turn to a sample", "[object_space]") {
    const Model model = load_story(R"(
        python_objects lane=0 time=1 state=whole interval=0 why=""
        acquire lane=0 time=10 api=PyObject_Malloc size=100 address=0x2000
        acquire lane=0 time=11 api=PyObject_Malloc size=50 address=0x3000
        heap_sample lane=0 time=20 interval=65536
        object_sample lane=0 time=20 interval=4096
        acquire lane=0 time=21 api=PyObject_Malloc size=64 address=0x4000
        release lane=0 time=22 api=PyObject_Free address=0x2000
        release lane=0 time=23 api=PyObject_Free address=0x8000
    )");
    const Space& python = space_of(model, "python");
    CHECK(python.totals.allocated_bytes == 150 + 4128);
    CHECK(python.totals.live_bytes == 50 + 4128);
    CHECK(python.sample_interval == 4096);
    CHECK(python.exact_until_ns);
    CHECK(model.capture.anomalies == 0);
}
