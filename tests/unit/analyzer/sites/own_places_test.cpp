// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/own_places.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Kind = OwnPlace::Kind;

namespace {

class Code {
public:
    OwnPlace of(const std::string& frame) { return places(story_.stack({frame})); }
    const std::string& name(uint32_t number) const { return found_.names[number]; }
    Story& story() { return story_; }

    OwnPlace places(uint32_t node) {
        found_ = find_own_places(story_.recording);
        return found_.of_locations[story_.recording.symbols.nodes.location_of(node)];
    }

private:
    Story story_;
    OwnPlaces found_;
};

}  // namespace

TEST_CASE("places of own code, of libraries, of Python's imports and of plumbing") {
    Code code;
    CHECK(code.of("py:step /home/me/train.py:4").kind == Kind::own);
    CHECK(code.of("step src/train.cpp:4").kind == Kind::own);
    CHECK(code.of("py:_find_and_load <frozen importlib._bootstrap>:1").kind == Kind::importing);
    CHECK(code.of("libc:malloc").kind == Kind::none);
    CHECK(code.of("libc:malloc").can_start_thread);
    CHECK_FALSE(code.of("step src/train.cpp:4").can_start_thread);
    const OwnPlace library = code.of("py:relu /v/lib/python3.11/site-packages/torch/nn/f.py:7");
    CHECK(library.kind == Kind::library);
    CHECK(code.name(library.library) == "torch");
    CHECK(library.package == OwnPlaces::no_name);
    const OwnPlace standard = code.of("py:<module> /usr/lib/python3.11/json/decoder.py:7");
    CHECK(standard.library == OwnPlaces::interpreter);
    CHECK(code.name(standard.package) == "json");
    CHECK(code.of("interpreter:_PyEval_Vector").library == OwnPlaces::interpreter);
    CHECK(code.of("gap:[no Python here]").kind == Kind::none);
}

TEST_CASE("what is compiled into a program, but written by others, is foreign") {
    Code code;
    CHECK(code.of("Json::parse /usr/include/json.hpp:7").is_foreign);
    CHECK(code.of("py:__init__ <string>:2").is_foreign);
    CHECK(code.of("py:f <attrs generated init>:2").kind == Kind::library);
    CHECK_FALSE(code.of("parse src/json.cpp:7").is_foreign);
    CHECK_FALSE(code.of("py:f <stdin>:2").is_foreign);
    CHECK_FALSE(code.of("py:f <ipython-input-3-0a1b>:2").is_foreign);
}

TEST_CASE("of several inlined functions the innermost counts that is not foreign") {
    Code code;
    Story& story = code.story();
    const uint32_t header = story.stack({"push /usr/include/boost/list.hpp:7"});
    const uint32_t own = story.stack({"collect src/main.cpp:9"});
    Symbols& symbols = story.recording.symbols;
    const FrameId inner = symbols.frames_of(header)[0], outer = symbols.frames_of(own)[0];
    const auto begin = static_cast<uint32_t>(symbols.of_locations.size());
    symbols.of_locations.insert(symbols.of_locations.end(), {inner, outer});
    symbols.ranges[symbols.nodes.location_of(header)] = {begin, 2};
    CHECK(code.places(header).frame == outer);
    CHECK_FALSE(code.places(header).is_foreign);
}

TEST_CASE("the configuration says what own code is") {
    Code code;
    code.story().recording.code.libraries = {"third_party"};
    CHECK(code.of("py:f /home/me/third_party/a.py:1").kind == Kind::library);
    CHECK(code.of("py:f /home/me/a.py:1").kind == Kind::own);
}

TEST_CASE("functions of one file are told apart if the file is not what tells them") {
    Code code;
    CHECK(code.of("py:step /home/me/train.py:4").kind == Kind::own);
    CHECK(code.of("py:other /home/me/train.py:9").kind == Kind::own);
    // Of the same name as its file: the interpreter's own, which calls __init__ for a class.
    CHECK(code.of("py:other __init__:1").kind == Kind::own);
    CHECK(code.of("py:__init__ __init__:1").kind == Kind::library);
}
