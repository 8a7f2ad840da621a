// SPDX-License-Identifier: Apache-2.0
//
// What is not a dump, and dumps as dying processes leave them.
#include <unistd.h>

#include <cstring>
#include <thread>

#include "analyzer/error.h"
#include "memtrace/hash.h"
#include "tests/tools/story.h"
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

const char* const story = R"(
    process pid=1 executable="/bin/x"
    acquire lane=0 time=10 stack=0 size=100 address=0x1000
    acquire lane=0 time=20 stack=0 size=50 address=0x2000
    acquire lane=1 time=25 stack=0 size=7 address=0x3000
    note lane=0 time=26 subject="a" text="a text of several slots in the ring of its lane"
    release lane=0 time=30 address=0x1000
)";

uint64_t live_bytes(const Model& model) { return find_space(model, "host")->totals.live_bytes; }

}  // namespace

TEST_CASE("what is not a dump is refused with a sentence") {
    CHECK_THAT(error_of("/no/such/file.bin"), Contains("no such file"));
    CHECK_THAT(error_of("/tmp"), Contains("is a folder"));
    CHECK_THAT(error_of(Bytes{}), Contains("is empty"));
    const std::string text = "#!/bin/sh\necho hello, this is no dump\n";
    CHECK_THAT(error_of(Bytes(text.begin(), text.end())), Contains("not a memtrace dump"));
    const Bytes whole = dump_from_text(story);
    CHECK_THAT(error_of(Bytes(whole.begin(), whole.begin() + 100)), Contains("cut off after 100 bytes"));
    CHECK_THAT(error_of(Bytes(whole.begin(), whole.begin() + 3)), Contains("cut off"));
}

TEST_CASE("a newer version and an unknown feature are refused, not guessed at") {
    Bytes bytes = dump_from_text(story);
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

TEST_CASE("a whole dump has no problems, in chunks of any size, with or without compression") {
    for (const size_t records : {0, 1, 2, 3}) {
        for (const Packing packing : {Packing::none, Packing::zstd}) {
            for (const uint64_t room : {0, 64, 5000}) {
                TextOptions options;
                options.chunk_records = records;
                options.settings.packing = packing;
                options.settings.room_bytes = room;
                const Model model = load_story(story, options);
                CHECK(problems_of(model).empty());
                CHECK(live_bytes(model) == 57);
            }
        }
    }
}

TEST_CASE("a dump can come through a pipe") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    std::thread writer([&] {
        const Bytes bytes = dump_from_text(story);
        CHECK(write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
        close(ends[1]);
    });
    const Model model = load_dump("/proc/self/fd/" + std::to_string(ends[0]));
    writer.join();
    close(ends[0]);
    CHECK(problems_of(model).empty());
    CHECK(live_bytes(model) == 57);
}

TEST_CASE("a killed process leaves its last events in rings") {
    for (size_t in_ring = 1; in_ring < 6; ++in_ring) {
        TextOptions options;
        options.ring_records = in_ring;
        const Model model = load_story(story, options);
        CHECK(problems_of(model).empty());
        CHECK_FALSE(model.damaged);
        CHECK(live_bytes(model) == 57);
        CHECK(model.process.end == "unknown");
    }
}

TEST_CASE("killed at any step of emptying a ring, nothing is lost and nothing is damaged") {
    TextOptions options;
    options.ring_records = 4;
    const auto check = [](DumpBuilder& dump) {
        const Model model = load_bytes(dump.bytes());
        CHECK(problems_of(model).empty());
        CHECK(live_bytes(model) == 57);
        CHECK(model.capture.events == 4);
        return model.notes.size();
    };
    DumpBuilder written = build_from_text(story, options);
    check(written.die_before_emptying(0));
    DumpBuilder emptying = build_from_text(story, options);
    check(emptying.die_while_emptying(0));
    for (const size_t bytes : {0, 20, 1000}) {
        DumpBuilder torn = build_from_text(story, options);
        CHECK(check(torn.die_while_writing_chunk(0, bytes)) == (bytes == 0 ? 1 : 2));
    }
    DumpBuilder reserved = build_from_text(story, options);
    check(reserved.reserve(1000));
}

TEST_CASE("killed while a record was being written: that one did not happen") {
    const AnyRecord records[] = {Acquire{40, Api::malloc, 0, 1000, 0x9000},
                                 Note{40, "subject", "a text that needs a few slots to be written down"}};
    for (const AnyRecord& record : records) {
        for (uint32_t slots = 1; slots <= slots_of(record).size(); ++slots) {
            TextOptions options;
            options.ring_records = 3;
            DumpBuilder dump = build_from_text(story, options);
            dump.die_while_writing_record(0, record, slots);
            const Model model = load_bytes(dump.bytes());
            CHECK(problems_of(model).empty());
            CHECK(live_bytes(model) == 57);
        }
    }
}

TEST_CASE("a lane that lacks a chunk says how many slots are lost, and the rest is reported") {
    DumpBuilder dump;
    for (uint64_t i = 0; i < 30; ++i) {
        dump.add(0, Acquire{10 + i, Api::malloc, 0, 1, 0x1000 + 16 * i});
        if (i % 10 == 9) dump.end_chunk(0);
    }
    Bytes bytes = dump.bytes();
    const DumpBuilder::Place& middle = dump.places()[2];
    REQUIRE(middle.kind == FrameKind::chunk);
    bytes[middle.offset + 70] ^= 1;
    const Model model = load_bytes(bytes);
    CHECK(model.damaged);
    CHECK_THAT(problems_of(model), Contains("checksum is wrong") && Contains("lacks slots 10 to 19"));
    CHECK(model.capture.lost_events == 10);
    CHECK(live_bytes(model) == 20);
    CHECK(model.problems[0].offset == middle.offset);
    CHECK(model.problems[0].bytes == middle.end - middle.offset);
}

TEST_CASE("events that the recording lost make the dump incomplete") {
    TextOptions options;
    options.settings.lost_events = 17;
    const Model model = load_story(story, options);
    CHECK(model.damaged);
    CHECK(model.capture.lost_events == 17);
}

TEST_CASE("without rings in the file a killed process may have lost events, an ended one has not") {
    DumpBuilder::Settings settings;
    settings.with_rings = false;
    DumpBuilder dump(settings);
    dump.add(0, Acquire{10, Api::malloc, 0, 1, 0x1000});
    CHECK_THAT(problems_of(load_bytes(dump.bytes())), Contains("has no ring"));
    dump.settings.state = State::ended;
    CHECK(problems_of(load_bytes(dump.bytes())).empty());
}

TEST_CASE("progress goes forward and ends at its total") {
    const TempFile file(dump_from_text(story));
    uint64_t last = 0;
    uint64_t end = 0;
    load_dump(file.path(), [&](uint64_t done, uint64_t total) {
        CHECK(done >= last);
        CHECK(done <= total);
        last = done;
        end = total;
    });
    CHECK(last == end);
    CHECK(end > 0);
}
