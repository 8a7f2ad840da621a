// SPDX-License-Identifier: Apache-2.0
//
// The text that Prometheus reads.
#include "analyzer/live/metrics_text.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("each family has its type, its samples, and there is an end") {
    Metrics metrics;
    metrics.spaces = {{"host", {}, 4096}, {"device:0", {}, 1 << 20}};
    metrics.spaces[0].totals.live_bytes = 1000;
    metrics.spaces[0].totals.allocations = 12;
    metrics.dump_bytes = 77;
    metrics.seconds = 1.5;
    metrics.verdicts.grown[{"host", "leak"}] = 512;
    const std::string text = metrics_text(metrics);
    CHECK(text.find("# TYPE memtrace_held_bytes gauge\n# UNIT memtrace_held_bytes bytes\n") == 0);
    CHECK(text.find("memtrace_held_bytes{space=\"host\"} 1000\n") != std::string::npos);
    CHECK(text.find("memtrace_peak_bytes{space=\"device:0\"} 1048576\n") != std::string::npos);
    CHECK(text.find("# TYPE memtrace_allocations counter\n") != std::string::npos);
    CHECK(text.find("memtrace_allocations_total{space=\"host\"} 12\n") != std::string::npos);
    CHECK(text.find("memtrace_grown_bytes{space=\"host\",verdict=\"leak\"} 512\n") !=
          std::string::npos);
    CHECK(text.find("memtrace_recorded_seconds 1.5\n") != std::string::npos);
    // Not known: no sample, and no 0.
    CHECK(text.find("resident") == std::string::npos);
    CHECK(text.ends_with("# EOF\n"));
}

TEST_CASE("estimates are told from what is exact") {
    Metrics metrics;
    metrics.spaces = {{"host", {}, 1, true}, {"mmap", {}, 2}};
    metrics.verdicts.grown = {{{"host", "leak"}, 5}, {{"mmap", "growing"}, 6}};
    const std::string text = metrics_text(metrics);
    // So is what call sites have grown by.
    CHECK(text.find("memtrace_grown_bytes{space=\"host\",verdict=\"leak\",exact=\"no\"} 5\n") !=
          std::string::npos);
    CHECK(text.find("memtrace_grown_bytes{space=\"mmap\",verdict=\"growing\"} 6\n") !=
          std::string::npos);
    CHECK(text.find("memtrace_peak_bytes{space=\"host\",exact=\"no\"} 1\n") != std::string::npos);
    CHECK(text.find("memtrace_peak_bytes{space=\"mmap\"} 2\n") != std::string::npos);
}

TEST_CASE("a recording that is off says so, and for how long it was") {
    Metrics metrics;
    CHECK(metrics_text(metrics).find("memtrace_recording 1\n") != std::string::npos);
    metrics.is_on = false;
    metrics.unrecorded_seconds = 2.5;
    const std::string text = metrics_text(metrics);
    CHECK(text.find("memtrace_recording 0\n") != std::string::npos);
    CHECK(text.find("memtrace_unrecorded_seconds 2.5\n") != std::string::npos);
}

TEST_CASE("names of spaces are escaped") {
    Metrics metrics;
    metrics.spaces = {{"a\"b\\c\nd", {}, 0}};
    CHECK(metrics_text(metrics).find("{space=\"a\\\"b\\\\c\\nd\"}") != std::string::npos);
}
