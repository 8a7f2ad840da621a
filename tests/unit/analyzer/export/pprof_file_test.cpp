// SPDX-License-Identifier: Apache-2.0
#include "analyzer/export/pprof_file.h"

#include <map>
#include <string>

#include "analyzer/base/error.h"
#include "analyzer/export/pprof.pb.h"
#include "tests/unit/analyzer/export/exports.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

using Profile = perftools::profiles::Profile;
constexpr uint64_t second = 1'000'000'000;

// A recording whose sites hold so many bytes, by function, each in one block of three.
std::string file_of(const std::map<std::string, uint64_t>& held, uint64_t seconds) {
    Story story;
    for (const auto& [function, bytes] : held) {
        const uint32_t stack = story.stack({function + " a.cpp:1", "main a.cpp:9"});
        story.site("host", stack, 3, bytes, 1);
    }
    story.recording.model.process.start_realtime_ns = 100 * second;
    story.recording.model.process.duration_ns = seconds * second;
    return exported(story.recording, "pprof", ExportMeasure::held);
}

Profile read(const std::string& file) {
    Profile profile;
    REQUIRE(profile.ParseFromString(gunzipped(file)));
    return profile;
}

std::string text(const Profile& profile, int64_t index) {
    return profile.string_table(static_cast<int>(index));
}

// Returns the value by the innermost function of each sample.
std::map<std::string, int64_t> values(const Profile& profile, const std::string& type) {
    std::map<uint64_t, std::string> names, places;
    for (const auto& one : profile.function()) names[one.id()] = text(profile, one.name());
    for (const auto& one : profile.location()) places[one.id()] = names[one.line(0).function_id()];
    int column = 0;
    while (text(profile, profile.sample_type(column).type()) != type) ++column;
    std::map<std::string, int64_t> result;
    for (const auto& sample : profile.sample()) {
        result[places[sample.location_id(0)]] = sample.value(column);
    }
    return result;
}

}  // namespace

TEST_CASE("between two moments: what has changed, in both directions, also where it is gone") {
    const std::string before = file_of({{"grows", 10}, {"stays", 7}, {"gone", 30}}, 5);
    const std::string after = file_of({{"grows", 40}, {"stays", 7}, {"comes", 4}}, 8);
    const Profile profile = read(pprof_between(before, after));
    CHECK(values(profile, "inuse_space") ==
          std::map<std::string, int64_t>{{"grows", 30}, {"comes", 4}, {"gone", -30}});
    CHECK(values(profile, "alloc_space").at("grows") == 90);
    CHECK(profile.sample_type_size() == 4);  // no peaks
    for (const auto& sample : profile.sample()) {
        CHECK(sample.value_size() == 4);
        CHECK(text(profile, sample.label(0).str()) == "host");
    }
    CHECK(profile.time_nanos() == static_cast<int64_t>(105 * second));
    CHECK(profile.duration_nanos() == static_cast<int64_t>(3 * second));
    CHECK(text(profile, profile.default_sample_type()) == "inuse_space");
}

TEST_CASE("between a moment and itself there is nothing") {
    const std::string file = file_of({{"f", 10}}, 5);
    CHECK(read(pprof_between(file, file)).sample_size() == 0);
}

TEST_CASE("what is no such file is an error") {
    const std::string file = file_of({{"f", 10}}, 5);
    CHECK_THROWS_AS(pprof_between("", file), Error);
    CHECK_THROWS_AS(pprof_between(file, file.substr(0, file.size() / 2)), Error);
    CHECK_THROWS_AS(pprof_text("text"), Error);
}

TEST_CASE("as text, the largest comes first, with its stack") {
    const std::string all = pprof_text(file_of({{"large", 4000}, {"small", 10}}, 5));
    CHECK_THAT(all, Catch::Matchers::StartsWith("heap profile: "));
    CHECK_THAT(all, Contains("\tlarge\ta.cpp:1\n#\tmain\ta.cpp:9\n"));
    CHECK_THAT(all, Contains(": 4000 ["));
    CHECK(all.find("large") < all.find("small"));
}
