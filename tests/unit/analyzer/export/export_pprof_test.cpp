// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "analyzer/export/export_names.h"
#include "analyzer/export/pprof.pb.h"
#include "tests/unit/analyzer/export/exports.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

using Profile = perftools::profiles::Profile;

Profile read(const Recording& recording, ExportMeasure measure = ExportMeasure::peak) {
    Profile profile;
    REQUIRE(profile.ParseFromString(gunzipped(exported(recording, "pprof", measure))));
    REQUIRE(profile.string_table_size() > 0);
    CHECK(profile.string_table(0).empty());
    return profile;
}

std::string text(const Profile& profile, int64_t index) {
    return profile.string_table(static_cast<int>(index));
}

// Sums of each sample type by the label of the space.
std::map<std::string, uint64_t> sums_of(const Profile& profile, const std::string& space) {
    std::map<std::string, uint64_t> sums;
    for (const auto& sample : profile.sample()) {
        REQUIRE(sample.value_size() == profile.sample_type_size());
        CHECK(text(profile, sample.label(0).key()) == "space");
        if (text(profile, sample.label(0).str()) != space) continue;
        for (int i = 0; i < sample.value_size(); ++i) {
            sums[text(profile, profile.sample_type(i).type())] +=
                static_cast<uint64_t>(sample.value(i));
        }
    }
    return sums;
}

}  // namespace

TEST_CASE("pprof: samples add up to the totals of their space") {
    const Story story = training();
    const Totals& totals = story.recording.model.spaces[0].totals;
    CHECK(sums_of(read(story.recording), "host") ==
          std::map<std::string, uint64_t>{{"alloc_objects", totals.allocations},
                                          {"alloc_space", totals.allocated_bytes},
                                          {"inuse_objects", totals.live_blocks},
                                          {"inuse_space", totals.live_bytes},
                                          {"peak_objects", totals.at_peak_blocks},
                                          {"peak_space", totals.at_peak_bytes}});
}

TEST_CASE("pprof: a sample begins with its innermost frame, which has a function, file and line") {
    const Profile profile = read(training().recording);
    const auto& sample = profile.sample(0);
    REQUIRE(sample.location_id_size() == 3);
    const auto& location = profile.location(static_cast<int>(sample.location_id(0)) - 1);
    CHECK(location.id() == sample.location_id(0));
    CHECK(location.line(0).line() == 42);
    const auto& function = profile.function(static_cast<int>(location.line(0).function_id()) - 1);
    CHECK(text(profile, function.name()) == "Model::make_tensor");
    CHECK(text(profile, function.system_name()) == "Model::make_tensor(int)");
    CHECK(text(profile, function.filename()) == "model/tensor.cpp");
    // A name that is the same would be shortened again.
    for (const auto& one : profile.function()) CHECK(one.name() != one.system_name());
    // main is called at two lines: two locations of one function.
    std::set<int64_t> mains;
    for (const auto& one : profile.function()) {
        if (text(profile, one.name()) == "main") mains.insert(static_cast<int64_t>(one.id()));
    }
    CHECK(mains.size() == 1);
}

TEST_CASE("pprof: the first mapping is the program; modules have their build-id") {
    Story story = training();
    story.recording.model.process.executable = "/bin/python3";
    story.recording.model.stacks.modules[1] = {0x1000, 0x9000, 0, "/app/train", "\x01\xfe"};
    const Profile profile = read(story.recording);
    REQUIRE(profile.mapping_size() == 2);
    CHECK(text(profile, profile.mapping(0).filename()) == "/bin/python3");
    CHECK(text(profile, profile.mapping(1).filename()) == "/app/train");
    CHECK(text(profile, profile.mapping(1).build_id()) == "01fe");
    CHECK(profile.mapping(1).memory_limit() == 0x9000);
    CHECK(profile.location(0).mapping_id() == 2);
}

TEST_CASE("pprof: a module of which there were two builds has no build-id") {
    Story story = training();
    story.recording.model.stacks.modules[1] = {0x1000, 0x9000, 0, "/app/train", "\x01"};
    story.recording.model.stacks.modules[2] = {0x2000, 0xa000, 0, "/app/train", "\x02"};
    const Profile profile = read(story.recording);
    CHECK(text(profile, profile.mapping(0).build_id()).empty());
}

TEST_CASE("pprof: the chosen measure is the default sample type") {
    const Story story = training();
    const auto chosen = [&](ExportMeasure measure) {
        const Profile profile = read(story.recording, measure);
        return text(profile, profile.default_sample_type());
    };
    CHECK(chosen(ExportMeasure::peak) == "peak_space");
    CHECK(chosen(ExportMeasure::held) == "inuse_space");
    CHECK(chosen(ExportMeasure::allocated) == "alloc_space");
    CHECK(chosen(ExportMeasure::calls) == "alloc_objects");
}

TEST_CASE("pprof: the time of a range is that of the range") {
    Story story = training();
    story.recording.model.process.start_realtime_ns = 1000;
    CHECK(read(story.recording).time_nanos() == 1000);
    CHECK(read(story.recording).duration_nanos() == 12'400'000'000);
    story.recording.model.phase.emplace();
    story.recording.model.phase->duration_ns = 7;
    story.recording.model.phase->range = AskedRange{"1s", "2s", 30, 37};
    CHECK(read(story.recording).time_nanos() == 1030);
    CHECK(read(story.recording).duration_nanos() == 7);
}

TEST_CASE("pprof: a large recording is written in parts, and is one profile") {
    Story story;
    for (uint64_t i = 1; i <= 9000; ++i) {
        story.site("host",
                   story.stack({"f" + std::to_string(i % 50), "g" + std::to_string(i / 50)}), 1, i);
    }
    const Profile profile = read(story.recording);
    CHECK(profile.sample_size() == 9000);
    CHECK(sums_of(profile, "host")["peak_space"] == 9000 * 9001 / 2);
    for (int i = 0; i < profile.location_size(); ++i) {
        REQUIRE(profile.location(i).id() == static_cast<uint64_t>(i + 1));
    }
}

TEST_CASE("pprof: hostile names are valid UTF-8 and add up") {
    const Story story = hostile_story();
    const Profile profile = read(story.recording);
    CHECK(sums_of(profile, "host")["peak_space"] == 10 * std::size(hostile_names) + 5);
    for (const std::string& one : profile.string_table()) {
        CHECK(one == exported_text(one));
    }
}
