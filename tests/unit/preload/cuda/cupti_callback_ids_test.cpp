// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cupti_callback_ids.h"

#include <string>

#include "tests/unit/test.h"

using namespace memtrace::preload;
using namespace memtrace::preload::cupti;
using cuda::Entry;

namespace {

// A library with gaps between its numbers, and with functions that the shim does not cover.
Result name_of(int domain, uint32_t id, const char** name) {
    struct Row {
        uint32_t id;
        const char* name;
    };
    static constexpr Row rows[] = {
        {1, "cuInit"},          {3, "cuMemAlloc_v2"},   {40, "cuMemFree_v2"},
        {41, "cuMemAlloc"},     {42, "cuMemHostAlloc"}, {100, "cuMemHostAlloc_v2"},
        {101, "cuModuleLoad"},  {102, "cuGraphLaunch"}, {103, "cuCtxCreate_v4"},
        {104, "cuMemTomorrow"}, {300, "cuMemRelease"},
    };
    for (const Row& row : rows) {
        if (row.id != id || domain != driver_calls) continue;
        *name = row.name;
        return success;
    }
    return invalid_parameter;
}

Ids ids;

}  // namespace

TEST_CASE("functions are followed under the numbers that the loaded CUPTI gives them", "[cupti]") {
    CHECK(ids.resolve(name_of) == 5);
    CHECK(ids.entry_of(3) == Entry::cuMemAlloc_v2);
    CHECK(ids.entry_of(40) == Entry::cuMemFree_v2);
    CHECK(ids.entry_of(42) == Entry::cuMemHostAlloc);
    CHECK(ids.entry_of(100) == Entry::cuMemHostAlloc);  // CUPTI has two names for it
    CHECK(ids.entry_of(103) == Entry::cuCtxCreate_v4);
}

TEST_CASE("what leaves nothing that can be told without asking is not followed", "[cupti]") {
    ids.resolve(name_of);
    CHECK(ids.entry_of(1) == Entry::none);    // has no effect on memory
    CHECK(ids.entry_of(41) == Entry::none);   // only in 32-bit programs
    CHECK(ids.entry_of(101) == Entry::none);  // would need a query
    CHECK(ids.entry_of(102) == Entry::none);
    CHECK(ids.entry_of(104) == Entry::none);
    CHECK(ids.entry_of(300) == Entry::none);  // behind a gap larger than in any version
    CHECK(ids.entry_of(4000000000u) == Entry::none);
}

TEST_CASE("a library without names is told from one that has some", "[cupti]") {
    CHECK(ids.resolve([](int, uint32_t, const char**) { return invalid_parameter; }) == 0);
    CHECK(ids.entry_of(3) == Entry::none);
}
