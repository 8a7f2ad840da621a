// SPDX-License-Identifier: Apache-2.0
//
// A dump turned into text and back: everything that a record can contain is kept.
#include "tests/tools/random_records.h"
#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::test;

TEST_CASE("one line for each record, in the order in which things happened") {
    const Bytes dump = dump_from_text(R"(
        release lane=1 time=20 api=free address=0x1000
        acquire lane=0 time=10 api=malloc size=100 address=0x1000
        note lane=0 time=15 subject="s" text="a \"word\"\x0a"
    )");
    CHECK(text_of(dump) ==
          "acquire lane=0 time=10 api=malloc stack=0 size=100 address=0x1000\n"
          "note lane=0 time=15 subject=\"s\" text=\"a \\\"word\\\"\\x0a\"\n"
          "release lane=1 time=20 api=free address=0x1000\n");
}

TEST_CASE("text to dump to text is the same text, for random records") {
    for (unsigned seed = 0; seed < 10; ++seed) {
        RandomRecords random(seed);
        DumpBuilder::Settings settings;
        settings.ring_slots = 1024;
        settings.state = State::ended;
        DumpBuilder dump(settings);
        uint64_t time = 1;
        for (int i = 0; i < 500; ++i) {
            time += 1 + random.number(10);
            random.any(time, [&](auto record) {
                using Record = decltype(record);
                // The time of a node is that of the record before it, so nodes cannot be sorted
                // again.
                if constexpr (!std::is_same_v<Record, Node>) {
                    dump.add(static_cast<uint32_t>(random.below(4)), record);
                }
            });
        }
        const std::string text = text_of(dump.bytes());
        CHECK(std::count(text.begin(), text.end(), '\n') > 400);
        TextOptions options;
        options.settings.ring_slots = 1024;
        options.ring_records = random.below(3);
        CHECK(text_of(dump_from_text(text, options)) == text);
        options.chunk_records = 7;
        CHECK(text_of(dump_from_text(text, options)) == text);
    }
}

TEST_CASE("a line that makes no sense is named") {
    CHECK_THROWS_WITH(dump_from_text("aquire lane=0 time=1\n"), Catch::Contains("aquire"));
    CHECK_THROWS_WITH(dump_from_text("acquire lane=0 tine=1\n"), Catch::Contains("tine"));
    CHECK_THROWS_WITH(dump_from_text("acquire lane=0 size=x\n"), Catch::Contains("size=x"));
}
