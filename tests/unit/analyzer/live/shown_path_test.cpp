// SPDX-License-Identifier: Apache-2.0
#include "analyzer/live/shown_path.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a file that another process has open is called by its name") {
    CHECK(shown_path("/proc/7/fd/5 is damaged: copy /proc/7/fd/5", "/proc/7/fd/5", "run.bin") ==
          "run.bin is damaged: copy run.bin");
    CHECK(shown_path("/proc/7/fd/51 is another", "/proc/7/fd/5", "x") ==
          "/proc/7/fd/51 is another");
    CHECK(shown_path("a.bin is damaged", "a.bin", "") == "a.bin is damaged");
    CHECK(shown_path("a.bin a.bin", "a.bin", "a.bin (deleted)") ==
          "a.bin (deleted) a.bin (deleted)");
}
