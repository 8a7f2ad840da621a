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
