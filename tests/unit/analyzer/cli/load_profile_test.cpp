// SPDX-License-Identifier: Apache-2.0
//
// Profiles are read wherever dumps are, unless a report needs events.
#include "analyzer/cli/load_profile.h"

#include "tests/unit/analyzer/profile/profiles.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

std::string why_not_loaded(const std::string& path, const std::vector<const char*>& words) {
    try {
        load_profile(path, request_of(words));
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a profile has what the command needs, and no more than its dump would have") {
    const Recording story = replayed_story();
    const std::string bytes = write_profile(story);
    const memtrace::test::TempFile file({bytes.begin(), bytes.end()});
    const Recording summary = load_profile(file.path(), request_of({"summary", "x.bin"}));
    CHECK_FALSE(summary.model.phases.has_value());
    CHECK(summary.model.slices.slices.empty());
    CHECK(summary.model.spaces[0].histories.empty());
    CHECK(load_profile(file.path(), request_of({"phases", "x"})).model.phases.has_value());
    const Recording growth = load_profile(file.path(), request_of({"growth", "x"}));
    CHECK(growth.model.spaces[0].histories.size() == growth.model.spaces[0].sites.size());
}

TEST_CASE("a profile is filtered like its dump") {
    const std::string bytes = write_profile(replayed_story());
    const memtrace::test::TempFile file({bytes.begin(), bytes.end()});
    const Request request = request_of({"sites", "x", "--function", "there is no such function"});
    CHECK(load_profile(file.path(), request).model.spaces.empty());
}

TEST_CASE("reports that need events are refused, with the dump that has them") {
    const std::string bytes = write_profile(replayed_story());
    const memtrace::test::TempFile file({bytes.begin(), bytes.end()});
    const std::string path = file.path();
    const std::string dump = "Use the dump it was made of (story.bin).";
    CHECK_THAT(why_not_loaded(path, {"text", "x"}),
               Contains("text shows events") && Contains(dump));
    CHECK_THAT(why_not_loaded(path, {"leaks", "x", "--phase", "step 3"}),
               Contains("the phase \"step 3\"") && Contains(dump));
    CHECK_THAT(why_not_loaded(path, {"phases", "x", "--each"}), Contains("--each"));
    CHECK_THAT(why_not_loaded(path, {"peak", "x", "--from", "1s"}), Contains("part of its time"));
    CHECK_THAT(why_not_loaded(path, {"sites", "x", "--thread", "a"}), Contains("which thread"));
    CHECK_THAT(why_not_loaded(path, {"phases", "x", "--own"}), Contains("some of the memory"));
    CHECK_THAT(why_not_loaded(path, {"temporary", "x", "--events", "2"}), Contains("how long"));
    CHECK_THAT(why_not_loaded(path, {"growth", "x", "--step", "epoch 1"}),
               Contains("cut at \"step #\", not at \"epoch 1\""));
    CHECK(why_not_loaded(path, {"growth", "x", "--step", "step 7"}).empty());
}
