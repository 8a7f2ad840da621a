// SPDX-License-Identifier: Apache-2.0
#include "preload/base/process_info.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("a process has a start time, a dead one has none", "[process_info]") {
    CHECK(process_start_of(getpid()) > 0);
    CHECK(process_start_of(0x7ffffff0) == 0);
}

TEST_CASE("a parent is a field of its child's status", "[process_info]") {
    CHECK(parent_of(getpid()) == getppid());
    CHECK(parent_of(0x7fffffff) == 0);
}

TEST_CASE("the rank comes from the variables of launchers", "[process_info]") {
    setenv("RANK", "3", 1);
    CHECK(rank_variable() == "RANK=3");
    unsetenv("RANK");
}

TEST_CASE("the command line and the executable are this process's", "[process_info]") {
    Path executable;
    find_executable(executable);
    CHECK(executable.view().ends_with("memtrace-unit-tests"));
    CHECK(command_line().substr(0, command_line().find('\0')).ends_with("memtrace-unit-tests"));
}
