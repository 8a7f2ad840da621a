// SPDX-License-Identifier: Apache-2.0
//
// Call sites are merged by the user's own code, callers form a tree, and recursion is folded.
#include "analyzer/sites/site_table.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

struct Table {
    Table(const Story& story, TableOptions options = {}, Measure measure = Measure::at_peak)
        : symbols(story.recording.symbols),
          table(make_site_table(story.recording.model.spaces[0], symbols, measure, options)) {}

    // "make 700 (step 400 (main 400), test 300)"
    std::string text() const { return list(table.groups); }

    std::string list(const std::vector<uint32_t>& ids) const {
        std::string out;
        for (const uint32_t id : ids) {
            const Caller& node = table.nodes[id];
            out += (out.empty() ? "" : ", ") +
                   (node.frame == no_frame ? "none" : symbols.frames[node.frame].function);
            if (node.skips) out += " after others";
            if (node.repeats > 1) out += "*" + std::to_string(node.repeats);
            if (node.repeats_max > node.repeats) out += ".." + std::to_string(node.repeats_max);
            if (node.period > 1) out += "/" + std::to_string(node.period);
            out += " " + std::to_string(value_of(node.totals, table.measure));
            if (node.cut) out += " ...";
            if (!node.callers.empty()) out += " (" + list(node.callers) + ")";
        }
        return out;
    }

    const Symbols& symbols;
    SiteTable table;
};

}  // namespace

TEST_CASE("sites with the same innermost frame of one's own are one group") {
    Story story;
    story.site("host", story.stack({"libc:malloc", "operator new(unsigned long)", "make", "step"}),
               1, 300);
    story.site("host", story.stack({"libc:malloc", "make", "step", "main", "libc:_start"}), 1, 100);
    story.site("host", story.stack({"make", "test", "main"}), 1, 300);
    story.site("host", story.stack({"other", "main"}), 1, 10);
    CHECK(Table(story).text() ==
          "make 700 (step 400 (main 100), test 300 (main 300)), other 10 (main 10)");
}

TEST_CASE("stacks that meet in one's own code share its callers, and their figures add up") {
    Story story;
    const auto add = [&](const std::vector<std::string>& inner, uint64_t bytes) {
        std::vector<std::string> frames = inner;
        frames.insert(frames.end(), {"make", "step", "main", "libc:_start"});
        story.site("host", story.stack(frames), 1, bytes);
    };
    add({"libc:malloc"}, 100);
    add({"libc:malloc", "operator new(unsigned long)"}, 20);
    add({"libc:malloc", "std::string::reserve(unsigned long)"}, 3);
    CHECK(Table(story).text() == "make 123 (step 123 (main 123))");
    CHECK(Table(story, {2}).text() == "make 123 (step 123 ...)");
    // Where all frames are shown, they meet nowhere.
    CHECK(Table(story, {2, true}).text() ==
          "malloc 123 (make 100 ..., operator new(unsigned long) 20 ..., "
          "std::string::reserve(unsigned long) 3 ...)");
}

TEST_CASE("all frames can be asked for, and a stack of libraries only keeps its frames") {
    Story story;
    story.site("host", story.stack({"libc:malloc", "libc:init"}), 1, 30);
    CHECK(Table(story).text() == "malloc 30 (init 30)");
    story.site("host", story.stack({"libc:malloc", "make"}), 1, 40);
    CHECK(Table(story, {8, true}).text() == "malloc 70 (make 40, init 30)");
}

TEST_CASE("a site without a stack is a group of its own") {
    Story story;
    story.site("host", memtrace::no_stack, 2, 5);
    CHECK(Table(story).text() == "none 10");
}

TEST_CASE("recursion is folded, also when it takes several functions to come round") {
    Story story;
    story.site("host", story.stack({"walk t.c:9", "walk t.c:7", "walk t.c:7", "main"}), 1, 1);
    CHECK(Table(story).text() == "walk*3 1 (main 1)");
    story.site("host", story.stack({"walk t.c:9", "walk t.c:7", "main"}), 1, 1);
    CHECK(Table(story).text() == "walk*2..3 2 (main 2)");

    Story python;
    python.site("host",
                python.stack({"leaf", "eval", "call", "eval", "call", "eval", "call", "main"}), 1,
                1);
    CHECK(Table(python).text() == "leaf 1 (eval 1 (call*3/2 1 (main 1)))");
}

TEST_CASE("stacks end at the depth, and it shows") {
    Story story;
    story.site("host", story.stack({"a", "b", "c", "d"}), 1, 8);
    CHECK(Table(story, {2, false}).text() == "a 8 (b 8 ...)");
    CHECK(Table(story, {4, false}).text() == "a 8 (b 8 (c 8 (d 8)))");
    CHECK(Table(story, {1, false}).text() == "a 8 ...");
}

TEST_CASE("what has nothing of the measure is left out, but a leaked block of no bytes is a leak") {
    Story story;
    story.site("host", story.stack({"a"}), 4, 8, 0);
    story.site("host", story.stack({"b"}), 4, 0, 1);
    CHECK(Table(story, {}, Measure::leaked).text() == "b 0");
    CHECK(Table(story, {}, Measure::allocations).text() == "a 4, b 4");
}

TEST_CASE("a site of Python is its line; stacks that look alike are one, and sums stay") {
    Story story = python_training();
    CHECK(Table(story, {}, Measure::allocations).text() ==
          "Py_InitializeFromConfig 10, train_step 8 (<module> 8), "
          "at::empty 4 (train_step 4 (<module> 4))");
    // The same lines on another path through the interpreter.
    story.site(
        "host",
        story.stack({"libc:malloc", "interpreter:tuple_alloc", "py:train_step /src/train.py:41",
                     "interpreter:vectorcall", "py:<module> /src/train.py:90"}),
        5, 10);
    const Table table(story, {}, Measure::allocations);
    CHECK_THAT(table.text(), Catch::Matchers::StartsWith("train_step 13 (<module> 13)"));
    uint64_t sum = 0;
    for (const uint32_t id : table.table.groups) sum += table.table.nodes[id].totals.allocations;
    CHECK(sum == story.recording.model.spaces[0].totals.allocations);
    TableOptions all;
    all.interpreter_frames = true;
    CHECK_THAT(Table(story, all, Measure::allocations).text(),
               Catch::Matchers::Contains("tuple_alloc 5 (train_step 5 (vectorcall 5"));
}

TEST_CASE("modules of Python that import each other are no recursion") {
    Story story;
    story.site("host",
               story.stack({"py:<module> c.py:1", "py:<module> b.py:1", "py:<module> a.py:1"}), 1,
               1);
    CHECK(Table(story).text() == "<module> 1 (<module> 1 (<module> 1))");
}

TEST_CASE("the line of Python that called is shown, however far out it is") {
    Story story;
    story.site("host",
               story.stack({"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "py:forward m.py:4",
                            "interpreter:eval", "py:main m.py:9"}),
               1, 30);
    CHECK(Table(story, {5}).text() == "a 30 (b 30 (forward after others 30 (main 30)))");
    CHECK(Table(story, {8}).text() ==
          "a 30 (b 30 (c 30 (d 30 (e 30 (forward after others 30 (main 30))))))");
}

TEST_CASE("native stacks beside Python's keep all the lines that there is room for") {
    Story story;
    story.site("host", story.stack({"a", "b", "c", "d", "e", "f"}), 1, 30);
    story.site("host", story.stack({"py:forward m.py:4"}), 1, 20);
    CHECK(Table(story, {5}).text() == "a 30 (b 30 (c 30 (d 30 (e 30 ...)))), forward 20");
}

TEST_CASE("of an import it is shown who imports, not how") {
    Story story;
    story.site("host",
               story.stack({"py:_compile_bytecode <frozen importlib._bootstrap_external>:729",
                            "py:_load <frozen importlib._bootstrap>:690", "py:<module> m.py:1"}),
               1, 30);
    CHECK(Table(story).text() == "<module> 30");
    CHECK(Table(story, {8, true}).text() == "_compile_bytecode 30 (_load 30 (<module> 30))");
}

TEST_CASE("the innermost line of own code is shown, however many libraries are inside it") {
    Story story;
    const CodePatterns code{{"own"}, {"lib"}};
    const auto stack = [&](const std::string& functions) {
        std::vector<std::string> frames;
        for (const char function : functions) {
            const bool is_own = function >= 'r';
            frames.push_back(std::string(1, function) + (is_own ? " own/x.cpp:1" : " lib/y.cpp:1"));
        }
        return story.stack(frames);
    };
    const auto text = [&] {
        TableOptions options{3};
        options.code = &code;
        return Table(story, options).text();
    };
    story.site("host", stack("abcdz"), 1, 30);
    CHECK(text() == "a 30 (b 30 (z after others 30))");
    story.site("host", stack("pxqoy"), 1, 20);
    CHECK(text() == "a 30 (b 30 (z after others 30)), p 20 (x 20 (q 20 ...))");
}
