// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_siblings.h"

#include "tests/unit/analyzer/growth/curves.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// A ring of blocks that is full in step `full` of 2,000.
Curve ring_of(int full) {
    return MadeProgram().run([&](MadeProgram& program, int i) {
        program.take();
        if (i >= full) program.give_first();
    });
}

// One block of `every` steps, up to step `end`.
Curve kept_until(int end, int every = 30) {
    return MadeProgram().run([&](MadeProgram& program, int i) {
        if (i % every == 0 && i < end) program.take();
    });
}

Beside look(const Curve& growth, const Curve& cache) { return beside_cache(growth, 0, cache); }

}  // namespace

TEST_CASE("what stops when the cache beside it is full is a part of it") {
    CHECK(look(kept_until(1700), ring_of(1700)) == Beside::part);
}

TEST_CASE("of few blocks that came regularly, a long pause tells that they stopped") {
    CHECK(look(kept_until(1600, 150), ring_of(1600)) == Beside::part);
    CHECK(look(kept_until(1900, 250), ring_of(1900)) == Beside::not_sure);
}

TEST_CASE("what goes on when the cache beside it is full is a leak") {
    CHECK(look(kept_until(2000), ring_of(1700)) == Beside::apart);
    CHECK(look(kept_until(2000), ring_of(200)) == Beside::apart);
}

TEST_CASE("beside a cache that is full near the end only nobody can tell") {
    CHECK(look(kept_until(1980), ring_of(1980)) == Beside::not_sure);
}

TEST_CASE("a cache that nobody asks any more says nothing of what ended with it") {
    CHECK(look(kept_until(1700), kept_until(1700, 1)) == Beside::apart);
}
