// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/output_check.h"

#include "tests/unit/test.h"

using namespace memtrace::launcher;

TEST_CASE("the folder of a dump is what stands before its patterns", "[launcher]") {
    CHECK(folder_of("") == ".");
    CHECK(folder_of("run.bin") == ".");
    CHECK(folder_of("/run.bin") == "/");
    CHECK(folder_of("dumps/%e.%p.bin") == "dumps");
    CHECK(folder_of("dumps/%r/x.bin") == "dumps");
    CHECK(folder_of("dumps.%r/x.bin") == ".");
}

TEST_CASE("the file system of a path is that of its innermost, latest mount", "[launcher]") {
    constexpr const char* mounts =
        "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "22 21 0:5 / /home rw shared:2 - nfs4 server:/home rw\n"
        "23 21 0:6 / /tmp rw - ext4 /dev/sdb rw\n"
        "24 23 0:7 / /tmp rw - tmpfs none rw\n"
        "a line that is no mount\n";
    CHECK(file_system_of("/usr", mounts) == "ext4");
    CHECK(file_system_of("/home/me", mounts) == "nfs4");
    CHECK(file_system_of("/homeless", mounts) == "ext4");
    CHECK(file_system_of("/tmp", mounts) == "tmpfs");
    CHECK(file_system_of("/tmp", "").empty());
}

TEST_CASE("a place is judged by what it takes", "[launcher]") {
    CHECK(judge_place({".", "ext4", uint64_t{1} << 40, true, true}).state == State::ok);
    CHECK(judge_place({".", "ext4", 1 << 20, true, true}).state == State::limited);
    CHECK(judge_place({".", "ext4", uint64_t{1} << 40, true, false}).state == State::no);
    CHECK(judge_place(read_place("/no/such/folder")).state == State::no);
    // A limit on the length of files, unless the disk is full before.
    const Finding limited = judge_place({".", "ext4", uint64_t{1} << 40, true, true, 1 << 24});
    CHECK(limited.state == State::limited);
    CHECK(limited.found.find("16.0 MiB at most (ulimit -f)") != std::string::npos);
    CHECK(judge_place({".", "ext4", uint64_t{1} << 40, true, true, uint64_t{1} << 41}).state ==
          State::ok);
    CHECK(read_place("/tmp").is_writable);
}
