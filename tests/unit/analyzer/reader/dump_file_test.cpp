// SPDX-License-Identifier: Apache-2.0
//
// Inputs that are not dumps, and the ways in which a dump can be read.
#include "analyzer/reader/dump_file.h"

#include <unistd.h>

#include <cstring>
#include <thread>

#include "analyzer/base/error.h"
#include "memtrace/dump/control.h"
#include "memtrace/dump/hash.h"
#include "tests/tools/small_story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;
using Catch::Matchers::Contains;

namespace {

std::string error_of(const std::string& path) {
    try {
        load_dump(path);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

std::string error_of(const Bytes& bytes) {
    const TempFile file(bytes);
    return error_of(file.path());
}

}  // namespace

TEST_CASE("what is not a dump is refused with a sentence") {
    CHECK_THAT(error_of("/no/such/file.bin"), Contains("no such file"));
    CHECK_THAT(error_of("/tmp"), Contains("is a folder"));
    CHECK_THAT(error_of("/dev/zero"), Contains("is a device"));
    CHECK_THAT(error_of(Bytes{}), Contains("is empty"));
    const std::string text = "#!/bin/sh\necho hello, this is no dump\n";
    CHECK_THAT(error_of(Bytes(text.begin(), text.end())), Contains("not a memtrace dump"));
    const Bytes whole = dump_from_text(small_story);
    CHECK_THAT(error_of(Bytes(whole.begin(), whole.begin() + 100)),
               Contains("cut off after 100 bytes"));
    CHECK_THAT(error_of(Bytes(whole.begin(), whole.begin() + 3)), Contains("cut off"));
}

TEST_CASE("a newer version and an unknown feature are refused, not guessed at") {
    Bytes bytes = dump_from_text(small_story);
    FileHeader header;
    const auto with = [&](auto change) {
        std::memcpy(&header, bytes.data(), sizeof header);
        change();
        header.checksum = hash_bytes(&header, header_checksum_offset);
        Bytes changed = bytes;
        std::memcpy(changed.data(), &header, sizeof header);
        return error_of(changed);
    };
    CHECK_THAT(with([&] { header.version = 99; }), Contains("format version 99"));
    CHECK_THAT(with([&] { header.features = 1ull << 40; }), Contains("does not know"));
    CHECK(with([] {}) == "no error");
}

TEST_CASE("a dump can come through a pipe") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    std::thread writer([&] {
        const Bytes bytes = dump_from_text(small_story);
        CHECK(write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
        close(ends[1]);
    });
    const Model model = load_dump("/proc/self/fd/" + std::to_string(ends[0]));
    writer.join();
    close(ends[0]);
    CHECK(problems_of(model).empty());
    CHECK(live_bytes(model) == 57);
}

TEST_CASE("a pipe without end that is no dump is not read to its end") {
    FILE* endless = popen("yes", "r");
    REQUIRE(endless != nullptr);
    CHECK_THAT(error_of("/proc/self/fd/" + std::to_string(fileno(endless))),
               Contains("not a memtrace dump"));
    pclose(endless);
}

TEST_CASE("a magic that is damaged in front of sound frames is still a dump") {
    Bytes bytes = dump_from_text(small_story);
    bytes[3] ^= 0x20;
    const Model model = load_bytes(bytes);
    CHECK_THAT(problems_of(model), Contains("header is damaged"));
    CHECK(live_bytes(model) == 57);
}

TEST_CASE("a file that has grown since it was opened is followed") {
    const Bytes bytes = dump_from_text(small_story);
    const TempFile path(Bytes(bytes.begin(), bytes.begin() + 5000));
    Problems problems;
    DumpFile file(path.path(), problems);
    CHECK(file.size() == 5000);
    write_file(path.path(), bytes);
    file.refresh();
    CHECK(file.size() == bytes.size());
    CHECK(file.file_end_now() == bytes.size());
}

TEST_CASE("the first byte that is not zero is found, wherever it is") {
    Bytes bytes = dump_from_text(small_story);
    const uint64_t end = bytes.size();
    bytes.resize(end + 700'000);
    Problems problems;
    {
        const TempFile path(bytes);
        CHECK(DumpFile(path.path(), problems).first_nonzero(end, bytes.size()) == bytes.size());
    }
    for (const uint64_t at : {end, end + 1, end + 262'144, end + 699'999}) {
        Bytes dirty = bytes;
        dirty[at] = 1;
        const TempFile path(dirty);
        CHECK(DumpFile(path.path(), problems).first_nonzero(end, dirty.size()) == at);
    }
}

TEST_CASE("what others asked of the program is no damage, and damage to it is noticed") {
    Bytes bytes = dump_from_text(small_story);
    const auto with = [&](uint64_t word) {
        Bytes changed = bytes;
        std::memcpy(changed.data() + control_offset + offsetof(Control, recording_asked), &word,
                    sizeof word);
        return load_dump(TempFile(changed).path()).damaged;
    };
    CHECK_FALSE(with(Control{}.recording_asked.of(3).word));
    CHECK(with(3));
}
