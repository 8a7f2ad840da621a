// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_judge.h"

#include "tests/unit/analyzer/growth/curves.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

bool same_work(size_t, size_t) { return true; }
bool other_work(size_t, size_t) { return false; }

Verdict verdict_of(const std::function<void(MadeProgram&, int)>& step) {
    return judge(MadeProgram().run(step), same_work).verdict;
}

}  // namespace

TEST_CASE("what each step keeps is a leak, with what it grew by") {
    const Judgement found =
        judge(MadeProgram().run([](MadeProgram& program, int) { program.take(64); }), same_work);
    CHECK(found.verdict == Verdict::leak);
    CHECK(found.confidence > 0.95);
    CHECK(found.since == 0);
    CHECK(found.grown_blocks == 2000);
    CHECK(found.grown_bytes == 2000 * 64);
}

TEST_CASE("a leak that begins late is one, too, since then") {
    const Judgement found = judge(MadeProgram().run([](MadeProgram& program, int i) {
        if (i >= 1400) program.take();
    }),
                                  same_work);
    CHECK(found.verdict == Verdict::leak);
    CHECK(found.since == 70);
}

TEST_CASE("a leak is found below a working set that varies by many times as much") {
    CHECK(verdict_of([](MadeProgram& program, int i) {
              static std::deque<int> lost;
              if (i == 0) lost.clear();
              program.take();
              // The first blocks of the list are the lost ones.
              if (i % 20 == 0) {
                  lost.push_back(i);
                  return;
              }
              const size_t wanted = lost.size() + 200 + program.below(300);
              while (program.held() < wanted) program.take();
              while (program.held() > wanted) program.give_last();
          }) == Verdict::leak);
}

TEST_CASE("many survivors of few moments accuse nobody") {
    const Judgement found = judge(MadeProgram().run([](MadeProgram& program, int i) {
        if (i % 400 != 0) return;  // five times
        for (int k = 0; k < 2; ++k) program.take();
    }),
                                  same_work);
    CHECK(found.verdict == Verdict::growing);
    CHECK(found.too_few);
    CHECK(verdict_of([](MadeProgram& program, int i) {
              if (i % 200 != 0) return;  // ten times
              for (int k = 0; k < 5; ++k) program.take();
          }) == Verdict::leak);
}

TEST_CASE("few survivors accuse nobody") {
    const Judgement found = judge(MadeProgram().run([](MadeProgram& program, int i) {
        if (i % 400 == 0) program.take();
    }),
                                  same_work);
    CHECK(found.verdict != Verdict::leak);
    CHECK(found.too_few);
}

TEST_CASE("a cache that is full, early or at last, and one that evicts") {
    for (const int full : {700, 1000, 1900, 1940}) {
        CHECK(verdict_of([full](MadeProgram& program, int i) {
                  if (i < full) program.take();
              }) == Verdict::cache);
        const Verdict evicting = verdict_of([full](MadeProgram& program, int) {
            program.take();
            if (program.held() > static_cast<size_t>(full)) program.give_first();
        });
        CHECK((evicting == Verdict::cache || evicting == Verdict::steady));
    }
}

TEST_CASE("a leak at the call stack of a cache that is full is found, however slow it is") {
    for (const size_t size : {100u, 1000u}) {
        for (const int every : {10, 30, 100, 300}) {
            for (const bool is_ring : {true, false}) {
                INFO(size << " blocks, one of each " << every << " lost, a ring: " << is_ring);
                int count = 0;
                const Curve curve = MadeProgram().run([&](MadeProgram& program, int) {
                    for (int k = 0; k < 10; ++k) {
                        if (++count % every == 0) {
                            program.lose();
                            continue;
                        }
                        program.take();
                        if (program.held() <= size) continue;
                        is_ring ? program.give_first() : program.give_any();
                    }
                });
                const Judgement found = judge(curve, same_work);
                CHECK(found.verdict == Verdict::leak);
                CHECK(found.grown_blocks > 20000.0 / every * 0.6);
                CHECK(found.grown_blocks < 20000.0 / every + 1.1 * static_cast<double>(size));
            }
        }
    }
}

TEST_CASE("what rises evenly by a little when a cache is full near the end may be a leak") {
    for (const int every : {0, 10}) {
        const Curve curve = MadeProgram().run([&](MadeProgram& program, int i) {
            for (int k = 0; k < 10; ++k) {
                if (every != 0 && (i * 10 + k) % every == 0) {
                    program.lose();
                    continue;
                }
                program.take();
                if (program.held() > 12'000) program.give_first();
            }
        });
        const Judgement found = judge(curve, same_work);
        CHECK(found.verdict == (every == 0 ? Verdict::cache : Verdict::growing));
        CHECK(found.grown_blocks > (every == 0 ? -1 : 500));
        CHECK(found.grown_blocks < 800);
    }
}

TEST_CASE("a cache that is full is not accused, whatever it replaces, and how often") {
    int accused = 0;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        for (const size_t size : {50u, 300u, 1000u}) {
            const auto judged = [&](void (MadeProgram::*give)(), size_t wobble) {
                size_t limit = size;
                return judge(MadeProgram(seed).run([&](MadeProgram& program, int) {
                           limit = size - program.below(wobble + 1);
                           for (int k = 0; k < 5; ++k) program.take();
                           while (program.held() > limit) (program.*give)();
                       }),
                             same_work)
                    .verdict;
            };
            for (const size_t wobble : {size_t{0}, size_t{5}, size / 10}) {
                accused += judged(&MadeProgram::give_first, wobble) == Verdict::leak;
                accused += judged(&MadeProgram::give_any, wobble) == Verdict::leak;
                accused += judged(&MadeProgram::give_last, wobble) == Verdict::leak;
            }
        }
    }
    CHECK(accused == 0);
}

TEST_CASE("a cache whose level wavers is not accused, though blocks of all times stay in it") {
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        const Curve curve = MadeProgram(seed).run([](MadeProgram& program, int) {
            for (int k = 0; k < 2; ++k) program.take();
            const size_t limit = 600 + program.below(9);
            while (program.held() > limit) program.give_any();
        });
        CHECK_FALSE(is_growth(judge(curve, same_work).verdict));
    }
}

TEST_CASE("a log of which whole parts go is not accused") {
    CHECK(verdict_of([](MadeProgram& program, int) {
              program.take();
              if (program.held() < 1500) return;
              for (int k = 0; k < 300; ++k) program.give_first();
          }) != Verdict::leak);
}

TEST_CASE("what was in use, and is given back at the end, hides no leak") {
    for (const size_t in_use : {1, 5, 40, 120, 400}) {
        CHECK(verdict_of([in_use](MadeProgram& program, int i) {
                  if (i % 4 == 0) program.lose();
                  program.take();
                  if (program.held() > in_use) program.give_first();
                  if (i == 1999) program.give_all();
              }) == Verdict::leak);
    }
}

TEST_CASE("a cache that fills ever more slowly is not accused") {
    const Verdict verdict = verdict_of([](MadeProgram& program, int) {
        static std::vector<bool> known;
        if (program.held() == 0) known.assign(1000, false);
        const size_t key = program.below(1000);
        if (known[key]) return;
        known[key] = true;
        program.take();
    });
    CHECK((verdict == Verdict::growing || verdict == Verdict::cache));
}

TEST_CASE("what stops while the program does something else was a leak, as long as it went on") {
    const Curve curve = MadeProgram().run([](MadeProgram& program, int i) {
        if (i < 1700) program.take();
    });
    CHECK(judge(curve, same_work).verdict == Verdict::cache);
    const Judgement found = judge(curve, other_work);
    CHECK(found.verdict == Verdict::leak);
    CHECK(found.until == 85);
}

TEST_CASE("what a short phase left behind is no cache that is full") {
    const Curve curve = MadeProgram().run([](MadeProgram& program, int i) {
        if (i >= 1140 && i < 1420) program.take();
    });
    CHECK(judge(curve, same_work).verdict == Verdict::cache);
    CHECK(judge(curve, other_work).verdict == Verdict::loaded);
}

TEST_CASE("what comes and goes is periodic, also if it has not gone yet") {
    for (const int period : {50, 300, 620}) {
        CHECK(verdict_of([period](MadeProgram& program, int i) {
                  program.take();
                  if (i % period == period - 1) program.give_all();
              }) == Verdict::periodic);
    }
}

TEST_CASE("what is loaded first is warm-up") {
    CHECK(verdict_of([](MadeProgram& program, int i) {
              if (i < 280) program.take();
          }) == Verdict::warm_up);
}

TEST_CASE("one block that is enlarged again and again is not lost, but grows") {
    size_t capacity = 0;
    CHECK(verdict_of([&](MadeProgram& program, int i) {
              if (static_cast<size_t>(i) < capacity) return;
              capacity = capacity == 0 ? 10 : capacity * 2;
              program.give_all();
              program.take(static_cast<double>(capacity));
          }) == Verdict::growing);
}

TEST_CASE("a block that is replaced by a larger one grows, also where old and new are both there") {
    const auto grown = [](int until) {
        return verdict_of([until](MadeProgram& program, int i) {
            if (i > until) return;
            // The old one is let go in the next step, as in a slice that ends in the midst.
            const bool ends_between = i % 3 != 0;
            program.take(1000.0 * (i + 1));
            while (program.held() > (ends_between ? 2 : 1)) program.give_first();
        });
    };
    CHECK(grown(1 << 20) == Verdict::growing);
    CHECK(grown(500) != Verdict::growing);
}

TEST_CASE("a block that is now larger and now smaller does not grow") {
    uint32_t random = 1;
    CHECK(verdict_of([&](MadeProgram& program, int) {
              random = random * 1664525u + 1013904223u;
              program.give_all();
              program.take(1000.0 + (random >> 16) % 3000);
          }) != Verdict::growing);
}

TEST_CASE("a table that is enlarged no more, although it should long have been, does not grow") {
    size_t capacity = 0;
    CHECK(verdict_of([&](MadeProgram& program, int i) {
              const int entries = std::min(i, 600);
              if (static_cast<size_t>(entries) < capacity) return;
              capacity = capacity == 0 ? 10 : capacity * 2;
              program.give_all();
              program.take(static_cast<double>(capacity));
          }) != Verdict::growing);
}

TEST_CASE("blocks that become larger by as much each time are no queue, be it one or a hundred") {
    for (const size_t blocks : {1, 100}) {
        const Curve curve = MadeProgram().run([&](MadeProgram& program, int i) {
            if (program.held() == blocks) program.give_first();
            program.take(64.0 * (1 + i / static_cast<int>(blocks)));
        });
        const Judgement found = judge(curve, [](size_t, size_t) { return true; });
        CHECK(found.verdict == Verdict::growing);
        CHECK_THAT(found.why, Catch::Contains("larger"));
    }
}

TEST_CASE("a queue that is filled faster than emptied grows, but old blocks go") {
    CHECK(verdict_of([](MadeProgram& program, int i) {
              program.take();
              if (i % 5 != 0) program.give_first();
          }) == Verdict::growing);
}

TEST_CASE("what expires at some age is not accused while ever more of it comes") {
    for (const int age : {700, 1000, 1400}) {
        const Judgement found = judge(MadeProgram().run([age](MadeProgram& program, int i) {
            const auto rate = [](int at) { return std::min(at, 1600) / 200; };
            for (int k = 0; k < rate(i); ++k) program.take();
            for (int k = 0; i >= age && k < rate(i - age); ++k) program.give_first();
        }),
                                      same_work);
        CAPTURE(age, found.since, found.why);
        CHECK(found.verdict == Verdict::growing);
        CHECK_THAT(found.why, Catch::Contains("queue"));
    }
}

TEST_CASE("a list that is made larger beside what leaks hides no leak") {
    for (const int since : {0, 700}) {
        CHECK(verdict_of([since](MadeProgram& program, int i) {
                  if (i < since) return;
                  program.lose();
                  const int length = i - since + 1;
                  if (length % 200 != 0) return;
                  program.take();
                  if (program.held() > 1) program.give_first();
              }) == Verdict::leak);
    }
}

TEST_CASE("what is given back once, when another phase begins, hides no leak of that phase") {
    CHECK(verdict_of([](MadeProgram& program, int i) {
              if (i == 500) program.give_all();
              if (i < 500) program.take();
              else program.lose();
          }) == Verdict::leak);
}

TEST_CASE("of a hundred walks at random, hardly any is accused") {
    unsigned accused = 0;
    for (uint64_t seed = 0; seed < 100; ++seed) {
        for (const auto give :
             {&MadeProgram::give_first, &MadeProgram::give_last, &MadeProgram::give_any}) {
            accused += judge(random_walk(seed, give), same_work).verdict == Verdict::leak;
        }
    }
    CHECK(accused <= 6);
}

TEST_CASE("of a hundred leaks at random, of forty blocks each, nearly all are found") {
    unsigned found = 0;
    for (uint64_t seed = 0; seed < 100; ++seed) {
        found += judge(MadeProgram(seed).run([](MadeProgram& program, int) {
                     if (program.below(50) == 0) program.take();
                 }),
                       same_work)
                     .verdict == Verdict::leak;
    }
    CHECK(found >= 90);
}

TEST_CASE("verdicts have words") {
    CHECK(word_of(Verdict::leak) == "leak");
    CHECK(word_of(Verdict::warm_up) == "warm-up");
    CHECK(word_of(Verdict::steady) == "steady");
}

TEST_CASE("a history that is thinned out when it is full is no leak, wherever the run ends") {
    // Drops all but one of `part` blocks, and takes ever fewer.
    const auto thinned = [](size_t room, size_t part, double steps_a_block) {
        double each = steps_a_block, next = 0;
        return verdict_of([&](MadeProgram& program, int i) {
            for (; i >= next; next += each) {
                program.take();
                if (program.held() < room) continue;
                program.keep_each(part);
                each *= static_cast<double>(part);
            }
        });
    };
    for (const size_t room : {16, 32, 64, 200}) {
        for (const size_t part : {2, 3, 4, 8}) {
            for (int i = 0; i < 60; ++i) {
                INFO(room << " blocks, one of " << part << " stays, length " << i);
                const double whole = 2000.0 / static_cast<double>(room * part);
                CHECK(thinned(room, part, whole * (0.2 + i * 0.02)) != Verdict::leak);
            }
        }
    }
}

TEST_CASE("an arena whose chunks become four times as large is not known to be full") {
    const auto arena = [](MadeProgram& program, int i) {
        if (i == 2 || i == 40 || i == 160 || i == 680) program.take(32 * (i + 1));
    };
    CHECK(verdict_of(arena) == Verdict::growing);
}

TEST_CASE("the part of the run is one of time, however many slices a start has") {
    Curve curve = MadeProgram().run([](MadeProgram& program, int i) {
        if (i < 960 && i % 8 == 0) program.take();
    });
    CHECK(judge(curve, other_work).why.starts_with("it grew up to 48 % of the run"));
    for (size_t i = 0; i < curve.size(); ++i) curve.at[i] *= i < 48 ? 0.01 : 1;
    CHECK(judge(curve, other_work).verdict == Verdict::warm_up);
}
