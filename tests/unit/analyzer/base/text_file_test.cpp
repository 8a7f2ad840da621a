// SPDX-License-Identifier: Apache-2.0
//
// Whatever a name is that of, reading it is over soon: with the text, or with a sentence.
#include "analyzer/base/text_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "analyzer/base/error.h"
#include "tests/tools/files.h"
#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using namespace memtrace::test;
using Catch::Matchers::Contains;

TEST_CASE("a file is read whole") {
    const std::string text = std::string("a\0b\n", 4) + std::string(100'000, 'x');
    const TempFile file(std::vector<uint8_t>(text.begin(), text.end()));
    CHECK(read_text_file(file.path(), "the notes") == text);
    CHECK(read_text_file(TempFile(std::vector<uint8_t>{}).path(), "the notes").empty());
    CHECK_FALSE(read_text_file("/proc/self/status", "the notes").empty());  // It says 0 bytes.
}

TEST_CASE("what is no file of text is a sentence, at once") {
    const Folder place;
    const std::string pipe = (place.path / "pipe").string();
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const auto why = [](const std::string& path, size_t most = text_file_max) {
        try {
            read_text_file(path, "the notes", most, "; write one");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK_THAT(why("/tmp"), Contains("cannot read the notes /tmp: it is a folder"));
    CHECK_THAT(why("/dev/zero"), Contains("a device"));
    CHECK_THAT(why("/dev/null"), Contains("a device"));
    CHECK_THAT(why(pipe), Contains("a named pipe"));
    CHECK_THAT(why("/no/such"), Contains("No such file") && Contains("; write one"));
    CHECK_THAT(why("/proc/self/mem"), Contains("cannot read the notes"));
    CHECK_THAT(why("/proc/kallsyms", 1000), Contains("more than 1000 B"));
    const TempFile large(std::vector<uint8_t>(1001));
    CHECK_THAT(why(large.path(), 1000), Contains("more than 1000 B"));
    CHECK(why(large.path(), 1001).empty());
}

TEST_CASE("a pipe that the shell has opened is read to its end") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    std::thread writer([&] {
        usleep(20'000);
        REQUIRE(write(ends[1], "late", 4) == 4);
        close(ends[1]);
    });
    CHECK(read_text_file("/dev/fd/" + std::to_string(ends[0]), "the notes") == "late");
    writer.join();
    close(ends[0]);
}
