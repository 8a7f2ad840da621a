// SPDX-License-Identifier: Apache-2.0
//
// `html` writes one page for each dump, beside it unless -o names another place.
#include "analyzer/page/page_bundle.h"
#include "tests/tools/files.h"
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("html needs histories, and has neither JSON nor a range") {
    CHECK(load_options_of({"html", "a.bin"}).slices.has_value());
    CHECK(is_refused({"html", "a.bin", "--json", "-"}));
    CHECK(is_refused({"html", "a.bin", "--from", "1s"}));
    CHECK(is_refused({"html", "a.bin", "b.bin", "-o", "c"}));
}

TEST_CASE("html: what a page must not have can be left out") {
    const Request all = request_of({"html", "a.bin"});
    CHECK(all.page.with_command);
    CHECK(all.page.with_source);
    CHECK_FALSE(all.page.short_paths);
    const Request none =
        request_of({"html", "a.bin", "--no-command", "--no-source", "--short-paths"});
    CHECK_FALSE(none.page.with_command);
    CHECK_FALSE(none.page.with_source);
    CHECK(none.page.short_paths);
}

TEST_CASE("html writes the page and says where") {
    const memtrace::test::TempFolder place;
    Recording recording = training().recording;
    recording.path = place.file("run.bin");
    const Request request = request_of({"html", "x"});
    if (page_bundle().script.empty()) {
        CHECK_THROWS_WITH(output_of(request, recording), Contains("without the page's program"));
        return;
    }
    CHECK_THAT(output_of(request, recording).text,
               Contains(place.file("run.html") + ": ") && Contains("opens in any browser"));
    CHECK_THAT(output_of(request_of({"html", "x", "-o", "-"}), recording).text,
               Contains("<!doctype html>"));
}
