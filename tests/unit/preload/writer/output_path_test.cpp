// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/output_path.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "memtrace/dump/hash.h"
#include "preload/base/process_info.h"
#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

std::string path_for(const char* pattern, bool is_child = false) {
    setenv("MEMTRACE_OUTPUT", pattern, 1);
    Path path;
    make_output_path(path, is_child);
    unsetenv("MEMTRACE_OUTPUT");
    return std::string(path.view());
}

}  // namespace

TEST_CASE("patterns name pid, rank, counter and a percent sign", "[naming]") {
    const std::string pid = std::to_string(getpid());
    CHECK(path_for("/d/%p.bin") == "/d/" + pid + ".bin");
    CHECK(path_for("/d/%n%%.bin") == "/d/1%.bin");
    CHECK(path_for("/d/%r.bin") == "/d/0.bin");
    setenv("RANK", "3", 1);
    CHECK(path_for("/d/%r.bin") == "/d/3.bin");
    unsetenv("RANK");
}

TEST_CASE("a child of a fixed name has its pid behind it", "[naming]") {
    const std::string pid = std::to_string(getpid());
    CHECK(path_for("/d/run.bin", true) == "/d/run.bin." + pid);
    CHECK(path_for("/d/run.%p.bin", true) == "/d/run." + pid + ".bin");
}

TEST_CASE("a relative name starts at the folder of the start", "[naming]") {
    char folder[4096];
    REQUIRE(getcwd(folder, sizeof folder) != nullptr);
    CHECK(path_for("run.bin") == std::string(folder) + "/run.bin");
}

TEST_CASE("in a folder, a dump has its default name", "[naming]") {
    const std::string path = path_for("/tmp");
    CHECK(path.substr(0, 14) == "/tmp/memtrace.");
    CHECK(path.find("." + std::to_string(getpid()) + ".bin") != std::string::npos);
    CHECK(path_for("/tmp", true) == path);
}

TEST_CASE("nothing is put beside a device", "[naming]") {
    const test::TempPath file;
    CHECK(is_no_place_for_a_dump("/dev/null"));
    CHECK_FALSE(is_no_place_for_a_dump(file.path().c_str()));
    CHECK_FALSE(is_no_place_for_a_dump("/nothing/there"));
}

namespace {

// Makes the file at this path as old as a dump of yesterday.
void make_old(const std::string& path) {
    const timeval yesterday[2] = {{time(nullptr) - 86400, 0}, {time(nullptr) - 86400, 0}};
    REQUIRE(utimes(path.c_str(), yesterday) == 0);
}

// A dump of another process with our pid, which has ended.
std::string old_dump() {
    const test::TestRecording recording;
    const std::string kept = recording.path() + ".old";
    // A copy: the recording's own file stays locked while its pages are mapped.
    std::filesystem::copy_file(recording.path(), kept);
    return kept;
}

}  // namespace

TEST_CASE("only a dump that nobody writes to may be cleared away", "[naming]") {
    const test::TempPath text;
    REQUIRE(truncate(text.path().c_str(), 500) == 0);
    CHECK_FALSE(clear_stale_dump(Path(text.path()), 0));
    CHECK(access(text.path().c_str(), F_OK) == 0);

    setenv("MEMTRACE_OUTPUT", "run.bin", 1);
    {
        const test::TestRecording recording;  // claims to be of another process with our pid
        make_old(recording.path());
        CHECK_FALSE(clear_stale_dump(Path(recording.path()), 0));
        CHECK(access(recording.path().c_str(), F_OK) == 0);
    }
    const std::string old = old_dump();
    // One that was written after this process began is no earlier run's.
    CHECK_FALSE(clear_stale_dump(Path(old), 0));
    make_old(old);
    CHECK(clear_stale_dump(Path(old), 0));
    CHECK(access(old.c_str(), F_OK) != 0);
    unsetenv("MEMTRACE_OUTPUT");
}

TEST_CASE("a dump that another process is clearing away is left to it", "[naming]") {
    setenv("MEMTRACE_OUTPUT", "run.bin", 1);
    const std::string old = old_dump();
    make_old(old);
    const int other = open(old.c_str(), O_RDONLY);
    REQUIRE(flock(other, LOCK_EX) == 0);
    CHECK_FALSE(clear_stale_dump(Path(old), 0));
    close(other);
    CHECK(clear_stale_dump(Path(old), 0));
    unsetenv("MEMTRACE_OUTPUT");
}

TEST_CASE("the dump of this process from before an exec is put aside, whatever its name",
          "[naming]") {
    const std::string pid = std::to_string(getpid());
    for (const char* const pattern : {"run.bin", "run.%p.bin"}) {
        setenv("MEMTRACE_OUTPUT", pattern, 1);
        const test::TempPath before;
        FileHeader header{};
        std::memcpy(header.magic, file_magic, sizeof file_magic);
        header.pid = static_cast<uint64_t>(getpid());
        header.process_start = process_start_of(getpid());
        header.checksum = hash_bytes(&header, header_checksum_offset);
        std::ofstream(before.path(), std::ios::binary)
            .write(reinterpret_cast<const char*>(&header), sizeof header);
        CHECK(clear_stale_dump(Path(before.path()), 0));
        const std::string aside = before.path() + ".before." + pid + ".1";
        CHECK(access(before.path().c_str(), F_OK) != 0);
        CHECK(unlink(aside.c_str()) == 0);

        // Another process of this pid has another start, and its dump stays where pids tell them.
        ++header.process_start;
        header.checksum = hash_bytes(&header, header_checksum_offset);
        std::ofstream(before.path(), std::ios::binary)
            .write(reinterpret_cast<const char*>(&header), sizeof header);
        make_old(before.path());
        CHECK(clear_stale_dump(Path(before.path()), 0) == (pattern[4] != '%'));
        unsetenv("MEMTRACE_OUTPUT");
    }
}
