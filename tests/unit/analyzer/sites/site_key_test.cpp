// SPDX-License-Identifier: Apache-2.0
//
// Call sites keep their key from build to build.
#include "analyzer/sites/site_key.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

std::string key_of(const std::vector<std::string>& frames) {
    Story story;
    story.recording.model.process.executable = "/app/train";
    const uint32_t stack = story.stack(frames);
    story.site("host", stack, 1, 1);
    SiteKeys keys(story.recording);
    return keys.text(keys.of(stack));
}

const std::string torch = "/v/lib/python3.11/site-packages/torch/";

}  // namespace

TEST_CASE("the key is the innermost own functions, without lines") {
    CHECK(key_of({"libc:malloc", "make(int) t/a.cpp:4", "step() t/b.cpp:5", "main t/c.cpp:6",
                  "libc:_start"}) == "make < step < main");
    CHECK(key_of({"make src/a.cpp:40", "step", "main"}) == "make < step < main");
    CHECK(key_of({"a", "b", "c", "d", "e", "main"}) == "a < b < c");
}

TEST_CASE("a function stands in it once, however deep the recursion") {
    CHECK(key_of({"make", "tree", "tree", "tree", "main"}) == "make < tree < main");
    CHECK(key_of({"make", "tree", "main"}) == "make < tree < main");
    CHECK(key_of({"even", "odd", "even", "odd", "main"}) == "even < odd < main");
}

TEST_CASE("of somebody else's Python it has the innermost two, of one's own three") {
    CHECK(key_of({"libc:malloc", "interpreter:_PyObject_Malloc",
                  "py:relu " + torch + "nn/functional.py:1",
                  "py:ReLU.forward " + torch + "nn/modules/activation.py:2",
                  "py:Module._call_impl " + torch + "nn/modules/module.py:3",
                  "py:Net.forward /home/me/net.py:42", "py:main /home/me/train.py:7",
                  "py:<module> /home/me/train.py:9"}) ==
          "relu (torch/nn/functional.py) < ReLU.forward (torch/nn/modules/activation.py) < "
          "Net.forward (net.py) < main (train.py) < <module> (train.py)");
}

TEST_CASE("where nothing is own code, it is the innermost four") {
    const std::string json = "/usr/lib/python3.11/json/";
    CHECK(key_of({"py:a " + json + "a.py:1", "py:b " + json + "a.py:2", "py:c " + json + "a.py:3",
                  "py:d " + json + "a.py:4", "py:e " + json + "a.py:5"}) ==
          "a (json/a.py) < b (json/a.py) < c (json/a.py) < d (json/a.py)");
}

TEST_CASE("a line added above, another folder, another load order: the same key") {
    const std::string before = key_of({"keep /build/1/src/a.cpp:17", "main /build/1/src/a.cpp:30"});
    CHECK(key_of({"keep /home/you/src/a.cpp:18", "main /home/you/src/a.cpp:31"}) == before);
    CHECK(key_of({"py:keep /ci/7/train.py:3", "py:<module> /ci/7/train.py:9"}) ==
          key_of({"py:keep /home/me/train.py:4", "py:<module> /home/me/train.py:10"}));
}

TEST_CASE("stacks with one key share its id; nothing is a key too") {
    Story story;
    story.recording.model.process.executable = "/app/train";
    const uint32_t first = story.stack({"libc:malloc", "make a.cpp:1", "main a.cpp:2"});
    const uint32_t second = story.stack({"libc:calloc", "make a.cpp:9", "main a.cpp:2"});
    const uint32_t other = story.stack({"take a.cpp:1", "main a.cpp:2"});
    SiteKeys keys(story.recording);
    CHECK(keys.of(first) == keys.of(second));
    CHECK(keys.of(first) != keys.of(other));
    CHECK(keys.text(keys.of(memtrace::no_stack)) == "[no stack]");
    CHECK(keys.size() == 3);
}

TEST_CASE("what autograd ran backward is named by the line that went forward") {
    const Story story = backward_training();
    SiteKeys keys(story.recording);
    std::string all;
    for (const Site& site : story.recording.model.spaces[0].sites) {
        all += keys.text(keys.of(site.stack));
    }
    CHECK_THAT(all, Catch::Matchers::Contains("backward of Net.forward (AddmmBackward0) (net.py)"));
}

TEST_CASE("the executables of all merged processes are the program's own") {
    const auto key = [](bool is_merged) {
        Story story;
        story.recording.model.process.executable = "/usr/bin/python3";
        const uint32_t stack = story.stack({"make a.cpp:1", "main a.cpp:2"});
        story.site("host", stack, 1, 1);
        for (const char* const executable : {"/usr/bin/python3", "/app/train"}) {
            if (!is_merged) break;
            ProcessPart& part = story.recording.merged.processes.emplace_back();
            part.process.executable = executable;
        }
        SiteKeys keys(story.recording);
        return keys.text(keys.of(stack));
    };
    CHECK(key(false) == "make [train] < main [train]");
    CHECK(key(true) == "make < main");
}
