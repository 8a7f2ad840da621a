// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_leaks.h"

#include "analyzer/report/report_summary.h"
#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Contains;

namespace {

// One of four tensors is alive at the end. All four were alive when the work ended.
Story tidied() {
    Story story;
    story.site("host", story.stack({"libc:malloc", "make src/train.cpp:7"}), 4, 1000, 1);
    Space& host = story.space("host");
    Totals of_site = host.sites.totals(0);
    for (Totals* totals : {&host.totals, &of_site}) {
        totals->held_blocks = 4;
        totals->held_bytes = 4000;
    }
    host.sites.set_totals(0, of_site);
    story.recording.model.process.work_end_ns = 1'000'000'000;
    return story;
}

}  // namespace

TEST_CASE("leaks are what was held when the work ended, if something was tidied away after it") {
    Story story = tidied();
    std::string text;
    write_leaks(text, story.recording, {});
    CHECK_THAT(text, Contains("Held when the work ended in host: 3.9 KiB (4,000 bytes) in 4 "
                              "blocks; at the end 1000 B are allocated"));
    CHECK_THAT(text, Contains("3.9 KiB 100.0 %          4  make  src/train.cpp:7"));
    story.recording.model.process.work_end_ns.reset();
    text.clear();
    write_leaks(text, story.recording, {});
    CHECK_THAT(text, Contains("Still allocated at the end in host: 1000 B (1,000 bytes) in 1 "
                              "block"));
}

TEST_CASE("the table of the summary has a column for it where it differs") {
    Story story = tidied();
    std::string text;
    write_summary(text, story.recording, {});
    CHECK_THAT(text, Contains("WORK ENDED  AT THE END"));
    story.space("host").totals.held_bytes = 1000;
    story.space("host").totals.held_blocks = 1;
    text.clear();
    write_summary(text, story.recording, {});
    CHECK(text.find("WORK ENDED") == std::string::npos);
}

TEST_CASE("amounts of an estimate are no exact figures") {
    Space space;
    CHECK(amount_text(space, 1536, 2) == "1.5 KiB (1,536 bytes) in 2 blocks");
    space.is_estimate = true;
    CHECK(amount_text(space, 1536, 2) == "~1.5 KiB in ~2 blocks");
}
