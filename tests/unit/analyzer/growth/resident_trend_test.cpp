// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/resident_trend.h"

#include <functional>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

// A sample each 10 ms for 10 s.
Model sampled(const std::function<uint64_t(uint64_t)>& rss, uint64_t count = 1000) {
    Model model;
    for (uint64_t i = 0; i < count; ++i) model.samples.push_back({i * 10'000'000, rss(i), 0});
    return model;
}

}  // namespace

TEST_CASE("a resident set that rises steadily has the slope of its last half") {
    const ResidentTrend trend = resident_trend(
        sampled([](uint64_t i) { return (i < 500 ? 0 : (i - 500) << 16) + (64 << 20); }));
    CHECK(trend.not_known.empty());
    CHECK(trend.rises);
    CHECK(trend.bytes_per_hour == Approx(double(1 << 16) * 100 * 3600).epsilon(0.01));
    CHECK(trend.low > 0);
    CHECK(trend.at_start == 64 << 20);
    CHECK(trend.now == (64 << 20) + (uint64_t{499} << 16));
}

TEST_CASE("what went up once, or goes up and down, does not rise") {
    CHECK_FALSE(
        resident_trend(sampled([](uint64_t i) { return i < 700 ? 1 << 24 : 1 << 28; })).rises);
    CHECK_FALSE(resident_trend(sampled([](uint64_t i) { return (i % 100 + 1) << 20; })).rises);
    CHECK_FALSE(resident_trend(sampled([](uint64_t) { return 1 << 24; })).rises);
    CHECK_FALSE(resident_trend(sampled([](uint64_t i) { return (2000 - i) << 20; })).rises);
}

TEST_CASE("waves up to half of the work do not rise, wherever they are cut") {
    for (const uint64_t wave : {50, 200, 330, 470}) {
        for (uint64_t begin = 0; begin < wave; begin += 30) {
            CAPTURE(wave, begin);
            CHECK_FALSE(resident_trend(sampled([&](uint64_t i) {
                            return ((i + begin) % wave + 100) << 20;
                        })).rises);
        }
    }
}

TEST_CASE("steps that come and go do not hide what stays") {
    const ResidentTrend trend = resident_trend(
        sampled([](uint64_t i) { return (i % 7 * 100 << 20) + (i << 14) + (64 << 20); }));
    CHECK(trend.rises);
    CHECK(trend.bytes_per_hour == Approx(double(1 << 14) * 100 * 3600).epsilon(0.1));
}

TEST_CASE("a rise by a few pages is none") {
    CHECK_FALSE(resident_trend(sampled([](uint64_t i) { return (1 << 28) + i * 256; })).rises);
}

TEST_CASE("few samples tell nothing, and the reason is given") {
    CHECK_FALSE(resident_trend(Model{}).not_known.empty());
    const ResidentTrend trend = resident_trend(sampled([](uint64_t i) { return i << 20; }, 10));
    CHECK_FALSE(trend.not_known.empty());
    CHECK_FALSE(trend.rises);
}

TEST_CASE("what comes after the end of the work is not judged") {
    Model model = sampled([](uint64_t i) { return i < 500 ? 1 << 24 : i << 20; });
    model.process.work_end_ns = 4'990'000'000;
    const ResidentTrend trend = resident_trend(model);
    CHECK_FALSE(trend.rises);
    CHECK(trend.now == 1 << 24);
}

TEST_CASE("what rises while libraries are loaded is not judged") {
    const auto rising = [](uint64_t i) { return (i << 16) + (64 << 20); };
    Model model = sampled(rising);
    model.process.last_library_ns = 9'800'000'000;
    CHECK_THAT(resident_trend(model).not_known,
               Contains("after the last library was first called"));
    model.process.last_library_ns = 3'000'000'000;
    CHECK(resident_trend(model).rises);
    model = sampled([&](uint64_t i) { return rising(std::min<uint64_t>(i, 600)); });
    model.process.last_library_ns = 6'000'000'000;
    CHECK(resident_trend(model).not_known.empty());
    CHECK_FALSE(resident_trend(model).rises);
}

TEST_CASE("memtrace's own pages are no growth of the program") {
    const auto own_at = [](uint64_t i) { return (20 << 20) + (i << 15); };
    const uint64_t leak = GENERATE(0, 1);
    Model model = sampled([&](uint64_t i) { return (64 << 20) + own_at(i) + leak * (i << 14); });
    CHECK(resident_trend(model).rises);  // They are not measured.
    CHECK_THAT(own_part_text(resident_trend(model)), Contains("own pages are in it"));
    for (uint64_t i = 0; i < model.samples.size(); i += 100) model.samples[i].own = own_at(i);
    const ResidentTrend trend = resident_trend(model);
    CHECK(trend.rises == (leak != 0));
    if (leak != 0) CHECK(trend.bytes_per_hour == Approx(double(1 << 14) * 100 * 3600).epsilon(0.1));
    CHECK(trend.now == model.samples.back().rss);
    CHECK(trend.own_at_start == own_at(0));
    CHECK(trend.own_now == own_at(900));  // It is not known how it went on.
    CHECK(own_part_text(trend) ==
          "memtrace's own pages are not in it: 48.1 MiB, 28.1 MiB more than at the start");
}
