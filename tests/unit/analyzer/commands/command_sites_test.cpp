// SPDX-License-Identifier: Apache-2.0
//
// `sites` lists all call sites by the measure of --sort.
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;

TEST_CASE("sites are sorted by any measure, by default by the peak") {
    CHECK(request_of({"sites", "a.bin"}).sort == Measure::at_peak);
    CHECK(request_of({"sites", "a.bin", "--sort", "own-peak"}).sort == Measure::own_peak);
    CHECK(is_refused({"sites", "a.bin", "--sort", "size"}));
    CHECK(command_sites.sites == SiteFilter::all);
}

TEST_CASE("the site with most of the measure is first") {
    Story story;
    story.site("host", story.stack({"libc:malloc", "many_blocks a.cpp:1"}), 1000, 10);
    story.site("host", story.stack({"libc:malloc", "many_bytes b.cpp:2"}), 1, 1 << 20);
    const auto is_first = [&](const char* sort, const char* first, const char* second) {
        const Request request = request_of({"sites", "a.bin", "--sort", sort});
        const std::string text = output_of(request, story.recording).text;
        return text.find(first) < text.find(second);
    };
    CHECK(is_first("at-peak", "many_bytes", "many_blocks"));
    CHECK(is_first("allocations", "many_blocks", "many_bytes"));
}
