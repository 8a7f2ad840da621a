// SPDX-License-Identifier: Apache-2.0
#include "preload/nvtx/nvtx_names.h"

#include <thread>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::preload::nvtx;

TEST_CASE("a handle of ours is the name that was given for it") {
    Names names(size_t{1} << 16);
    const void* const first = names.add("loader");
    const void* const second = names.add("loader");
    CHECK(first != second);
    CHECK(names.name_of(first) == "loader");
    CHECK(names.name_of(second) == "loader");
    CHECK(names.is_own(first));
    CHECK_FALSE(names.is_own(nullptr));
    CHECK(names.name_of(nullptr).empty());
}

TEST_CASE("somebody else's handle means what was remembered for it, and the last that was") {
    Names names(size_t{1} << 16);
    const int theirs[3] = {};
    names.remember(&theirs[0], "a");
    names.remember(&theirs[1], "b");
    names.remember(&theirs[0], "c");
    CHECK(names.name_of(&theirs[0]) == "c");
    CHECK(names.name_of(&theirs[1]) == "b");
    CHECK(names.name_of(&theirs[2]).empty());
    CHECK_FALSE(names.is_own(&theirs[0]));
    names.remember(nullptr, "nothing");
    CHECK(names.name_of(nullptr).empty());
}

TEST_CASE("a handle that is none is not followed") {
    Names names(size_t{1} << 16);
    const void* const name = names.add("a name of some length");
    CHECK(names.name_of(static_cast<const char*>(name) + 3).empty());
    CHECK(names.name_of(reinterpret_cast<const void*>(16)).empty());
}

TEST_CASE("threads get handles of their own") {
    Names names(size_t{1} << 16);
    std::vector<std::thread> threads;
    std::vector<const void*> handles(8 * 100);
    for (size_t thread = 0; thread < 8; ++thread) {
        threads.emplace_back([&names, &handles, thread] {
            for (size_t i = 0; i < 100; ++i) {
                handles[thread * 100 + i] = names.add(std::to_string(thread * 100 + i));
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < handles.size(); ++i) {
        REQUIRE(names.name_of(handles[i]) == std::to_string(i));
    }
}

TEST_CASE("names for which there is no room are called so, and remain handles") {
    Names names(size_t{1} << 16);
    const std::string longest(5000, 'x');
    const void* handle = nullptr;
    for (int i = 0; i < 30; ++i) handle = names.add(longest);
    CHECK(names.name_of(handle) == "(no room)");
    CHECK(names.is_own(handle));
}
