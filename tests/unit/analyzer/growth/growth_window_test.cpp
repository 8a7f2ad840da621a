// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_window.h"

#include <algorithm>
#include <vector>

#include "tests/unit/analyzer/growth/curves.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a burst at the start does not hide what goes on evenly after it") {
    const Curve curve = MadeProgram().run([](MadeProgram& program, int i) {
        for (int k = 0; k < (i < 60 ? 40 : 1); ++k) program.take();
    });
    const auto window = find_window(curve, curve.size());
    REQUIRE(window.has_value());
    CHECK(window->begin >= 3);
    CHECK(window->begin <= 25);
    CHECK_FALSE(stopped_at(curve, *window).has_value());
}

TEST_CASE("what comes in the place of what was there has no window") {
    const Curve curve = MadeProgram().run([](MadeProgram& program, int) {
        program.take();
        if (program.held() > 800) program.give_first();
    });
    CHECK_FALSE(find_window(curve, curve.size()).has_value());
}

TEST_CASE("a few large blocks that go for new ones have begun to do so") {
    const Curve curve = MadeProgram().run([](MadeProgram& program, int i) {
        if (i % 60 == 0) program.take();
        if (program.held() > 29) program.give_first();
    });
    const auto window = find_window(curve, curve.size());
    REQUIRE(window.has_value());
    CHECK(has_begun_to_evict(curve, *window));
}

TEST_CASE("a phase that begins between the steps of the search is found, late and in the middle") {
    const auto between = [](int first, int last) {
        return MadeProgram().run([first, last](MadeProgram& program, int i) {
            if (i >= first && i < last) program.take();
        });
    };
    const auto late = find_window(between(1830, 2000), 100);
    REQUIRE(late.has_value());
    CHECK(late->begin == 91);
    CHECK(late->survivors == 170);
    const auto middle = find_window(between(1150, 1300), 65);
    REQUIRE(middle.has_value());
    CHECK(middle->begin == 57);
    // So late it is what the program does at its end.
    CHECK_FALSE(find_window(between(1880, 2000), 100).has_value());
}

TEST_CASE("survivors that end long before the run does leave a gap") {
    const auto until = [](int last) {
        return MadeProgram().run([last](MadeProgram& program, int i) {
            if (i < last && i % 100 == 0) program.take();
        });
    };
    CHECK(end_of_births(until(1500)) == 71);
    CHECK(is_gap(until(1500), 71));
    CHECK_FALSE(is_gap(until(1901), 96));
}

TEST_CASE("survivors that get more and more are told from those that do not") {
    const auto rate = [](int divisor) {
        return MadeProgram().run([divisor](MadeProgram& program, int i) {
            for (int k = 0; k < 1 + i / divisor; ++k) program.take();
        });
    };
    const Window all{0, 100, 0, 1, false, false};
    CHECK(is_rising(rate(200), all));
    CHECK_FALSE(is_rising(rate(10'000), all));
    CHECK(begins_early(rate(10'000), all));
}

TEST_CASE("what stays raises the level, or takes the place of something") {
    const Window all{0, 100, 0, 1, false, false};
    const auto rise = [&](const std::function<void(MadeProgram&, int)>& step) {
        return rise_of_level(MadeProgram().run(step), all);
    };
    CHECK(rise([](MadeProgram& program, int) { program.lose(); }) == Rise::by_survivors);
    const auto cache = [](MadeProgram& program, size_t limit) {
        program.take();
        while (program.held() > limit) program.give_any();
    };
    CHECK(rise([&](MadeProgram& program, int) { cache(program, 500); }) == Rise::none);
    CHECK(rise([&](MadeProgram& program, int i) {
              cache(program, 500);
              if (i % 8 == 0) program.lose();
          }) == Rise::by_survivors);
    // Half of it goes now and then, which is as much as came since.
    CHECK(rise([](MadeProgram& program, int) {
              program.take();
              if (program.held() < 900) return;
              for (int k = 0; k < 450; ++k) program.give_any();
          }) == Rise::unclear);
    CHECK(rise([](MadeProgram&, int) {}) == Rise::by_survivors);  // nothing tells
}

TEST_CASE("what is held no higher than before has not risen, whatever stayed of all times") {
    const Window all{0, 100, 0, 1, false, false};
    // A history that drops all but one of `part` blocks when it has 32, and takes ever fewer.
    const auto thinned = [&](int part, double steps_a_block) {
        double each = steps_a_block, next = 0;
        return rise_of_level(MadeProgram().run([&](MadeProgram& program, int i) {
            for (; i >= next; next += each) {
                program.take();
                if (program.held() < 32) continue;
                program.keep_each(static_cast<size_t>(part));
                each *= part;
            }
        }),
                             all);
    };
    for (int percent = 100; percent <= 400; percent += 5) {
        INFO(percent);
        CHECK(thinned(2, 0.08 * percent) != Rise::by_survivors);
        CHECK(thinned(4, 0.03 * percent) != Rise::by_survivors);
    }
    // What was there for a while at the start, and little of it stayed, says nothing of a leak.
    CHECK(rise_of_level(MadeProgram().run([](MadeProgram& program, int i) {
              if (i < 200) {
                  for (int k = 0; k < 30; ++k) program.take();
              } else if (i == 200) {
                  program.give_all();
              }
              if (i % 5 == 0) program.lose();
          }),
                        all) == Rise::by_survivors);
    // A working set goes up and down, and a leak is on top of it.
    CHECK(rise_of_level(MadeProgram().run([](MadeProgram& program, int i) {
              const size_t wanted = 20 + static_cast<size_t>(i % 300) / 15;
              while (program.held() < wanted) program.take();
              while (program.held() > wanted) program.give_any();
              if (i % 20 == 0) program.lose();
          }),
                        all) == Rise::by_survivors);
}

TEST_CASE("a working set of random lives comes to rest, and a leak does not") {
    const Curve lives = MadeProgram().run([](MadeProgram& program, int) {
        for (int k = 0; k < 2; ++k) program.take();
        // Each block goes with the same chance at each step.
        for (size_t left = program.held(); left > 0; --left) {
            if (program.below(900) == 0) program.give_any();
        }
    });
    const Window whole{0, lives.size(), 0, 0, false, false};
    CHECK(comes_to_rest(lives, whole));
    const Curve leak = MadeProgram().run([](MadeProgram& program, int i) {
        program.take();
        if (program.held() > 200) program.give_first();
        if (i % 5 == 0) program.lose();
    });
    CHECK_FALSE(comes_to_rest(leak, whole));
    const Curve faster = MadeProgram().run([](MadeProgram& program, int i) {
        for (int k = 0; k < 1 + i / 500; ++k) program.lose();
    });
    CHECK_FALSE(comes_to_rest(faster, whole));
}

TEST_CASE("what is held bends where a cache is full, though a little goes on") {
    const Curve curve = MadeProgram().run([](MadeProgram& program, int i) {
        program.take();
        if (program.held() > 500) program.give_first();
        if (i % 15 == 0) program.lose();
    });
    const size_t bend = bend_of(curve, {0, curve.size(), 0, 0, false, false});
    CHECK(bend >= 23);
    CHECK(bend <= 26);
}

TEST_CASE("a few moments as far from each other as from the end are too few to tell") {
    const auto at = [](const std::vector<int>& steps) {
        return MadeProgram().run([&](MadeProgram& program, int i) {
            if (std::find(steps.begin(), steps.end(), i) == steps.end()) return;
            for (int k = 0; k < 15; ++k) program.take();
        });
    };
    CHECK(few_moments(at({300, 700, 1100, 1500, 1900})) == 5);
    CHECK(few_moments(at({300, 900, 1500})) == 3);
    CHECK(few_moments(at({300, 1500})) == 0);
    CHECK(few_moments(at({100, 200, 300, 400})) == 0);   // It has stopped.
    CHECK(few_moments(at({100, 200, 500, 1900})) == 0);  // Ever more rarely, as a record is broken.
    const Curve gone = MadeProgram().run([](MadeProgram& program, int i) {
        if (i % 400 == 99) program.take();
        if (i == 1700) program.give_first();
    });
    CHECK(few_moments(gone) == 0);
}

TEST_CASE("chunks that become ever larger come after ever longer, so a pause tells nothing") {
    // An arena that `lost` bytes of each step stay in. Its chunks grow by `factor`.
    const auto arena = [](double first, double factor, double lost, int until = 2000) {
        double chunk = first, left = 0;
        return MadeProgram().run([=](MadeProgram& program, int i) mutable {
            if (i >= until) return;
            for (left -= lost; left < 0; left += chunk, chunk *= factor) program.take(chunk);
        });
    };
    for (const double factor : {1.5, 2.0, 3.0, 4.0, 10.0}) {
        for (const double lost : {5, 7, 8, 10, 13, 17, 24, 30, 50, 64}) {
            INFO("factor " << factor << ", " << lost << " bytes a step");
            CHECK(takes_ever_larger(arena(100, factor, lost)));
        }
    }
    // It came to its end early: the next chunk would have come long ago.
    CHECK_FALSE(takes_ever_larger(arena(100, 2, 10, 400)));
    CHECK_FALSE(takes_ever_larger(arena(100, 4, 10, 100)));
    // Chunks of one size tell by their pauses.
    CHECK_FALSE(takes_ever_larger(arena(4000, 1, 10)));
    // Some of it goes.
    CHECK_FALSE(takes_ever_larger(MadeProgram().run([](MadeProgram& program, int i) {
        if (i == 100 || i == 300 || i == 900) program.take(i);
        if (i == 500) program.give_first();
    })));
}
