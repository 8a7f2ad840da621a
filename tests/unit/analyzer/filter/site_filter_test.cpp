// SPDX-License-Identifier: Apache-2.0
#include "analyzer/filter/site_filter.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// Four sites: 1000 bytes of load, 200 of serve, 30 of a library, and 4 of Python.
Story program() {
    Story story;
    const auto site = [&](std::vector<std::string> functions, uint64_t bytes, uint64_t leaked = 0) {
        functions.insert(functions.begin(), "libc:malloc");
        story.site("host", story.stack(functions), 1, bytes, leaked);
    };
    site({"load load.cpp:7", "main main.cpp:9"}, 1000);
    site({"serve serve.cpp:8", "main main.cpp:10"}, 200, 1);
    site({"libc:start", "libc:more"}, 30, 1);
    site({"interpreter:eval", "py:train train.py:41", "interpreter:eval", "main main.cpp:11"}, 4);
    story.space("host").totals.own_peak_bytes = 1234;
    return story;
}

std::vector<uint64_t> bytes_left(Story& story, const SiteFilters& filters) {
    apply(story.recording, filters);
    std::vector<uint64_t> bytes;
    if (const Space* host = find_space(story.recording.model, "host")) {
        Totals sum;
        for (const Site& site : host->sites) {
            bytes.push_back(site.totals.at_peak_bytes);
            add(sum, site.totals);
        }
        CHECK(host->totals.at_peak_bytes == sum.at_peak_bytes);
        CHECK(host->totals.own_peak_bytes == sum.at_peak_bytes);
        CHECK(host->totals.live_bytes == sum.live_bytes);
        CHECK(host->totals.allocations == sum.allocations);
    }
    return bytes;
}

std::vector<uint64_t> bytes_left(const SiteFilters& filters) {
    Story story = program();
    return bytes_left(story, filters);
}

using Bytes = std::vector<uint64_t>;

}  // namespace

TEST_CASE("a site stays if any frame of its stack passes") {
    CHECK(bytes_left({.functions = {"load"}}) == Bytes{1000});
    CHECK(bytes_left({.functions = {"main"}}) == Bytes{1000, 200, 4});
    CHECK(bytes_left({.modules = {"libpython3*"}}) == Bytes{4});
    CHECK(bytes_left({.files = {"*.cpp"}}) == Bytes{1000, 200, 4});
    CHECK(bytes_left({.own = true}) == Bytes{1000, 200, 4});
    CHECK(bytes_left({.python_only = true}) == Bytes{4});
    CHECK(bytes_left({.functions = {"nothing"}}).empty());
}

TEST_CASE("several patterns of one filter: any of them; several filters: all of them") {
    CHECK(bytes_left({.functions = {"load", "serve"}}) == Bytes{1000, 200});
    CHECK(bytes_left({.functions = {"load", "serve"}, .files = {"serve.cpp"}}) == Bytes{200});
    CHECK(bytes_left({.modules = {"libc"}, .own = true}) == Bytes{1000, 200, 4});
    CHECK(bytes_left({.functions = {"load"}, .python_only = true}).empty());
}

TEST_CASE("it is told what the filters left of each space") {
    Story story = program();
    story.site("mmap", story.stack({"libc:mmap", "libc:start"}), 1, 4096);
    bytes_left(story, {.functions = {"serve"}});
    REQUIRE(story.recording.model.filters);
    const auto& spaces = story.recording.model.filters->spaces;
    REQUIRE(spaces.size() == 2);
    CHECK(spaces[0].whole.at_peak_bytes == 1234);
    CHECK(spaces[0].kept.at_peak_bytes == 200);
    CHECK(spaces[1].name == "mmap");
    CHECK(spaces[1].kept.at_peak_bytes == 0);
    CHECK(find_space(story.recording.model, "mmap") == nullptr);
}

TEST_CASE("how far stacks reach is said of the whole recording") {
    Story story = program();
    const uint64_t complete = captures_complete(story.recording);
    REQUIRE(complete != 0);
    bytes_left(story, {.functions = {"load"}});
    CHECK(captures_complete(story.recording) == complete);
}

TEST_CASE("only the frames of Python are left by --python-only") {
    Story story = program();
    bytes_left(story, {.python_only = true});
    const Symbols& symbols = story.recording.symbols;
    std::string shown;
    symbols.walk(story.space("host").sites[0].stack,
                 [&](FrameId id) { shown += symbols.frames[id].function + " "; });
    CHECK(shown == "train ");
}

TEST_CASE("sites of other threads go") {
    Story story = program();
    story.space("host").left_out = {false, true, false, true};
    CHECK(bytes_left(story, {.threads = {"loader"}}) == Bytes{1000, 30});
}

TEST_CASE("histories stay with their sites, and the space's is their sum") {
    Story story = program();
    Space& host = story.space("host");
    host.history.held = {{0, 9, 9, 9}};
    host.histories = {{{{0, 10, 1, 1}, {2, 40, 2, 2}}, {{2, 30, 1}}},
                      {{{1, 5, 1, 1}, {3, 0, 0, 1}}, {}},
                      {{{0, 7, 1, 1}}, {}},
                      {}};
    bytes_left(story, {.functions = {"load", "serve"}});
    const SiteHistory& sum = story.space("host").history;
    REQUIRE(sum.held.size() == 4);
    CHECK(sum.held[0].bytes == 10);
    CHECK(sum.held[1].bytes == 15);
    CHECK(sum.held[2].bytes == 45);
    CHECK(sum.held[3].bytes == 40);
    CHECK(sum.held[3].allocations == 3);
    REQUIRE(sum.born.size() == 1);
    CHECK(sum.born[0].bytes == 30);
}

TEST_CASE("without filters nothing changes") {
    Story story = program();
    CHECK(bytes_left(story, {}).size() == 4);
    CHECK_FALSE(story.recording.model.filters);
    CHECK_FALSE(story.recording.coverage);
}
