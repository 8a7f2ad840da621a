// SPDX-License-Identifier: Apache-2.0
//
// In a stack with Python functions, the interpreter's own frames are not shown.
#include "analyzer/frames/stack_view.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

std::string shown(const Story& story, uint32_t stack, bool interpreter_frames = false,
                  uint32_t depth = 0) {
    const StackView view(story.recording.symbols, interpreter_frames);
    std::string text;
    view.walk(
        stack,
        [&](FrameId id, uint32_t) {
            text += story.recording.symbols.frames[id].function + " ";
            return true;
        },
        depth);
    return text;
}

std::string shown(const std::vector<std::string>& functions) {
    Story story;
    return shown(story, story.stack(functions));
}

}  // namespace

TEST_CASE("the interpreter's frames go, inside, between and outside of Python's") {
    const Story story = python_training();
    const auto& sites = story.recording.model.spaces[0].sites;
    CHECK(shown(story, sites[0].stack) == "malloc train_step <module> ");
    CHECK(shown(story, sites[1].stack) == "malloc at::empty train_step <module> ");
    CHECK(shown(story, sites[0].stack, true) ==
          "malloc _PyObject_Malloc list_append train_step _PyEval_Vector <module> Py_BytesMain "
          "libc.so.6+0x2724a __libc_start_main _start ");
}

TEST_CASE("a stack without Python functions is shown as it is") {
    const Story story = python_training();
    CHECK(shown(story, story.recording.model.spaces[0].sites[2].stack) ==
          "malloc _PyMem_RawMalloc Py_InitializeFromConfig _start ");
    CHECK(shown({"make", "main", "libc:__libc_start_main", "_start"}) ==
          "make main __libc_start_main _start ");
}

TEST_CASE("a program that has Python inside keeps its own functions, but not its start") {
    CHECK(shown({"py:hook", "interpreter:call", "engine_run", "main", "libc:__libc_start_main"}) ==
          "hook engine_run ");
    CHECK(shown({"py:work", "interpreter:boot", "libc:start_thread", "libc:clone3"}) == "work ");
    CHECK(shown({"make", "py:hook", "interpreter:call", "libc:qsort", "engine", "libc:clone"}) ==
          "make hook qsort engine ");
    CHECK(shown({"py:hook", "interpreter:call", "[stack cut]"}) == "hook [stack cut] ");
}

TEST_CASE("that frames of Python are missing is shown, with those that are there or without") {
    CHECK(shown({"py:work", "interpreter:boot", "main", "gap:lost", "libc:_start"}) ==
          "work lost ");
    CHECK(shown({"py:work", "interpreter:boot", "gap:lost", "_start"}) == "work lost ");
    CHECK(shown({"make", "interpreter:boot", "main", "gap:lost", "_start"}) ==
          "make boot main lost _start ");
}

TEST_CASE("one node is shown in one stack and not in another") {
    Story story;
    const uint32_t plain = story.stack({"interpreter:import", "interpreter:main"});
    const uint32_t python = story.stack({"py:f a.py:1"});
    StackNode node = story.recording.symbols.nodes[python];
    node.parent = plain;
    story.recording.symbols.nodes.set(python, node);
    CHECK(shown(story, plain) == "import main ");
    CHECK(shown(story, python) == "f ");
}

TEST_CASE("the calls that the interpreter makes to __init__ are not shown") {
    Story story;
    const uint32_t stack =
        story.stack({"py:Net.__init__ n.py:3", "py:__init__ x:0", "py:f n.py:9"});
    for (Frame& frame : story.recording.symbols.frames) {
        if (frame.function == "__init__") frame.file = "__init__";
    }
    CHECK(shown(story, stack) == "Net.__init__ f ");
}

TEST_CASE("depth counts nodes that are shown; a walk stops when it is told to") {
    const Story story = python_training();
    const uint32_t stack = story.recording.model.spaces[0].sites[0].stack;
    CHECK(shown(story, stack, false, 2) == "malloc train_step ");
    const StackView view(story.recording.symbols);
    int count = 0;
    view.walk(stack, [&](FrameId, uint32_t) { return ++count < 2; });
    CHECK(count == 2);
    view.walk(12345, [&](FrameId, uint32_t) { return ++count < 100; });
    CHECK(count == 2);
}

TEST_CASE("frames that differ only in their columns are one line") {
    Story story;
    story.stack({"py:f a.py:1", "py:f a.py:2", "py:g a.py:1", "f a.py:1"});
    auto& frames = story.recording.symbols.frames;
    frames.push_back(frames[3]);
    REQUIRE(frames[3].function == "f");
    frames[4].column = 7;
    const StackView view(story.recording.symbols);
    for (FrameId id = 0; id < 4; ++id) CHECK(view.line_of(id) == id);
    CHECK(view.line_of(4) == 3);
}
