// SPDX-License-Identifier: Apache-2.0
//
// One line that shows how far the work is and how long it will take.
#include "analyzer/cli/progress_bar.h"

#include "analyzer/base/terminal.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

// A terminal and a clock that moves only if it is told to.
struct FakeWorld {
    ProgressBar::Clock::time_point now{};
    std::string printed;

    ProgressBar::World world(bool is_terminal = true) {
        return {is_terminal, 79, [this] { return now; },
                [this](const std::string& text) { printed += text; }};
    }
    void wait(double seconds) {
        now += std::chrono::duration_cast<ProgressBar::Clock::duration>(
            std::chrono::duration<double>(seconds));
    }
    // Returns what this much progress prints.
    std::string at(const Progress& progress, uint64_t done, uint64_t total) {
        printed.clear();
        progress(done, total);
        return printed;
    }
};

}  // namespace

TEST_CASE("the progress bar says how far and how long") {
    CHECK(progress_line("reading", 0.5, 10, 60) ==
          "reading  [============             ]  50 %  10 s left       ");
    CHECK_THAT(progress_line("reading", 0.5, 80, 79), Contains(" 50 %  1 min 20 s left"));
    CHECK_THAT(progress_line("reading", 0.5, 79.1, 79), Contains("1 min 20 s left"));
    CHECK_THAT(progress_line("reading", 0.5, 7260, 79), Contains("2 h 1 min left"));
    CHECK_THAT(progress_line("reading", 0.999, 0.2, 79), Contains("<1 s left"));
    CHECK(progress_line("reading", 0.1, std::nullopt, 60).find("left") == std::string::npos);
    CHECK(display_width(progress_line("a name that is long", 1, 1, 30)) <= 30);
}

TEST_CASE("nobody watches: there is nothing to call") {
    ProgressBar bar;
    CHECK(static_cast<bool>(bar.step("reading")) == is_terminal(2));
    FakeWorld fake;
    ProgressBar to_a_file(fake.world(false));
    CHECK_FALSE(static_cast<bool>(to_a_file.step("reading")));
}

TEST_CASE("nothing in the first second, then percent, after three seconds the time left") {
    FakeWorld fake;
    ProgressBar bar(fake.world());
    const Progress progress = bar.step("reading");
    fake.wait(0.9);
    CHECK(fake.at(progress, 10, 1000).empty());
    fake.wait(0.2);
    CHECK_THAT(fake.at(progress, 11, 1000), Contains("  1 %"));
    CHECK(fake.printed.find("left") == std::string::npos);
    fake.wait(0.05);
    CHECK(fake.at(progress, 12, 1000).empty());  // too soon after the last
    fake.wait(8.85);
    CHECK_THAT(fake.at(progress, 100, 1000), Contains(" 10 %  1 min 30 s left"));
    bar.clear();
    CHECK(fake.printed.ends_with("\r\033[K"));
}

TEST_CASE("a fast beginning is forgotten once as much time has passed again") {
    TimeLeft time_left;
    time_left.add(2, 0.5);
    CHECK_FALSE(time_left.seconds().has_value());  // too early
    time_left.add(4, 0.51);
    REQUIRE(time_left.seconds().has_value());
    CHECK(*time_left.seconds() == Approx(98));  // since second 2: 0.01 in 2 s
    for (int second = 5; second <= 100; ++second) time_left.add(second, 0.51 + second * 0.004);
    CHECK(*time_left.seconds() == Approx(0.09 / 0.004));
    for (int second = 101; second <= 400; ++second) time_left.add(second, 0.91);
    CHECK_FALSE(time_left.seconds().has_value());  // nothing moves any more
}
