// SPDX-License-Identifier: Apache-2.0
//
// Nothing is fetched unless a server is named. No test here uses the network.
#include "analyzer/symbolise/debuginfod.h"

#include <cstdlib>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("without a server there is an obstacle, and it says what to set") {
    const char* before = std::getenv("DEBUGINFOD_URLS");
    const std::string kept = before != nullptr ? before : "";
    unsetenv("DEBUGINFOD_URLS");
    CHECK_THAT(debuginfod_obstacle(), Catch::Matchers::Contains("DEBUGINFOD_URLS"));
    if (before != nullptr) setenv("DEBUGINFOD_URLS", kept.c_str(), 1);
}
