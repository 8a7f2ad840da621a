// SPDX-License-Identifier: Apache-2.0
#include "launcher/dumps.h"

#include <unistd.h>

#include <cstring>

#include "memtrace/dump/format.h"
#include "tests/tools/files.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::launcher;
using test::TempFolder;
using Paths = std::vector<std::string>;

namespace {

// Writes a file header, the part of a dump that distinguishes it from others.
void write_dump(const std::string& path, uint64_t pid, uint64_t process_start,
                uint64_t recording_start = 0) {
    FileHeader header{};
    std::memcpy(header.magic, file_magic, sizeof file_magic);
    header.pid = pid;
    header.process_start = process_start;
    header.ticks_zero = recording_start;
    std::vector<uint8_t> bytes(sizeof header);
    std::memcpy(bytes.data(), &header, sizeof header);
    test::write_file(path, bytes);
}

}  // namespace

TEST_CASE("patterns become those of glob", "[launcher]") {
    CHECK(glob_pattern("out/%e.%p.bin") == "out/*.*.bin");
    CHECK(glob_pattern("100%%[a]*.bin") == "100%\\[a]\\*.bin");
    CHECK(glob_pattern("%x%") == "%x%");
}

TEST_CASE("dumps of a run are those that fit and are new, the last image of its process first",
          "[launcher]") {
    const TempFolder folder;
    const std::string output = folder.file("dump.bin");
    write_dump(output, 10, 100);
    write_dump(output + ".11", 11, 100);
    const DumpsOfRun dumps(output);
    CHECK(dumps.made(20).empty());

    write_dump(output, 20, 200, 9);                   // replaced
    write_dump(output + ".before.20.1", 20, 200, 5);  // from before an exec
    write_dump(output + ".19", 19, 201, 6);
    write_dump(folder.file("dump.bin2"), 30, 200);
    test::write_file(output + ".txt", {1, 2, 3});
    CHECK(dumps.made(20) == Paths{output, output + ".before.20.1", output + ".19"});
    CHECK(dumps.made(19).front() == output + ".19");
}

TEST_CASE("the default name tells runs that go on at the same time", "[launcher]") {
    CHECK(default_output() == "memtrace.%e." + std::to_string(getpid()) + ".%p.bin");
}
