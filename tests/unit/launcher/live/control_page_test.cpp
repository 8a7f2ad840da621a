// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/control_page.h"

#include <fcntl.h>
#include <unistd.h>

#include <vector>

#include "analyzer/base/error.h"
#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using memtrace::analyzer::Error;
using memtrace::launcher::ControlPage;
using memtrace::launcher::name_of;
using memtrace::test::TempPath;

using Catch::Matchers::Contains;

TEST_CASE("a word that one side writes is there for the other", "[control_page]") {
    TempPath file;
    const int fd = open(file.path().c_str(), O_RDWR);
    REQUIRE(ftruncate(fd, page_bytes) == 0);
    const ControlPage page(file.path(), "it"), other(file.path(), "it");
    CHECK(asked(launcher::now(page.words().searches)) == 0);
    const auto word = decltype(Control::searches)::of(7);
    __atomic_store_n(&page.words().searches.word, word.word, __ATOMIC_RELEASE);
    CHECK(asked(launcher::now(other.words().searches)) == 7);
    Control in_file{};
    CHECK(pread(fd, &in_file, sizeof in_file, control_offset) == ssize_t{sizeof in_file});
    CHECK(asked(in_file.searches) == 7);
    close(fd);
}

TEST_CASE("a file that is no dump has no page of words", "[control_page]") {
    TempPath empty;
    CHECK_THROWS_WITH(ControlPage(empty.path(), "it"), Contains("cannot ask it"));
    CHECK_THROWS_WITH(ControlPage("/no/such/file", "it"), Contains("cannot ask it"));
    CHECK_THROWS_AS(ControlPage("/", "it"), Error);
}

TEST_CASE("a program has a name for sentences", "[control_page]") {
    analyzer::RecordedProgram program;
    program.pid = 4711;
    program.command = "train";
    program.dump_name = "train.bin";
    CHECK(name_of(program) == "process 4711 (train)");
    program.command.clear();
    CHECK(name_of(program) == "the program of train.bin");
}
