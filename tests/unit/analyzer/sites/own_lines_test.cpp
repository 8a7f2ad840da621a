// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/own_lines.h"

#include <map>
#include <random>

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::no_stack;

namespace {

using Bytes = std::map<std::string, uint64_t>;

std::string text_of(const Story& story, const OwnRow& row) {
    if (row.kind == OwnRow::Kind::library) return row.name;
    const Frame& frame = story.recording.symbols.frames[row.frame];
    const std::string line = frame.file + ":" + std::to_string(frame.line);
    switch (row.kind) {
        case OwnRow::Kind::import: return "import " + row.name + " (" + line + ")";
        case OwnRow::Kind::backward: return "backward of " + line + " " + frame.function;
        default: return row.name.empty() ? line + " " + frame.function : row.name;
    }
}

// Returns the bytes at the peak of a space's rows.
Bytes rows_of(const Story& story, size_t space = 0) {
    const OwnLines lines = find_own_lines(story.recording);
    Bytes bytes;
    for (size_t row = 0; row < lines.rows.size(); ++row) {
        const Totals& totals = lines.totals[space][row];
        if (totals.at_peak_bytes != 0) {
            bytes[text_of(story, lines.rows[row])] += totals.at_peak_bytes;
        }
    }
    return bytes;
}

// Returns the row of a single stack.
std::string row_of(const std::vector<std::string>& functions) {
    Story story;
    story.site("host", story.stack(functions), 1, 100);
    const Bytes bytes = rows_of(story);
    REQUIRE(bytes.size() == 1);
    CHECK(bytes.begin()->second == 100);
    return bytes.begin()->first;
}

const std::string import_frame = "py:_find_and_load <frozen importlib._bootstrap>:1";
const std::string torch_frame = "py:<module> /v/lib/python3.11/site-packages/torch/__init__.py:445";
const std::string numpy_frame = "py:<module> /v/lib/python3.11/site-packages/numpy/__init__.py:1";
const std::string own_frame = "py:<module> /home/me/train.py:3";

}  // namespace

TEST_CASE("a stack belongs to its innermost own line") {
    CHECK(row_of({"libc:malloc", "py:linear /v/lib/python3.11/site-packages/torch/nn/f.py:7",
                  "py:forward /home/me/net.py:42", "interpreter:_PyEval_Vector", own_frame}) ==
          "/home/me/net.py:42 forward");
    CHECK(row_of({"libc:malloc", "std::vector<int>::push_back src/a.cpp:2", "make src/train.cpp:7",
                  "main src/train.cpp:90", "libc:_start"}) == "src/train.cpp:7 make");
}

TEST_CASE("functions are rows of their own on the same line of a file") {
    Story story;
    story.site("host", story.stack({"libc:malloc", "py:f /a.py:1"}), 1, 1);
    story.site("host", story.stack({"libc:malloc", "py:g /a.py:1"}), 1, 2);
    story.site("host", story.stack({"libc:calloc", "py:f /a.py:1"}), 1, 4);
    CHECK(rows_of(story) == Bytes{{"/a.py:1 f", 5}, {"/a.py:1 g", 2}});
}

TEST_CASE("an import is one row, with all that it imports itself") {
    CHECK(row_of({"libc:malloc", torch_frame, import_frame, own_frame}) ==
          "import torch (/home/me/train.py:3)");
    CHECK(row_of({"libc:malloc", numpy_frame, import_frame, torch_frame, import_frame,
                  own_frame}) == "import torch (/home/me/train.py:3)");
    // A hook of another package finds the module.
    CHECK(row_of({"libc:malloc", torch_frame, import_frame,
                  "py:find_spec /v/lib/python3.11/site-packages/six.py:9", import_frame,
                  own_frame}) == "import torch (/home/me/train.py:3)");
}

TEST_CASE("what an import takes before its first module runs is of its only package") {
    Story story;
    story.site("host", story.stack({"libc:malloc", import_frame, own_frame}), 1, 1);
    story.site("host", story.stack({"libc:malloc", torch_frame, import_frame, own_frame}), 1, 2);
    CHECK(rows_of(story) == Bytes{{"import torch (/home/me/train.py:3)", 3}});
}

TEST_CASE("of a line that imports two packages the rest has no name") {
    Story story;
    const uint32_t line = story.stack({own_frame});
    const auto below = [&](uint32_t outer, const std::vector<std::string>& functions) {
        const uint32_t inner = story.stack(functions);
        story.change_node(inner - static_cast<uint32_t>(functions.size()) + 1,
                          [&](StackNode& node) { node.parent = outer; });
        return inner;
    };
    const uint32_t importing = below(line, {import_frame});
    story.site("host", importing, 1, 1);
    story.site("host", below(importing, {torch_frame}), 1, 2);
    story.site("host", below(importing, {numpy_frame}), 1, 4);
    CHECK(rows_of(story) == Bytes{{"import  (/home/me/train.py:3)", 1},
                                  {"import torch (/home/me/train.py:3)", 2},
                                  {"import numpy (/home/me/train.py:3)", 4}});
}

TEST_CASE("an own module that is imported has its own lines, and is named by the import") {
    Story story;
    story.site("host", story.stack({"libc:malloc", import_frame, own_frame}), 1, 1);
    story.site(
        "host",
        story.stack({"libc:malloc", "py:<module> /home/me/data.py:5", import_frame, own_frame}), 1,
        2);
    CHECK(rows_of(story) ==
          Bytes{{"import data (/home/me/train.py:3)", 1}, {"/home/me/data.py:5 <module>", 2}});
}

TEST_CASE("backward memory belongs to the own line that went forward") {
    Story story;
    const std::string line = "py:Net.forward /src/net.py:42";
    const uint32_t forward = story.stack({"libc:malloc", line, own_frame});
    const uint32_t inner =
        story.backward({"libc:malloc"}, "AddmmBackward0", line, forward, story.stack({own_frame}));
    story.site("host", forward, 1, 400);
    story.site("host", inner, 5, 1000);
    CHECK(rows_of(story) == Bytes{{"/src/net.py:42 Net.forward", 400},
                                  {"backward of /src/net.py:42 Net.forward", 5000}});
}

TEST_CASE("backward memory of a library's line belongs to the own line that called it forward") {
    Story story;
    const std::string library = "py:forward /v/lib/python3.11/site-packages/gpt/model.py:9";
    const uint32_t forward = story.stack({"libc:malloc", library, own_frame});
    const uint32_t thread = story.stack({"libc:clone"});
    story.site("host", story.backward({"libc:malloc"}, "AddmmBackward0", library, forward, thread),
               1, 7);
    CHECK(rows_of(story) == Bytes{{"backward of /home/me/train.py:3 <module>", 7}});
}

TEST_CASE("without an own line the library is the row") {
    CHECK(row_of({"libc:malloc", "interpreter:Py_InitializeFromConfig"}) == "the interpreter");
    CHECK(row_of({"libc:malloc", "py:<module> <frozen site>:1", "interpreter:Py_Main"}) ==
          "the interpreter");
    CHECK(row_of({"libc:malloc", "py:_monitor /v/lib/python3.11/site-packages/tqdm/_monitor.py:9",
                  "py:run /usr/lib/python3.11/threading.py:9", "interpreter:thread_run"}) ==
          "tqdm");
    CHECK(row_of({"libc:malloc", "libc:_dl_init"}) == "threads");
    // .pth files of site-packages run as "<string>".
    CHECK(row_of({"libc:malloc", "py:<module> <string>:1", "py:addpackage <frozen site>:1",
                  "interpreter:Py_Main"}) == "the interpreter");
    CHECK(row_of({"libc:malloc", "py:<module> <string>:1", "interpreter:Py_Main"}) ==
          "<string>:1 <module>");
}

TEST_CASE("threads that a library starts are named by it, and Python's by the interpreter") {
    Story story;
    story.site("host", story.stack({"libc:malloc", "gomp_new_team", "libc:start_thread"}), 1, 1);
    story.site("host", story.stack({"libc:malloc", "interpreter:thread_run", "libc:start_thread"}),
               1, 2);
    for (Frame& frame : story.recording.symbols.frames) {
        if (frame.function == "gomp_new_team") frame.module = "/usr/lib/libgomp-a34b3233.so.1";
    }
    CHECK(rows_of(story) == Bytes{{"threads of libgomp", 1}, {"the interpreter", 2}});
}

TEST_CASE("code compiled from strings or headers belongs to the line that called it") {
    CHECK(row_of({"libc:malloc", "py:__init__ <string>:2", own_frame}) ==
          "/home/me/train.py:3 <module>");
    CHECK(row_of({"libc:malloc", "py:__init__ <string>:2", torch_frame, import_frame, own_frame}) ==
          "import torch (/home/me/train.py:3)");
    CHECK(row_of({"libc:malloc", "Json::parse /usr/include/json.hpp:7", "main src/main.cpp:3"}) ==
          "src/main.cpp:3 main");
}

TEST_CASE("own code without names is one row for each file of code") {
    Story story;
    for (const char* address : {"train+0x10", "train+0x20"}) {
        story.site("host", story.stack({"libc:malloc", address}), 1, 50);
    }
    for (Frame& frame : story.recording.symbols.frames) frame.named = false;
    CHECK(rows_of(story) == Bytes{{"/app/train", 100}});
}

TEST_CASE("events without a stack are a row") {
    Story story;
    story.site("host", no_stack, 3, 5);
    CHECK(rows_of(story) == Bytes{{"no stack was recorded", 15}});
}

TEST_CASE("rows add up to the totals of their space, whatever the stacks are") {
    const std::vector<std::string> frames{"libc:malloc",
                                          "libc:start_thread",
                                          "interpreter:_PyEval_Vector",
                                          import_frame,
                                          torch_frame,
                                          numpy_frame,
                                          own_frame,
                                          "py:f /home/me/data.py:5",
                                          "py:g <string>:2",
                                          "make src/train.cpp:7",
                                          "Json::parse /usr/include/json.hpp:7",
                                          "py:<module> /usr/lib/python3.11/json/decoder.py:7",
                                          "gap:[missing]"};
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        Story story;
        std::vector<uint32_t> stacks{no_stack};
        for (int i = 0; i < 20; ++i) {
            std::vector<std::string> functions;
            for (size_t depth = 1 + random() % 8; depth > 0; --depth) {
                functions.push_back(frames[random() % frames.size()]);
            }
            stacks.push_back(random() % 4 == 0
                                 ? story.backward(functions, "AddmmBackward0", own_frame,
                                                  stacks[random() % stacks.size()],
                                                  stacks[random() % stacks.size()])
                                 : story.stack(functions));
        }
        for (const uint32_t stack : stacks) {
            const uint64_t blocks = 1 + random() % 5;
            story.site(random() % 2 ? "host" : "mmap", stack, blocks, random() % 1000,
                       random() % (blocks + 1));
        }
        const OwnLines lines = find_own_lines(story.recording);
        REQUIRE(lines.totals.size() == story.recording.model.spaces.size());
        for (size_t space = 0; space < lines.totals.size(); ++space) {
            REQUIRE(lines.totals[space].size() == lines.rows.size());
            Totals sum;
            for (const Totals& totals : lines.totals[space]) add(sum, totals);
            CHECK(sum == story.recording.model.spaces[space].totals);
        }
    }
}

TEST_CASE("a package that several lines import is one row, at the line that took most") {
    Story story;
    for (const auto& [line, bytes] : {std::pair{"1", 10}, std::pair{"2", 30}, std::pair{"3", 20}}) {
        story.site("host",
                   story.stack({"libc:malloc", torch_frame, import_frame,
                                std::string("py:<module> /home/me/train.py:") + line}),
                   1, static_cast<uint64_t>(bytes));
    }
    CHECK(rows_of(story) == Bytes{{"import torch (/home/me/train.py:2)", 60}});
}
