// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/unwind_generation.h"

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("an unload begins, ends, and is a new generation", "[unwind_generation]") {
    const uint64_t generation = unwind_generation();
    begin_unload();
    CHECK(is_unloading());
    CHECK(unwind_generation() == generation);
    begin_unload();  // on another thread
    end_unload();
    CHECK(is_unloading());
    end_unload();
    CHECK_FALSE(is_unloading());
    CHECK(unwind_generation() == generation + 2);
}

TEST_CASE("a forked child does not wait for its parent's unloads", "[unwind_generation]") {
    const uint64_t generation = unwind_generation();
    end_unloads_of_parent();
    CHECK(unwind_generation() == generation);
    begin_unload();
    end_unloads_of_parent();
    CHECK_FALSE(is_unloading());
    CHECK(unwind_generation() > generation);
    end_unload();  // A destructor of the unloaded library forked; nothing goes below zero.
    CHECK_FALSE(is_unloading());
}
