// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/captured.h"

#include <cstdlib>

#include "tests/unit/test.h"

using namespace memtrace::launcher;

TEST_CASE("what a program writes is kept, on each output", "[launcher]") {
    setenv("MEMTRACE_TEST_GONE", "there", 1);
    const Captured ran =
        run_captured({"/bin/sh", "-c", "echo $A$MEMTRACE_TEST_GONE; echo err >&2; exit 3"},
                     {{"A", "1"}, {"MEMTRACE_TEST_GONE", ""}});
    unsetenv("MEMTRACE_TEST_GONE");
    CHECK(ran.ended);
    CHECK(ran.code == 3);
    CHECK(ran.out == "1\n");
    CHECK(ran.err == "err\n");
}

TEST_CASE("a program that cannot be started, or does not end, is no hang", "[launcher]") {
    CHECK(run_captured({"/no/such/program"}).code == 127);
    const Captured slow = run_captured({"/bin/sleep", "60"}, {}, 1);
    CHECK_FALSE(slow.ended);
    CHECK(slow.code == 128 + 9);
}
