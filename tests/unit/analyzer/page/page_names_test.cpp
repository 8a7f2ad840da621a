// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_names.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Json table_of(const Recording& recording, const PageOptions& options = {}) {
    PageNames names(recording, options);
    for (FrameId id = 0; id < recording.symbols.frames.size(); ++id) names.frame(id);
    return names.json();
}

std::string text_of(const Json& json, const char* column, size_t frame) {
    return json["texts"][json["frames"][column][frame].get<size_t>()];
}

}  // namespace

TEST_CASE("page names: a frame has its function, its place, its library and what it is") {
    Story story;
    story.stack({"libc:malloc", "py:linear /v/lib/python3.11/site-packages/torch/nn/f.py:7",
                 "py:_find_and_load <frozen importlib._bootstrap>:1",
                 "py:main /home/me/net.py:42"});
    const Json json = table_of(story.recording);
    CHECK(text_of(json, "function", 0) == "main");
    CHECK(text_of(json, "file", 0) == "/home/me/net.py");
    CHECK(json["frames"]["line"][0] == 42);
    CHECK(text_of(json, "group", 0) == "net.py");
    CHECK(json["frames"]["flags"][0] == (ShownFrame::own | ShownFrame::python));
    CHECK(json["frames"]["flags"][1] == (ShownFrame::importing | ShownFrame::python));
    CHECK(text_of(json, "group", 2) == "torch");
    CHECK(text_of(json, "group", 3) == "libc.so.6");
}

TEST_CASE("page names: a frame and a text are in the tables once") {
    const Story story = training();
    PageNames names(story.recording, {});
    CHECK(names.frame(1) == names.frame(1));
    CHECK(names.text("a") == names.text("a"));
    CHECK(names.text("a") != names.text("b"));
}

TEST_CASE("page names: a name of a hundred thousand characters is cut") {
    Story story;
    story.stack({std::string(100'000, 'f') + " /src/" + std::string(100'000, 'x') + ".cpp:3"});
    const Json json = table_of(story.recording);
    CHECK(json.dump().size() < 2000);
}

TEST_CASE("page names: paths can be left out") {
    Story story;
    story.stack({"py:linear /home/me/venv/lib/python3.11/site-packages/torch/nn/f.py:7",
                 "py:main /home/me/secret/net.py:42"});
    const Json json = table_of(story.recording, {.short_paths = true});
    CHECK(text_of(json, "file", 0) == "net.py");
    CHECK(text_of(json, "file", 1) == "torch/nn/f.py");
    CHECK(json.dump().find("/home") == std::string::npos);
    CHECK(json.dump().find("secret") == std::string::npos);
}

TEST_CASE("page names: paths in sentences are shortened, and nothing else") {
    CHECK(with_short_paths("no file /home/me/libx.so: not found") == "no file libx.so: not found");
    CHECK(with_short_paths("'/home/me/a.py', (/b/c) and 3/4") == "'a.py', (c) and 3/4");
    CHECK(with_short_paths("") == "");
    CHECK(with_short_paths("a b ") == "a b ");
}
