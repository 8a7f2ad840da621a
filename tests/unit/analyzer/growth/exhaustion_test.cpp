// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/exhaustion.h"

#include "analyzer/growth/growth.h"
#include "tests/unit/analyzer/growth/growing.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("memory runs out at the rate of the resident set, of what is left") {
    GrowingStory story;
    story.keeps({"keep app.cpp:3"}, 1 << 20);
    story.resident(3 << 20);  // more than what is held
    GrowthOptions options;
    options.memory = uint64_t{1} << 31;
    const Growth growth = find_growth(story.recording, options);
    REQUIRE(growth.exhaustions.size() == 1);
    CHECK(growth.exhaustions[0].of == "host");
    CHECK(growth.exhaustions[0].used == 1 << 30);
    CHECK(growth.exhaustions[0].not_known.empty());
    CHECK(growth.exhaustions[0].after_ns / 3600e9 == Approx(1024.0 / 180).epsilon(0.01));
    CHECK(find_growth(story.recording).exhaustions.empty());
}

TEST_CASE("where something leaks and the resident set does not rise, the time is not known") {
    GrowingStory story;
    story.keeps({"keep app.cpp:3"}, 1 << 20);
    story.resident(0);
    GrowthOptions options;
    options.memory = uint64_t{1} << 31;
    const Growth growth = find_growth(story.recording, options);
    REQUIRE(growth.exhaustions.size() == 1);
    CHECK_THAT(growth.exhaustions[0].not_known, Contains("did not rise"));
}

TEST_CASE("where nothing leaks and the resident set rises, it runs out all the same") {
    GrowingStory story;
    story.resident(1 << 20);
    const std::vector<Exhaustion> ends =
        find_exhaustions(story.recording.model, {}, uint64_t{1} << 31);
    REQUIRE(ends.size() == 1);
    CHECK(ends[0].not_known.empty());
    CHECK(find_exhaustions(Model{}, {}, uint64_t{1} << 31).empty());
}

TEST_CASE("how much there is the dump says, and --memory overrides it") {
    GrowingStory story;
    story.keeps({"keep app.cpp:3"}, 1 << 20);
    ProcessInfo& process = story.recording.model.process;
    const auto capacity = [&](const GrowthOptions& options = {}) -> uint64_t {
        const Growth growth = find_growth(story.recording, options);
        return growth.exhaustions.empty() ? 0 : growth.exhaustions[0].capacity;
    };
    CHECK(capacity() == 0);  // an older dump
    process.machine_memory = uint64_t{1} << 33;
    CHECK(capacity() == uint64_t{1} << 33);
    process.memory_limit = uint64_t{1} << 32;
    CHECK(capacity() == uint64_t{1} << 32);
    GrowthOptions options;
    options.memory = uint64_t{1} << 31;
    CHECK(capacity(options) == uint64_t{1} << 31);
}

TEST_CASE("of a device the dump knows how much memory it has") {
    GrowingStory story;
    story.keeps({"forward train.cpp:3"}, 1 << 20, 0, 100, 1, "device:0");
    GpuDeviceInfo device;
    device.memory = 200 << 20;
    story.recording.model.gpu.devices.push_back(device);
    const Growth growth = find_growth(story.recording);
    REQUIRE(growth.exhaustions.size() == 1);
    CHECK(growth.exhaustions[0].of == "device:0");
    CHECK(growth.exhaustions[0].used == 100 << 20);
    CHECK(growth.exhaustions[0].after_ns / 3600e9 == Approx(1).epsilon(0.01));

    // In a merged profile, what grows on several cards fills none of them.
    story.recording.model.gpu.devices[0].pci = "several";
    CHECK(find_growth(story.recording).exhaustions.empty());
}
