// SPDX-License-Identifier: Apache-2.0
//
// What one process does to a dump that another one writes.
#include "analyzer/compact/dump_in_use.h"

#include <sys/stat.h>

#include <cstring>
#include <string>

#include "analyzer/base/error.h"
#include "analyzer/reader/past.h"
#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;

namespace {

Bytes some_dump() {
    DumpBuilder dump;
    for (uint64_t i = 0; i < 500; ++i)
        dump.add(0, Acquire{10 + i, Api::malloc, 0, 1, 0x1000 + 16 * i});
    return dump.end_chunk(0).bytes();
}

FileHeader header_of(const TempFile& file) {
    Problems ignored;
    return DumpFile(file.path(), ignored).header();
}

}  // namespace

TEST_CASE("a section is added behind all others, at a page of its own, and counted") {
    const TempFile file(some_dump());
    const FileHeader before = header_of(file);
    DumpInUse dump(file.path());
    const std::string section = write_past({}, "state");
    const uint64_t offset = dump.append(section);
    CHECK(offset % page_bytes == 0);
    CHECK(offset >= before.file_end);
    const FileHeader after = header_of(file);
    CHECK(after.file_end == offset + align_section(section.size()));
    CHECK(after.sections.value() == before.sections.value() + 1);
    CHECK(load_dump(file.path()).problems.empty());  // Nobody looks at it yet.
}

TEST_CASE("only a section that was made from the newest one is announced") {
    const TempFile file(some_dump());
    DumpInUse dump(file.path());
    const uint64_t first = dump.append(write_past({}, "first"));
    const uint64_t second = dump.append(write_past({}, "second"));
    CHECK_FALSE(dump.announce(first, second));
    CHECK(newest_past(file.path()) == 0);
    CHECK(dump.announce(first, 0));
    CHECK_FALSE(dump.announce(second, 0));
    CHECK(newest_past(file.path()) == first);
    CHECK(dump.announce(second, first));
    CHECK(newest_past(file.path()) == second);
}

TEST_CASE("whole pages are given back, and the program is told how many") {
    const TempFile file(some_dump());
    DumpInUse dump(file.path());
    const uint64_t offset = dump.append(std::string(10 * page_bytes, 'x'));
    struct stat before, after;
    REQUIRE(stat(file.path().c_str(), &before) == 0);
    const uint64_t end = header_of(file).file_end;
    CHECK(dump.bytes() < end - 7 * page_bytes);  // They are as good as given back.
    const PastGone gone[] = {{offset + 64, offset + 8 * page_bytes + 64, 1}};
    dump.give_back(gone);
    REQUIRE(stat(file.path().c_str(), &after) == 0);
    CHECK(before.st_blocks - after.st_blocks == 7 * page_bytes / 512);
    CHECK(before.st_size == after.st_size);
    CHECK(dump.bytes() == end - 7 * page_bytes);
}

TEST_CASE("a program has one helper, which sees each request until it has answered") {
    const TempFile file(some_dump());
    DumpInUse first(file.path()), second(file.path());
    CHECK(first.become_helper());
    CHECK_FALSE(second.become_helper());
    CHECK(first.compaction_asked() == 0);
    Bytes page(page_bytes);
    FILE* const bytes = fopen(file.path().c_str(), "r+");
    const TwinNumber<0xa5ced407> asked = TwinNumber<0xa5ced407>::of(7);
    fseek(bytes, control_offset + offsetof(Control, compactions_asked), SEEK_SET);
    REQUIRE(fwrite(&asked, sizeof asked, 1, bytes) == 1);
    fclose(bytes);
    first.wait_for_request(60'000);  // It does not wait.
    CHECK(first.compaction_asked() == 7);
    first.end_compaction(7);
    CHECK(first.compaction_asked() == 0);
    first.wait_for_request(1);
}

TEST_CASE("what cannot be opened is refused with a sentence") {
    CHECK_THROWS_AS(DumpInUse("/nowhere/dump.bin"), Error);
}
