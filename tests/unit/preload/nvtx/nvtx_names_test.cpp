// SPDX-License-Identifier: Apache-2.0
#include "preload/nvtx/nvtx_names.h"

#include <thread>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::preload::nvtx;

TEST_CASE("a handle of ours is the name that was given for it") {
    Names given(size_t{1} << 16);
    const void* const first = given.add("loader");
    const void* const second = given.add("loader");
    CHECK(first != second);
    CHECK(given.name_of(first) == "loader");
    CHECK(given.name_of(second) == "loader");
    CHECK(given.is_own(first));
    CHECK_FALSE(given.is_own(nullptr));
    CHECK(given.name_of(nullptr).empty());
}

TEST_CASE("somebody else's handle means what was remembered for it, and the last that was") {
    Names given(size_t{1} << 16);
    const int theirs[3] = {};
    given.remember(&theirs[0], "a");
    given.remember(&theirs[1], "b");
    given.remember(&theirs[0], "c");
    CHECK(given.name_of(&theirs[0]) == "c");
    CHECK(given.name_of(&theirs[1]) == "b");
    CHECK(given.name_of(&theirs[2]).empty());
    CHECK_FALSE(given.is_own(&theirs[0]));
    given.remember(nullptr, "nothing");
    CHECK(given.name_of(nullptr).empty());
}

TEST_CASE("a handle that is none is not followed") {
    Names given(size_t{1} << 16);
    const void* const name = given.add("a name of some length");
    CHECK(given.name_of(static_cast<const char*>(name) + 3).empty());
    CHECK(given.name_of(reinterpret_cast<const void*>(16)).empty());
}

TEST_CASE("threads get handles of their own") {
    Names given(size_t{1} << 16);
    std::vector<std::thread> threads;
    std::vector<const void*> handles(8 * 100);
    for (size_t thread = 0; thread < 8; ++thread) {
        threads.emplace_back([&given, &handles, thread] {
            for (size_t i = 0; i < 100; ++i) {
                handles[thread * 100 + i] = given.add(std::to_string(thread * 100 + i));
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < handles.size(); ++i) {
        REQUIRE(given.name_of(handles[i]) == std::to_string(i));
    }
}

TEST_CASE("names for which there is no room are called so, and remain handles") {
    Names given(size_t{1} << 16);
    const std::string longest(5000, 'x');
    const void* handle = nullptr;
    for (int i = 0; i < 30; ++i) handle = given.add(longest);
    CHECK(given.name_of(handle) == "(no room)");
    CHECK(given.is_own(handle));
}
