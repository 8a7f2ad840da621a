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

TEST_CASE("the file of an address stands in the line of its mapping", "[process_info]") {
    constexpr std::string_view maps =
        "7f10000000-7f10001000 r--p 00000000 fe:00 1311   /opt/my program (deleted)\n"
        "7f10001000-7f10003000 rw-p 00000000 00:00 0 \n"
        "7ffc0000000-7ffc0001000 rw-p 00000000 00:00 0    [stack]\n"
        "not a mapping\n"
        "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]";
    CHECK(mapped_file_at(0x7f10000fff, maps) == "/opt/my program (deleted)");
    CHECK(mapped_file_at(0x7f10001000, maps).empty());
    CHECK(mapped_file_at(0x7ffc0000000, maps).empty());
    CHECK(mapped_file_at(0xffffffffff600000, maps).empty());
    CHECK(mapped_file_at(1, maps).empty());
    CHECK(mapped_file_at(1, "").empty());
}
