// SPDX-License-Identifier: Apache-2.0
//
// The screen of memtrace top.
#include "analyzer/live/top_view.h"

#include "analyzer/base/terminal.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// A program that holds much at one line, leaks at another, and allocates at a third.
struct Story {
    Story() {
        names.rows = {
            {"net.py:42 Net.forward", "net.py", 42, {"malloc  libc", "forward  net.py:42"}},
            {"data.py:7 Cache.put", "data.py", 7, {}},
            {"text.py:9 parse", "text.py", 9, {}}};
        names.of_sites["host"] = {0, 2, 1};
        table.set_names(names);
        host.acquire(host.site_of(1), 4 << 20, 1);
        for (int i = 0; i < 5; ++i) {
            host.acquire(host.site_of(3), 10, 1);
            host.release(host.site_of(3), 10, true, host.newest());
        }
        for (uint64_t at = 1; at <= 61; ++at) {
            host.acquire(host.site_of(2), 1024, at);
            table.take(at * 1'000'000'000, host);
        }
        mmap.acquire(mmap.site_of(1), 1 << 20, 1);
        table.take(62'000'000'000, mmap);
        view.set_table(table);
        TopProgram program;
        program.command = "python train.py";
        program.pid = 4711;
        program.time_ns = 61'000'000'000;
        program.dump_bytes = 3 << 20;
        program.resident = {10 << 20, 20 << 20, 30 << 20};
        view.set_program(program);
        LiveVerdicts verdicts;
        verdicts.of_lines[{"host", {"data.py", 7}}] = {"leak", 512};
        verdicts.steps = 100;
        view.set_verdicts(verdicts);
        program.time_ns = 71'000'000'000;
        view.set_program(program);
        verdicts.steps = 120;
        view.set_verdicts(verdicts);
    }

    std::vector<std::string> texts(size_t width = 100, size_t height = 12) {
        std::vector<std::string> texts;
        for (const TopLine& line : view.lines(width, height)) texts.push_back(line.text);
        return texts;
    }

    SpaceCounter host{"host"};
    SpaceCounter mmap{"mmap"};
    LiveNames names;
    LiveTable table;
    TopView view;
};

}  // namespace

TEST_CASE("the screen says what is held, and what grows") {
    Story story;
    const auto texts = story.texts();
    CHECK(texts[0] ==
          "python train.py  pid 4711  1 min 11 s  resident 30.0 MiB ▁▅█  "
          "120 steps (2.0/s)  dump 3.0 MiB");
    CHECK(texts[1].starts_with("[host 4.1 MiB]  mmap 1.0 MiB"));
    CHECK(texts[2].find("▼HELD") != std::string::npos);
    CHECK(texts[3] == "    4.0 MiB          0 B           -             1  net.py:42 Net.forward");
    CHECK(texts[4] ==
          "   61.0 KiB    +60.0 KiB      +512 B            61  data.py:7 Cache.put"
          "                         leak");
    // A line that holds nothing is shown to those who ask for calls.
    CHECK(texts[5].empty());
    CHECK(texts.size() == 12);
    CHECK(texts.back().find("[q]uit") != std::string::npos);
}

TEST_CASE("keys sort, choose another memory, filter, and open a stack") {
    Story story;
    story.view.press(TopKey::sort);
    CHECK(story.texts()[3].find("data.py:7") != std::string::npos);
    story.view.press(TopKey::sort);
    CHECK(story.texts()[3].find("data.py:7") != std::string::npos);
    CHECK(story.texts()[4].find("text.py:9") != std::string::npos);
    story.view.press(TopKey::sort);
    story.view.press(TopKey::next_space);
    CHECK(story.texts()[1].find("[mmap 1.0 MiB]") != std::string::npos);
    CHECK(story.texts()[3].find("being named") != std::string::npos);
    story.view.press(TopKey::next_space);

    story.view.press(TopKey::filter);
    CHECK(story.view.is_typing());
    for (const char c : std::string("dataX\b")) story.view.type(c);
    CHECK(story.texts().back() == "lines with: data_   [enter] done");
    story.view.type('\n');
    CHECK_FALSE(story.view.is_typing());
    CHECK(story.texts()[3].find("data.py:7") != std::string::npos);
    CHECK(story.texts()[4].empty());
    story.view.press(TopKey::back);

    story.view.press(TopKey::first);
    story.view.press(TopKey::open);
    const auto open = story.texts();
    CHECK(open[2] == "net.py:42 Net.forward holds 4.0 MiB in 1 block");
    CHECK(open[3] == "the call stack that holds most of it:");
    CHECK(open[5] == "  forward  net.py:42");
    story.view.press(TopKey::open);
    CHECK(story.view.lines(100, 12)[3].look == TopLine::Look::selected);
}

TEST_CASE("estimates are marked") {
    Story story;
    story.table.take(63'000'000'000, story.host, true);
    story.view.set_table(story.table);
    const auto texts = story.texts();
    CHECK(texts[1].starts_with("[host ~4.1 MiB]  mmap 1.0 MiB"));
    CHECK(texts[3].find("~4.0 MiB") != std::string::npos);
}

TEST_CASE("no line is wider than the screen, and a screen has its height") {
    Story story;
    for (size_t width = 1; width < 140; ++width) {
        for (const size_t height : {1, 2, 3, 5, 24}) {
            const auto lines = story.view.lines(width, height);
            CHECK(lines.size() >= height);
            for (const TopLine& line : lines) CHECK(display_width(line.text) <= width);
        }
    }
}

TEST_CASE("a program without memory, and names of others, do no harm") {
    TopView empty;
    CHECK(empty.lines(80, 5).size() == 5);
    for (const TopKey key : {TopKey::up, TopKey::down, TopKey::open, TopKey::next_space,
                             TopKey::last, TopKey::page_down, TopKey::sort}) {
        empty.press(key);
        CHECK(empty.lines(80, 5).size() == 5);
    }
    Story story;
    story.names.rows[0].where = "\033[2Jevil\n";
    story.table.set_names(story.names);
    story.view.set_table(story.table);
    for (const std::string& text : story.texts()) CHECK(text.find('\033') == std::string::npos);
}

TEST_CASE("a recording that is off is said below the head") {
    Story story;
    TopProgram program;
    program.recording_off = "the recording has not begun: memtrace start 4711 begins it";
    story.view.set_program(program);
    CHECK(story.texts()[2] == "  the recording has not begun: memtrace start 4711 begins it");
}
