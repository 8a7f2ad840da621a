// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/recording_times.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

using Catch::Matchers::Contains;

namespace {

constexpr uint64_t second = 1'000'000'000;

std::string text_of(const Model& model) {
    std::string text;
    for (const std::string& clause : recording_times(model)) text += clause + "\n";
    return text;
}

Model with_host(uint64_t unsure_bytes) {
    Model model;
    Space& host = model.spaces.emplace_back();
    host.name = "host";
    host.totals.live_bytes = 3000;
    host.unsure_bytes = unsure_bytes;
    host.unsure_blocks = unsure_bytes != 0;
    return model;
}

}  // namespace

TEST_CASE("a recording that was on from start to end needs no word", "[recording_times]") {
    CHECK(text_of(with_host(0)).empty());
    CHECK(off_text({}, 1).empty());
    CHECK(earlier_frees_text({}).empty());
}

TEST_CASE("a recording that has not begun says which command begins it", "[recording_times]") {
    const std::vector<RecordingGap> gaps{{0, {}}};
    CHECK(is_never_on(gaps));
    CHECK(off_text(gaps, 4711) == "the recording has not begun: memtrace start 4711 begins it");
    CHECK(
        off_text(gaps, 0) ==
        "the recording was never begun: nobody ran memtrace start, or nothing was allocated after "
        "it");
}

TEST_CASE("a late start and pauses are said", "[recording_times]") {
    Model model = with_host(2048);
    model.capture.gaps = {{0, 192 * second}};
    model.capture.earlier_frees = 1204;
    CHECK_FALSE(is_never_on(model.capture.gaps));
    CHECK(earlier_frees_text(model.capture) ==
          "1,204 frees of blocks from before the recording began");
    for (uint64_t i = 4; i < 9; ++i)
        model.capture.gaps.push_back({i * 100 * second, i * 101 * second});
    const std::string text = text_of(model);
    CHECK_THAT(
        text,
        Contains("recording began 3 min 12 s after the program's start, by memtrace start\n"));
    CHECK_THAT(text, Contains("not recorded from 6 min 40 s to 6 min 44 s, "));
    CHECK_THAT(text, Contains(" and 2 times more\n"));
    CHECK_THAT(text, Contains("may be gone since: host 2.0 KiB in 1 block\n"));
    CHECK(holds_unsure(model));
    CHECK(earlier_frees_text(model.capture) ==
          "1,204 frees of blocks from times that were not recorded");
}

TEST_CASE("of a recording that was stopped, what is held was held then", "[recording_times]") {
    Model model = with_host(2048);
    model.spaces[0].unsure_at_peak_bytes = 1024;
    model.capture.gaps = {{60 * second, {}}};
    model.process.pid_here = 5;
    model.process.end = "running";
    CHECK_FALSE(holds_unsure(model));
    CHECK(text_of(model) ==
          "for the same reason peaks may be too high: host by 1.0 KiB at most\n"
          "recording stopped after 1 min 0 s; shown is what was held then; memtrace start 5 goes "
          "on\n");
}

TEST_CASE("recording times: a profile of processes that differ has no course") {
    Recording recording;
    CHECK_THAT(no_course_text(recording), Contains("was not kept"));
    recording.merged.left_out.histories = true;
    CHECK_THAT(no_course_text(recording), Contains("of several processes"));
    recording.model.slices.slices.emplace_back();
    CHECK(no_course_text(recording).empty());
}
