// SPDX-License-Identifier: Apache-2.0
//
// A baseline as a file: the text that a reviewer reads, and the files that are refused.
#include "analyzer/check/baseline_file.h"

#include "analyzer/base/error.h"
#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

Baseline two_runs() {
    return make_baseline(
        {measured_of(program({{"load src/load.cpp:7", 100'000}, {"small a.cpp:1", 10}}).recording),
         measured_of(program({{"load src/load.cpp:7", 120'000}}).recording)},
        default_floors());
}

std::string complaint(const std::string& text) {
    try {
        parse_baseline(text, "b.json");
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a site is a line; figures are numbers, or the least and the most") {
    const std::string text = baseline_text(two_runs());
    CHECK_THAT(text, Contains(R"(  "memtrace_baseline": 1,)"));
    CHECK_THAT(text, Contains(R"(  "program": "train",)"));
    CHECK_THAT(text, Contains(R"(        {"site": "load < main", "at": "src/load.cpp:7", )"
                              R"("peak_bytes": [100000, 120000], )"
                              R"("leaked_bytes": [100000, 120000], "leaked_blocks": 1, )"
                              R"("held_bytes": [100000, 120000], "held_blocks": 1, )"
                              R"("allocations": 1, "allocated_bytes": [100000, 120000]})"));
    CHECK_THAT(text, Contains(R"("others": {"sites": 1, "peak_bytes": [0, 10], )"));
    CHECK(text.find("/app") == std::string::npos);
    Story story = program({{"load", 100'000}});
    story.space("host").totals.temporary = 1;
    story.space("host").totals.allocations = 3;
    const std::string part =
        baseline_text(make_baseline({measured_of(story.recording)}, default_floors()));
    CHECK_THAT(part, Contains(R"("temporary_percent": 33.34,)"));
    CHECK(baseline_text(parse_baseline(part, "")) == part);
}

TEST_CASE("what was written is read, and written again it is the same") {
    const std::string text = baseline_text(two_runs());
    CHECK(baseline_text(two_runs()) == text);
    const Baseline found = parse_baseline(text, "b.json");
    CHECK(found.path == "b.json");
    CHECK(found.runs == 2);
    CHECK(found.spaces[0].has[0]);
    CHECK(baseline_text(found) == text);
    const std::string nothing = baseline_text(Baseline{});
    CHECK(baseline_text(parse_baseline(nothing, "")) == nothing);
}

TEST_CASE("a baseline of an older memtrace is read, and does not have what is newer") {
    std::string text = baseline_text(two_runs());
    for (const std::string name : {"\"held_bytes\": ", "\"held_blocks\": "}) {
        for (size_t at = text.find(name); at != std::string::npos; at = text.find(name)) {
            text.replace(at, name.size(), "\"removed\": ");
        }
    }
    const Baseline old = parse_baseline(text, "old.json");
    CHECK_FALSE(old.spaces[0].has[static_cast<size_t>(Metric::held_bytes)]);
    CHECK(old.spaces[0].has[static_cast<size_t>(Metric::leaked_bytes)]);
    const Measurements now = measured_of(program({{"load src/load.cpp:7", 110'000}}).recording);
    const Baseline fresh = update_baseline(old, now, default_floors());
    CHECK(band(fresh.spaces[0].bands, Metric::held_bytes) == Band{110'000, 110'000});
    CHECK(band(fresh.spaces[0].bands, Metric::leaked_bytes) == Band{100'010, 120'000});
    CHECK_THAT(baseline_text(fresh), Contains("\"held_bytes\": 110000"));
}

TEST_CASE("a name may be anything") {
    Story story = program({{"keep\"\n\\", 100'000}});
    const Baseline odd = make_baseline({measured_of(story.recording)}, default_floors());
    CHECK(parse_baseline(baseline_text(odd), "").spaces[0].sites[0].key == "keep\"\n\\ < main");
}

TEST_CASE("what is no baseline is refused with a reason") {
    CHECK_THAT(complaint("{}"), Contains("b.json") && Contains("is no baseline"));
    CHECK_THAT(complaint("not JSON"), Contains("is no baseline"));
    CHECK_THAT(complaint(R"({"memtrace_baseline": 2})"), Contains("schema 2"));
    CHECK_THAT(complaint(R"({"memtrace_baseline": 1})"), Contains("is missing"));
    std::string text = baseline_text(two_runs());
    text.replace(text.find("[100000, 120000]"), 16, "[120000, 100000]");
    CHECK_THAT(complaint(text), Contains("most first"));
    text = baseline_text(two_runs());
    text.replace(text.find("\"runs\": 2"), 9, "\"runs\": -");
    CHECK_THAT(complaint(text), Contains("is no baseline"));
    CHECK_THROWS_WITH(read_baseline("/nonexistent.json"), Contains("--update-baseline"));
}

TEST_CASE("JSON that is deep or has too many members is refused, however much there is of it") {
    const auto repeated = [](const std::string& text, size_t count) {
        std::string all;
        for (size_t i = 0; i < count; ++i) all += text;
        return all;
    };
    std::string members;
    for (int i = 0; i < 300'000; ++i) members += "\"" + std::to_string(i) + "\":1,";
    for (const std::string& text :
         {repeated("[", 300'000), repeated("{\"a\":", 300'000),
          "{\"memtrace_baseline\":" + repeated("[", 1000) + repeated("]", 1000) + "}"}) {
        CHECK_THROWS_WITH(parse_baseline(text, "b.json"), Contains("nested more than 32 deep"));
    }
    CHECK_THROWS_WITH(parse_baseline("{" + members + "\"z\":1}", "b.json"),
                      Contains("more than 1000 members"));
}
