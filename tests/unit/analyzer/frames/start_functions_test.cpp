// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/start_functions.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("threads start in functions of these names") {
    for (const char* name : {"_start", "main", "clone3", "__clone3", "start_thread"}) {
        CHECK(is_start_function(name));
    }
    for (const char* name : {"", "restart", "main_loop", "_start_thread", "malloc"}) {
        CHECK_FALSE(is_start_function(name));
    }
}

TEST_CASE("only the entry of a program calls libc's start") {
    CHECK(follows_entry("__libc_start_main"));
    CHECK(follows_entry("__libc_start_main_impl"));
    CHECK_FALSE(follows_entry("main"));
}
