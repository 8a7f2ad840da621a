// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/dump_file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
namespace dump_file = memtrace::preload::dump_file;

TEST_CASE("a dump is private and never opened over something else", "[dump_file]") {
    const test::TempPath there;
    CHECK_FALSE(dump_file::create(there.path().c_str(), 1));
    CHECK(dump_file::last_error() == EEXIST);

    const std::string link = there.path() + ".link";
    REQUIRE(symlink((there.path() + ".target").c_str(), link.c_str()) == 0);
    CHECK_FALSE(dump_file::create(link.c_str(), 1));
    CHECK(access((there.path() + ".target").c_str(), F_OK) != 0);
    unlink(link.c_str());

    const test::TestRecording recording;
    REQUIRE(recording.created());
    struct stat status;
    REQUIRE(stat(recording.path().c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("a missing folder is an error with its number", "[dump_file]") {
    CHECK_FALSE(dump_file::create("/nowhere/at/all.bin", 1));
    CHECK(dump_file::last_error() == ENOENT);
    dump_file::forget();
}

TEST_CASE("the file is always as long as its header says", "[dump_file]") {
    const test::TestRecording recording;
    for (uint32_t lane = 0; lane < 20; ++lane) {
        REQUIRE(dump_file::add_ring(lane, 1024) != nullptr);
        struct stat status;
        REQUIRE(stat(recording.path().c_str(), &status) == 0);
        CHECK(static_cast<uint64_t>(status.st_size) >= dump_file::header().file_end);
    }
    dump_file::trim();
    struct stat status;
    REQUIRE(stat(recording.path().c_str(), &status) == 0);
    CHECK(static_cast<uint64_t>(status.st_size) == dump_file::header().file_end);
}

TEST_CASE("a descriptor that the program closed is opened again", "[dump_file]") {
    const test::TestRecording recording;
    for (int fd = 3; fd < 5000; ++fd) {
        struct stat file, open_one;
        if (stat(recording.path().c_str(), &file) == 0 && fstat(fd, &open_one) == 0 &&
            file.st_ino == open_one.st_ino) {
            close(fd);
        }
    }
    CHECK(dump_file::add_ring(0, 1024) != nullptr);
    CHECK_FALSE(recording.read().damaged);
}
