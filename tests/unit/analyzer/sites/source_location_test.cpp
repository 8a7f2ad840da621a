// SPDX-License-Identifier: Apache-2.0
//
// The line at which a call site is shown, in a file of the project.
#include "analyzer/sites/source_location.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a file is relative to the project, and never absolute") {
    CHECK(relative_file("/home/me/p/src/a.py", "/home/me/p") == "src/a.py");
    CHECK(relative_file("/home/me/p/x/../src/a.py", "/home/me/p/") == "src/a.py");
    CHECK(relative_file("src/a.py", "/home/me/p") == "src/a.py");
    CHECK(relative_file("./a.py", "/home/me/p") == "a.py");
    CHECK(relative_file("../a.py", "/home/me/p") == "a.py");
    CHECK(relative_file("/v/site-packages/torch/x.py", "/home/me/p") == "torch/x.py");
    CHECK(relative_file("/nowhere/deep/a.py", "/home/me/p") == "a.py");
    CHECK(relative_file("<string>", "/home/me/p").empty());
    CHECK(relative_file("", "/home/me/p").empty());
}

TEST_CASE("built in another folder, it is the longest end that the project has") {
    const Folder place;
    std::filesystem::create_directories(place.path / "src");
    std::ofstream(place.path / "src" / "net.cpp") << "x";
    std::ofstream(place.path / "net.cpp") << "x";
    CHECK(relative_file("/build/17/src/net.cpp", place.path.string()) == "src/net.cpp");
    CHECK(relative_file("/build/17/net.cpp", place.path.string()) == "net.cpp");
}

TEST_CASE("the innermost own line is shown; without one the innermost line at all") {
    Story story;
    const uint32_t own =
        story.stack({"libc:malloc", "py:relu /v/lib/python3.11/site-packages/torch/f.py:1",
                     "py:forward /p/net.py:42", "py:<module> /p/train.py:7"});
    const uint32_t other = story.stack({"py:f /v/lib/python3.11/site-packages/torch/f.py:1"});
    const uint32_t bare = story.stack({"libc:malloc", "work", "main"});
    SourceLocations places(story.recording, "/p");
    CHECK(text_of(places.of(own)) == "net.py:42");
    CHECK(places.of(own).function == "forward");
    CHECK(text_of(places.of(other)) == "torch/f.py:1");
    CHECK(text_of(places.of(bare)) == "work");
    CHECK(places.of(bare).file.empty());
    CHECK(text_of(places.of(memtrace::no_stack)).empty());
}
