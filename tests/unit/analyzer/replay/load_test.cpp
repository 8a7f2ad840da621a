// SPDX-License-Identifier: Apache-2.0
//
// The whole way from a path to a model.
#include "analyzer/replay/load.h"

#include "tests/tools/small_story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;

TEST_CASE("a whole dump has no problems, in chunks of any size, with or without compression") {
    for (const size_t records : {0, 1, 2, 3}) {
        for (const Packing packing : {Packing::none, Packing::zstd}) {
            for (const uint64_t room : {0, 64, 5000}) {
                TextOptions options;
                options.chunk_records = records;
                options.settings.packing = packing;
                options.settings.room_bytes = room;
                const Model model = load_story(small_story, options);
                CHECK(problems_of(model).empty());
                CHECK(live_bytes(model) == 57);
            }
        }
    }
}

TEST_CASE("events that the recording lost make the dump incomplete") {
    TextOptions options;
    options.settings.lost_events = 17;
    const Model model = load_story(small_story, options);
    CHECK(model.damaged);
    CHECK(model.capture.lost_events == 17);
}

TEST_CASE("progress goes forward and ends at its total") {
    const TempFile file(dump_from_text(small_story));
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
