// SPDX-License-Identifier: Apache-2.0
//
// `check` and `baseline` from their options to their files.
#include "analyzer/commands/command_check.h"

#include "analyzer/base/error.h"
#include "analyzer/check/baseline_file.h"
#include "analyzer/commands/command_baseline.h"
#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/analyzer/growth/growing.h"
#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// For checks without limits on phases.
Recording no_phase(const std::string& phase) { throw Error("nobody asked for " + phase); }

// Runs `check --update-baseline` on one recording.
std::string update(const std::string& path, const Recording& recording) {
    CheckOptions options;
    options.baseline = path;
    options.update_baseline = true;
    Checks checks(options);
    checks.check(recording, no_phase);
    return checks.finish();
}

CheckResult compare(const std::string& path, const Recording& recording) {
    CheckOptions options;
    options.baseline = path;
    return Checks(options).check(recording, no_phase);
}

}  // namespace

TEST_CASE("a baseline is written, compared with, updated, and then it is what counts") {
    const Folder place;
    const std::string path = (place.path / "base.json").string();
    const Story before = program({{"load", 100'000}});
    const Story now = program({{"load", 100'000}, {"keep", 300'000}});
    CHECK_THAT(update(path, before.recording), Contains("base.json was written."));
    CHECK(has_passed(compare(path, before.recording)));
    CHECK_FALSE(has_passed(compare(path, now.recording)));
    CHECK_THAT(update(path, now.recording),
               Contains("was updated.\n  host peak-bytes: 390.6 KiB, before: 97.7 KiB\n"));
    CHECK(has_passed(compare(path, now.recording)));
    const std::string first = contents(path);
    update(path, now.recording);
    CHECK(contents(path) == first);
}

TEST_CASE("no baseline comes of a damaged recording") {
    const Folder place;
    const std::string path = (place.path / "base.json").string();
    Story story = program({{"load", 100'000}});
    story.recording.model.damaged = true;
    CHECK_THAT(update(path, story.recording), Contains("was not written"));
    CHECK_FALSE(std::filesystem::exists(path));
    CheckOptions options;
    options.output = path;
    BaselineMaker maker(options);
    CHECK_THAT(maker.add(story.recording), Contains("damaged or incomplete"));
    CHECK_THAT(maker.finish(), Contains("No baseline was written"));
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a baseline keeps what a sample only estimates, and nothing passes by it") {
    const Folder place;
    const std::string path = (place.path / "base.json").string();
    Story story = program({{"load", 100'000}});
    update(path, story.recording);
    const std::string before = contents(path);
    story.space("host").is_estimate = true;
    const CheckResult result = compare(path, story.recording);
    CHECK(result.limits.empty());
    REQUIRE(result.obstacles.size() == 1);
    CHECK_THAT(result.obstacles[0], Contains("host cannot be compared with the baseline"));
    CHECK_THAT(update(path, story.recording), Contains("was not written"));
    CHECK(contents(path) == before);
    std::filesystem::remove(path);
    CHECK_THAT(update(path, story.recording), Contains("was not written"));
    CHECK_FALSE(std::filesystem::exists(path));
    CheckOptions options;
    options.output = path;
    BaselineMaker maker(options);
    CHECK_THAT(maker.add(story.recording), Contains("host would be missing"));
    CHECK_THAT(maker.finish(), Contains("No baseline was written"));
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("limits of sizes are judged on a sample when those that compare are off") {
    const Folder place;
    Story story = program({{"load", 100'000}});
    CheckOptions options;
    options.baseline = (place.path / "base.json").string();
    update(options.baseline, story.recording);
    story.space("host").is_estimate = true;
    options.limits = {limit_of(Metric::peak_bytes, "1M"), limit_of(Metric::leaked_bytes, "1M"),
                      limit_of(Metric::leaked_bytes, "off", Scope::new_site)};
    const CheckResult result = Checks(options).check(story.recording, no_phase);
    CHECK(result.obstacles.empty());
    CHECK(result.limits.size() == 2);
    CHECK(has_passed(result));
}

TEST_CASE("the temporary part of a sampled phase is not judged") {
    Story story = program({{"load", 100'000}});
    story.space("host").is_estimate = true;
    CheckOptions options;
    options.limits = {limit_of(Metric::temporary_percent, "5%")};
    options.limits[0].phase = "train";
    const CheckResult result =
        Checks(options).check(story.recording, [&](const std::string&) { return story.recording; });
    REQUIRE(result.obstacles.size() == 1);
    CHECK_THAT(result.obstacles[0], Contains("temporary allocations are not known"));
}

TEST_CASE("no baseline comes of some of the dumps where others could not be read") {
    const Folder place;
    CheckOptions options;
    options.baseline = (place.path / "base.json").string();
    options.update_baseline = true;
    Checks checks(options);
    checks.check(program({{"load", 100'000}}).recording, no_phase);
    checks.add_unread("b.bin", "b.bin is not a dump");
    CHECK_THAT(checks.finish(), Contains("was not written"));
    CHECK_FALSE(std::filesystem::exists(options.baseline));
}

TEST_CASE("several runs make one baseline; - prints it") {
    CheckOptions options;
    options.output = "-";
    BaselineMaker maker(options);
    CHECK(maker.add(program({{"load", 100'000}}).recording).empty());
    CHECK(maker.add(program({{"load", 120'000}}).recording).empty());
    CHECK_THAT(maker.finish(), Contains("\"runs\": 2,"));
}

TEST_CASE("the command line goes before the configuration, and paths are relative to that") {
    const Folder place;
    std::ofstream(place.path / "memtrace.toml")
        << "baseline = \"b.json\"\ndefault-suppressions = false\n"
           "[limits]\npeak-bytes = 5\nallocations = 7\n[code]\nlibraries = \"third_party\"\n";
    CheckOptions options;
    options.config = (place.path / "memtrace.toml").string();
    options.limits = {limit_of(Metric::peak_bytes, "9")};
    add_config(options);
    REQUIRE(options.limits.size() == 2);
    CHECK(options.limits[0].value == 9);
    CHECK(options.limits[1].value == 7);
    CHECK(options.baseline == (place.path / "b.json").string());
    CHECK_FALSE(options.default_suppressions);
    CHECK(options.code.libraries == std::vector<std::string>{"third_party"});
    CHECK(std::filesystem::path(options.root) == place.path);
}

TEST_CASE("limits of a phase are held against that phase, and the others against the whole") {
    CheckOptions options;
    options.limits = {limit_of(Metric::peak_bytes, "400000"), limit_of(Metric::peak_bytes, "9"),
                      limit_of(Metric::leaked_bytes, "off")};
    options.limits[1].phase = "train";
    options.limits[2].phase = "off";
    const Story whole = program({{"load", 300'000}});
    std::vector<std::string> loaded;
    const CheckResult result =
        Checks(options).check(whole.recording, [&](const std::string& phase) {
            loaded.push_back(phase);
            return program({{"step", 100}}).recording;
        });
    CHECK(loaded == std::vector<std::string>{"train"});
    REQUIRE(result.limits.size() == 2);
    CHECK((result.limits[0].measured == 300'000 && result.limits[0].passed));
    CHECK((result.limits[1].measured == 100 && !result.limits[1].passed));
    CHECK(title_of(result.limits[1].limit) == "train: host peak-bytes");
}

TEST_CASE("what a phase has not cannot be limited in it") {
    CheckOptions options;
    options.limits = {limit_of(Metric::peak_bytes, "+10%")};
    options.limits[0].phase = "train";
    CHECK_THROWS_WITH(Checks(options), Contains("[phases.train]"));
    options.limits = {limit_of(Metric::growth_per_step, "9")};
    options.limits[0].phase = "train";
    CHECK_THROWS_WITH(Checks(options), Contains("whole recordings"));
}

TEST_CASE("a limit on growth passes nothing that could not be judged") {
    CheckOptions options;
    options.limits = {limit_of(Metric::growth_per_hour, "1M")};
    const Story story = program({{"load", 300'000}});  // without a history
    const CheckResult result = Checks(options).check(story.recording, no_phase);
    REQUIRE(result.obstacles.size() == 1);
    CHECK_THAT(result.obstacles[0], Contains("Growth was not judged: "));
    CHECK(result.limits.empty());
}

TEST_CASE("of a run without steps growth by hour is judged, and growth in a step is not") {
    GrowingStory story;
    story.keeps({"keep app.cpp:3"}, 64);
    story.recording.model.slices.step = "";
    story.recording.model.slices.steps = 0;
    CheckOptions options;
    options.limits = {limit_of(Metric::growth_per_hour, "1M"),
                      limit_of(Metric::growth_per_step, "100")};
    const CheckResult result = Checks(options).check(story.recording, no_phase);
    REQUIRE(result.obstacles.size() == 1);
    CHECK_THAT(result.obstacles[0], Contains("Growth in a step was not judged: "));
    REQUIRE(result.limits.size() == 1);
    CHECK(result.limits[0].limit.metric == Metric::growth_per_hour);
    CHECK(result.limits[0].passed);
}

TEST_CASE("a missing file is said before any dump is read") {
    CheckOptions options;
    options.suppressions = {"/nonexistent.supp"};
    CHECK_THROWS_AS(Checks(options), Error);
    options.suppressions.clear();
    options.baseline = "/nonexistent.json";
    CHECK_THROWS_AS(Checks(options), Error);
}

TEST_CASE("outputs are files") {
    const Folder place;
    CheckOptions options;
    options.limits = {limit_of(Metric::leaked_bytes, "0")};
    options.junit = (place.path / "j.xml").string();
    options.sarif = (place.path / "s.sarif").string();
    options.markdown = (place.path / "m.md").string();
    options.github = true;
    Checks checks(options);
    checks.check(program({{"keep src/train.cpp:17", 1}}).recording, no_phase);
    unsetenv("GITHUB_STEP_SUMMARY");  // of the job that runs this test
    CHECK_THAT(checks.finish(), Contains("::error file=src/train.cpp,line=17"));
    CHECK_THAT(contents(options.junit), Contains("<testsuites"));
    CHECK_THAT(contents(options.sarif), Contains("\"2.1.0\""));
    CHECK_THAT(contents(options.markdown), Contains("### memtrace"));
}
