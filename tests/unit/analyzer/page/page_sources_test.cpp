// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_sources.h"

#include <fstream>

#include "tests/tools/files.h"
#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Json sources_of(const Recording& recording, const PageOptions& options = {}) {
    PageNames names(recording, options);
    for (FrameId id = 0; id < recording.symbols.frames.size(); ++id) names.frame(id);
    return page_sources_json(recording, names, options);
}

void write_lines(const std::string& path, int count) {
    std::ofstream file(path);
    for (int i = 1; i <= count; ++i) file << "line " << i << "\n";
}

}  // namespace

TEST_CASE("page sources: a short file is there as a whole, of a long one what lies around") {
    const memtrace::test::TempFolder place;
    write_lines(place.file("a.py"), 20);
    write_lines(place.file("b.py"), 5000);
    Story story;
    story.stack({"py:f " + place.file("a.py") + ":3"});
    story.stack({"py:g " + place.file("b.py") + ":1000"});
    const Json json = sources_of(story.recording);
    REQUIRE(json.size() == 2);
    CHECK(json[0]["lines"].size() == 20);
    CHECK(json[0]["lines"][2] == Json({3, "line 3"}));
    CHECK(json[1]["lines"].size() == 25);
    CHECK(json[1]["lines"][12] == Json({1000, "line 1000"}));
}

TEST_CASE("page sources: without text it is said why") {
    const memtrace::test::TempFolder place;
    write_lines(place.file("a.py"), 20);
    Story story;
    story.stack({"py:f " + place.file("a.py") + ":3"});
    story.stack({"py:g /nowhere/b.py:1000"});
    story.stack({"py:h <string>:1"});
    const Json json = sources_of(story.recording);
    REQUIRE(json.size() == 2);
    CHECK(json[0]["why"] == "the file was not readable where the page was made");
    CHECK(json[1].contains("lines"));
    const Json bare = sources_of(story.recording, {.with_source = false});
    for (const Json& source : bare) CHECK_FALSE(source.contains("lines"));
    CHECK(bare.dump().find("line 3") == std::string::npos);
}
