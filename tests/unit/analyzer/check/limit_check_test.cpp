// SPDX-License-Identifier: Apache-2.0
//
// Limits, checked on a recording alone and in comparison with an earlier one.
#include "analyzer/check/limit_check.h"

#include "analyzer/base/error.h"
#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

std::vector<LimitResult> alone(const Story& story, const std::vector<Limit>& limits) {
    return check_limits(measured_of(story.recording), nullptr, limits);
}

}  // namespace

TEST_CASE("the limit itself is still within") {
    Story story;
    story.site("host", story.stack({"make"}), 10, 100, 3);
    const auto passed = [&](Metric metric, const char* limit) {
        return alone(story, {limit_of(metric, limit)})[0].passed;
    };
    CHECK(passed(Metric::leaked_bytes, "300"));
    CHECK_FALSE(passed(Metric::leaked_bytes, "299"));
    CHECK(passed(Metric::leaked_blocks, "3"));
    CHECK_FALSE(passed(Metric::leaked_blocks, "2"));
    CHECK(passed(Metric::peak_bytes, "1000"));
    CHECK_FALSE(passed(Metric::peak_bytes, "999"));
    CHECK(passed(Metric::allocations, "10"));
    CHECK_FALSE(passed(Metric::allocations, "9"));
    CHECK(passed(Metric::allocated_bytes, "1000"));
    CHECK_FALSE(passed(Metric::allocated_bytes, "999"));
    CHECK(passed(Metric::temporary_percent, "0%"));
    CHECK(passed(Metric::peak_bytes, "mmap=0"));  // a space without events
    CHECK(alone(story, {limit_of(Metric::peak_bytes, "off")}).empty());
}

TEST_CASE("a limit of no byte is broken by a block of no byte") {
    Story story;
    story.site("host", story.stack({"make", "main"}), 3, 0, 2);
    const auto check = [&](Metric metric, const char* limit, Scope scope = Scope::space) {
        return alone(story, {limit_of(metric, limit, scope)})[0];
    };
    for (const Metric metric : {Metric::leaked_bytes, Metric::held_bytes}) {
        const LimitResult whole = check(metric, "0");
        CHECK_FALSE(whole.passed);
        CHECK(whole.blocks == 2);
        CHECK(verdict_text(whole) == "2 blocks of 0 bytes, limit 0 B (0 bytes)");
        REQUIRE(whole.blamed.size() == 1);
        CHECK_THAT(blame_sentence(whole, whole.blamed[0]),
                   Contains("2 blocks of 0 bytes, by make [train] < main"));
        CHECK(check(metric, "1").passed);  // A byte is more than nothing.
        const LimitResult site = check(metric, "0", Scope::site);
        CHECK_FALSE(site.passed);
        CHECK(verdict_text(site) == "1 call site with blocks of 0 bytes, limit 0 B");
    }
    CHECK(check(Metric::allocated_bytes, "0").passed);
    CHECK(check(Metric::leaked_bytes, "mmap=0").passed);
}

TEST_CASE("blocks of no byte that the baseline has are allowed by a limit of no more") {
    const auto passed = [](uint64_t before, uint64_t now, const char* limit, Scope scope) {
        const auto story_of = [](uint64_t blocks) {
            Story story = program({{"load", 0}});
            story.site("host", story.stack({"make", "main"}), 9, 0, blocks);
            return story;
        };
        const Limit of = limit_of(Metric::leaked_bytes, limit, scope);
        return compared(story_of(before), story_of(now), {of}).limits[0].passed;
    };
    CHECK(passed(2, 2, "+0", Scope::space));
    CHECK_FALSE(passed(2, 3, "+0", Scope::space));
    CHECK_FALSE(passed(2, 2, "0", Scope::space));
    CHECK(passed(2, 9, "+1", Scope::space));
}

TEST_CASE("a limit of all there is cannot be exceeded by its own error") {
    Story story;
    story.site("python", story.stack({"make"}), 1, 1000, 1);
    story.recording.model.spaces[0].is_estimate = true;
    story.recording.model.spaces[0].sample_interval = uint64_t{1} << 40;
    CHECK(alone(story, {limit_of(Metric::peak_bytes, "python=18446744073709551615")})[0].passed);
}

TEST_CASE("a leaky change breaks the relative limit and the one on new sites, and is blamed") {
    const CheckResult result = leaky_change();
    REQUIRE(result.limits.size() == 3);
    const LimitResult& whole = result.limits[0];
    CHECK_FALSE(whole.passed);
    CHECK(whole.measured == 400'000);
    CHECK(whole.allowed == 110'000);
    CHECK(whole.before == Band{100'000, 100'000});
    REQUIRE(whole.blamed.size() == 1);  // load is unchanged
    CHECK(whole.blamed[0].site == "keep < main");
    CHECK(text_of(whole.blamed[0].place) == "src/train.cpp:17");
    CHECK(whole.blamed[0].now == 300'000);
    CHECK_FALSE(whole.blamed[0].before.has_value());
    CHECK(whole.blamed[0].below == 16u << 10);
    CHECK_FALSE(result.limits[1].passed);
    CHECK(result.limits[1].blamed.size() == 1);
    CHECK(result.limits[2].passed);
    CHECK_FALSE(has_passed(result));
    CHECK(result.obstacles.empty());
}

TEST_CASE("what is too small to be in a baseline is blamed only if nothing else is") {
    const Story before = program({{"load", 100'000}});
    const auto blamed = [&](const Story& now) {
        const Limit limit = limit_of(Metric::leaked_bytes, "+0");
        return compared(before, now, {limit}).limits[0].blamed;
    };
    const auto large = blamed(program({{"load", 100'000}, {"small", 500}, {"keep", 20'000}}));
    REQUIRE(large.size() == 1);
    CHECK(large[0].site == "keep < main");
    const auto small = blamed(program({{"load", 100'000}, {"small", 500}}));
    REQUIRE(small.size() == 1);
    CHECK(small[0].site == "small < main");
}

TEST_CASE("each known site may have its own and a little more; a new one is not its matter") {
    const Story before = program({{"load", 100'000}, {"keep", 50'000}});
    const Story now = program({{"load", 100'000}, {"keep", 60'000}, {"more", 90'000}});
    const auto result = [&](const char* text) {
        return compared(before, now, {parse_site_limit(Scope::site, text, "--max-site")}).limits[0];
    };
    CHECK(result("leaked-bytes=+20%").passed);
    const LimitResult broken = result("leaked-bytes=+10%");
    REQUIRE(broken.blamed.size() == 1);
    CHECK(broken.blamed[0].site == "keep < main");
    CHECK(broken.blamed[0].before == Band{50'000, 50'000});
    CHECK(result("leaked-bytes=80000").blamed.size() == 2);  // absolute: on all sites
}

TEST_CASE("the noise band's most is what counts") {
    const Measurements a = measured_of(program({{"load", 100'000}}).recording);
    const Measurements b = measured_of(program({{"load", 130'000}}).recording);
    const Baseline baseline = make_baseline({a, b}, default_floors());
    const auto passed = [&](uint64_t bytes, const char* limit) {
        const Measurements now = measured_of(program({{"load", bytes}}).recording);
        return check_limits(now, &baseline, {limit_of(Metric::peak_bytes, limit)})[0].passed;
    };
    CHECK(passed(130'000, "+0"));
    CHECK_FALSE(passed(130'001, "+0"));
    CHECK(passed(50'000, "+0"));  // less always passes
}

TEST_CASE("the defaults are about peak, leaks and new sites of each exact space") {
    Story story = program({{"load", 100'000}});
    story.site("python", story.stack({"make"}), 1, 10, 1);
    story.space("python").is_estimate = true;
    const Measurements now = measured_of(story.recording);
    const auto limits = default_limits(now, make_baseline({now}, default_floors()));
    CHECK(limits.size() == 3);
    CHECK(has_passed({check_limits(now, nullptr, {}), {}, {}, now, "", {}}));
    const auto merged = merge_limits({limit_of(Metric::peak_bytes, "off")}, limits);
    CHECK(merged.size() == 3);
    CHECK(merged[0].is_off);
}

TEST_CASE("a space that is estimated now keeps its default limits, for whoever judges them") {
    Story story = program({{"load", 100'000}});
    const Baseline before = make_baseline({measured_of(story.recording)}, default_floors());
    story.space("host").is_estimate = true;
    CHECK(default_limits(measured_of(story.recording), before).size() == 3);
    CHECK(default_limits(measured_of(story.recording), Baseline{}).size() == 3);
}

TEST_CASE("objects of Python that the baseline does not have are not compared with nothing") {
    Story story = program({{"load", 100'000}});
    Baseline before = make_baseline({measured_of(story.recording)}, default_floors());
    before.path = "base.json";
    story.site("python", story.stack({"make"}), 1, 10'000'000, 1);
    const Measurements now = measured_of(story.recording);
    CHECK(default_limits(now, before).size() == 3);
    REQUIRE(not_compared(now, before).size() == 1);
    CHECK_THAT(not_compared(now, before)[0],
               Contains("python is not compared: the baseline base.json"));
    CHECK_THROWS_WITH(check_limits(now, &before, {limit_of(Metric::peak_bytes, "python=+10%")}),
                      Contains("the baseline base.json does not have python peak-bytes"));
    const Baseline whole = make_baseline({now}, default_floors());
    CHECK(default_limits(now, whole).size() == 6);
    CHECK(not_compared(now, whole).empty());
}

TEST_CASE("the line to blame is the one with most of what the limit is about") {
    Story story = program({});
    const auto line = [&](const char* place) {
        return story.stack({"libc:malloc", place, "main src/train.cpp:90"});
    };
    story.site("host", line("work src/a.cpp:3"), 20, 8'000'000, 0);
    story.site("host", line("work src/a.cpp:4"), 1, 100'000, 1);
    const auto blamed = [&](Metric metric) {
        const LimitResult result = alone(story, {limit_of(metric, "10")})[0];
        REQUIRE(result.blamed.size() == 1);
        return text_of(result.blamed[0].place);
    };
    CHECK(blamed(Metric::leaked_bytes) == "src/a.cpp:4");
    CHECK(blamed(Metric::allocations) == "src/a.cpp:3");
    CHECK(blamed(Metric::allocated_bytes) == "src/a.cpp:3");
}

TEST_CASE("what is given back at exit breaks a limit on what is held, and none on leaks") {
    Story now = program({{"load", 100'000}, {"keep src/a.cpp:3", 300'000}});
    give_back_at_exit(now);
    const auto results =
        alone(now, {limit_of(Metric::held_bytes, "100000"), limit_of(Metric::held_blocks, "1"),
                    limit_of(Metric::held_bytes, "300K", Scope::site),
                    limit_of(Metric::leaked_bytes, "0")});
    CHECK_FALSE(results[0].passed);
    CHECK(results[0].measured == 400'000);
    CHECK(results[0].blamed[0].site == "keep < main");
    CHECK_FALSE(results[1].passed);
    CHECK(results[2].passed);
    CHECK(results[3].passed);
}

TEST_CASE("what is held is compared by default where it is not what is leaked") {
    const Story kept = program({{"load", 100'000}});
    Story now = program({{"load", 100'000}, {"keep", 300'000}});
    give_back_at_exit(now);
    const Measurements before = measured_of(kept.recording), after = measured_of(now.recording);
    Baseline baseline = make_baseline({before}, default_floors());
    const auto of_held = [&](const Measurements& measured) {
        const std::vector<Limit> limits = default_limits(measured, baseline);
        return std::count_if(limits.begin(), limits.end(), [](const Limit& limit) {
            return limit.metric == Metric::held_bytes && limit.is_default;
        });
    };
    CHECK(of_held(before) == 0);
    CHECK(of_held(after) == 1);
    CHECK(not_compared(after, baseline).empty());
    const auto results = check_limits(after, &baseline, default_limits(after, baseline));
    CHECK(std::count_if(results.begin(), results.end(), [](const LimitResult& result) {
              return result.limit.metric == Metric::held_bytes && !result.passed;
          }) == 1);

    // As if an older memtrace had written it.
    baseline.path = "old.json";
    baseline.spaces[0].has[static_cast<size_t>(Metric::held_bytes)] = false;
    CHECK(of_held(after) == 0);
    REQUIRE(not_compared(after, baseline).size() == 1);
    CHECK_THAT(not_compared(after, baseline)[0],
               Contains("in host") && Contains("old.json") && Contains("--update-baseline"));
    CHECK(not_compared(before, baseline).empty());
    CHECK_THROWS_WITH(check_limits(after, &baseline, {limit_of(Metric::held_bytes, "+10%")}),
                      Contains("old.json does not have host held-bytes"));
    const auto alone = check_limits(after, &baseline, {limit_of(Metric::held_bytes, "1K")});
    CHECK_FALSE(alone[0].passed);
    CHECK_FALSE(alone[0].before.has_value());
}

TEST_CASE("what cannot be compared is an error, not a pass") {
    const Story story = program({{"load", 100'000}});
    const Measurements now = measured_of(story.recording);
    CHECK_THROWS_WITH(check_limits(now, nullptr, {limit_of(Metric::peak_bytes, "+10%")}),
                      Contains("--baseline"));
    Baseline baseline = make_baseline({now}, default_floors());
    const Limit strict = limit_of(Metric::leaked_bytes, "1K", Scope::new_site);
    CHECK_THROWS_WITH(check_limits(now, &baseline, {strict}), Contains("16.0 KiB or more"));
    baseline = make_baseline({now}, floors_for({strict}));
    CHECK(check_limits(now, &baseline, {strict})[0].passed);
    baseline.spaces[0].has.fill(false);
    CHECK_THROWS_WITH(check_limits(now, &baseline, {limit_of(Metric::peak_bytes, "+10%")}),
                      Contains("--update-baseline"));
}

TEST_CASE("nothing passes on a recording that is damaged, lost events or has less in it") {
    Story story = program({{"load", 100'000}});
    const auto obstacles = [&](const Baseline* baseline = nullptr) {
        std::string all;
        for (const std::string& text :
             find_obstacles(story.recording, measured_of(story.recording), baseline)) {
            all += text;
        }
        return all;
    };
    CHECK(obstacles().empty());
    story.recording.model.filters = FilterInfo{{.functions = {"load"}}, {}};
    CHECK(obstacles().empty());
    story.recording.model.filters.reset();
    story.recording.model.capture.lost_events = 1;
    CHECK_THAT(obstacles(), Contains("incomplete"));
    story.recording.model.capture.lost_events = 0;
    story.recording.model.damaged = true;
    CHECK_THAT(obstacles(), Contains("damaged"));
    story.recording.model.damaged = false;
    Baseline baseline = make_baseline({measured_of(story.recording)}, default_floors());
    CHECK(obstacles(&baseline).empty());
    baseline.python = "on";
    CHECK_THAT(obstacles(&baseline), Contains("functions of Python"));
    baseline.python = "none";
    baseline.gpu = "driver";
    CHECK_THAT(obstacles(&baseline), Contains("memory of GPUs, recorded by driver"));
    baseline.gpu = "none";
    baseline.program = "serve";
    CHECK_THAT(obstacles(&baseline), Contains("of serve, and this is train"));
    baseline.program = "train";
    baseline.selection = "from 1s to 2s, --own";
    CHECK_THAT(obstacles(&baseline), Contains("The baseline is from 1s to 2s, --own, and this "
                                              "check is of whole recordings"));
}

TEST_CASE("an estimate breaks a limit only by more than its error") {
    constexpr uint64_t interval = 1 << 19;
    // Three standard deviations of 16 MiB: 3 * sqrt(2^24 * 2^19).
    CHECK(estimate_error(Metric::leaked_bytes, 1 << 24, interval) == 8'897'463);
    CHECK(estimate_error(Metric::leaked_blocks, 1 << 16, interval) == 196'608);
    CHECK(estimate_error(Metric::leaked_bytes, 1 << 24, 0) == 0);
    CHECK(estimate_error(Metric::growth_per_hour, 1 << 24, interval) == 0);

    Story story;
    story.site("python", story.stack({"make"}), 16, 1 << 20, 16);
    Measurements measured = measured_of(story.recording);
    measured.spaces[0].is_estimate = true;
    measured.spaces[0].interval = interval;
    const auto result = [&](const char* limit) {
        return check_limits(measured, nullptr, {limit_of(Metric::leaked_bytes, limit)})[0];
    };
    CHECK(result("python=8M").passed);
    CHECK_FALSE(result("python=7M").passed);
    CHECK(result("python=7M").is_estimate);
    CHECK(result("python=7M").error == 8'897'463);
}

TEST_CASE("a limit that only doubtful blocks break is not sure to be broken") {
    Story story;
    story.site("host", story.stack({"make"}), 10, 100, 3);
    const auto doubts = [&](Metric metric, const char* limit, Scope scope = Scope::space) {
        const Measurements measured = measured_of(story.recording);
        return find_doubts(measured,
                           check_limits(measured, nullptr, {limit_of(metric, limit, scope)}));
    };
    CHECK(doubts(Metric::leaked_bytes, "0").empty());  // Every block is sure.
    Space& host = story.recording.model.spaces[0];
    host.unsure_blocks = 1;
    host.unsure_bytes = 100;
    CHECK(doubts(Metric::leaked_bytes, "300").empty());
    CHECK(doubts(Metric::leaked_bytes, "199").empty());  // It is broken by sure ones alone.
    CHECK_THAT(doubts(Metric::leaked_bytes, "200").at(0), Contains("host leaked-bytes"));
    CHECK(doubts(Metric::leaked_blocks, "2").size() == 1);
    CHECK(doubts(Metric::leaked_blocks, "1").empty());
    CHECK(doubts(Metric::leaked_bytes, "0", Scope::site).size() == 1);
    CHECK(doubts(Metric::peak_bytes, "0").empty());
    CHECK(doubts(Metric::allocations, "0").empty());
}

TEST_CASE("a filter of frames that nothing passes keeps no limit: nothing was judged") {
    Story story;
    FilterInfo& info = story.recording.model.filters.emplace();
    info.filters.functions = {"nosuch"};
    info.spaces.push_back({"host", false, {}, {}});
    info.spaces[0].whole.allocations = info.spaces[0].whole.at_peak_blocks = 1;
    const auto obstacles = [&] {
        return find_obstacles(story.recording, measured_of(story.recording), nullptr);
    };
    REQUIRE(obstacles().size() == 1);
    CHECK_THAT(obstacles()[0],
               Contains("Nothing was judged: no call site passes --function nosuch"));
    // The name of a thread is that of a thread, so it took nothing indeed.
    info.filters = {.threads = {"writer"}};
    CHECK(obstacles().empty());
}
