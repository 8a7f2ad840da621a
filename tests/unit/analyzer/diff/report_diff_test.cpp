// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/report_diff.h"

#include <sstream>

#include "tests/unit/analyzer/diff/diffs.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

std::string text_of(const Story& before, const Story& after, const TextOptions& options = {}) {
    std::string out;
    write_diff(out, diff_of(before, after), options);
    return out;
}

Story one_line(uint64_t blocks, uint64_t each) {
    Story story;
    story.site("host", story.stack({"py:collate /src/train.py:41"}), blocks, each);
    return story;
}

}  // namespace

TEST_CASE("diff: the rows below the difference add up to it") {
    Story after = one_line(360, 30'000);
    after.site("host", after.stack({"py:forward /src/layers.py:88"}), 120, 400'000);
    TextOptions options;
    options.width = 100;
    const std::string text = text_of(one_line(40, 30'000), after, options);
    CHECK_THAT(text, Contains("Peak of host: +54.9 MiB (+57,600,000 bytes), from 1.1 MiB to "
                              "56.1 MiB\n"
                              "        CHANGE      BEFORE       AFTER     BLOCKS  YOUR LINES\n"
                              "     +45.8 MiB           -    45.8 MiB       +120  "
                              "src/layers.py:88 forward (new)\n"
                              "      +9.2 MiB     1.1 MiB    10.3 MiB       +320  "
                              "src/train.py:41 collate\n"
                              "     +54.9 MiB     1.1 MiB    56.1 MiB       +440  in all\n"));
    CHECK_THAT(text, !Contains("Held at the end of host"));
}

TEST_CASE("diff: narrow lines leave out what was before, and keep marks") {
    Story after = one_line(1, 1000);
    after.site("host",
               after.stack({"py:a_very_long_name_of_a_function_that_leaks /src/layers.py:88"}), 1,
               4096);
    TextOptions options;
    options.width = 80;
    const std::string text = text_of(one_line(1, 1000), after, options);
    CHECK_THAT(text, Contains("        CHANGE       AFTER     BLOCKS  YOUR LINES\n"));
    CHECK_THAT(text, Contains("... (new)\n") || Contains(" (new)\n"));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("diff: a difference that is small beside the whole is one line") {
    Story before = one_line(1, 10'000'000), after = one_line(1, 10'000'100);
    const std::string text = text_of(before, after);
    CHECK_THAT(text,
               Contains("\nHardly different\n  Peak of host: +100 B, from 9.5 MiB to 9.5 MiB, "
                        "each line by less than 0.1 %\n"));
    CHECK_THAT(text, !Contains("CHANGE"));
}

TEST_CASE("diff: what the sample of an estimate explains is said to be chance") {
    const auto python = [](uint64_t blocks) {
        Story story;
        story.site("python", story.stack({"py:f /src/a.py:1"}), blocks, 1 << 17);
        story.space("python").is_estimate = true;
        story.recording.model.capture.python_objects.emplace();
        story.space("python").sample_interval = 1 << 17;
        return story;
    };
    const std::string chance = text_of(python(100), python(120));
    CHECK_THAT(chance, Contains("Hardly different\n  Peak of python: ~+2.5 MiB, from ~12.5 MiB to "
                                "~15.0 MiB (chance of the sample:"));
    CHECK_THAT(chance, Contains("up to 5.6 MiB), no\n    line more than chance\n"));
    CHECK_THAT(chance, !Contains("CHANGE"));
    const std::string more = text_of(python(100), python(220));
    CHECK_THAT(more, Contains("~+15.0 MiB   ~12.5 MiB   ~27.5 MiB       +120  src/a.py:1 f\n"));
}

TEST_CASE("diff: what is the same is said to be") {
    const Story story = training();
    const std::string text = text_of(story, story);
    CHECK_THAT(text, Contains("Nothing differs"));
    CHECK_THAT(text, !Contains("Peak of host"));
}

TEST_CASE("diff: if nothing differs, lines that have another number now are named") {
    Story after;
    after.site("host", after.stack({"py:collate /src/train.py:39"}), 4, 1000);
    const std::string text = text_of(one_line(4, 1000), after);
    CHECK_THAT(text, Contains("Nothing differs but numbers of lines: every call site has the same "
                              "figures in both, and these lines\ncount as moved.\n"
                              "  src/train.py:41 collate, now in line 39\n"));
}

TEST_CASE("diff: two different programs are said to be") {
    Story other = training();
    other.recording.model.process.command = {"serve"};
    CHECK_THAT(text_of(training(), other), Contains("two different programs: train, and serve"));
    Story longer = training();
    longer.recording.model.process.command = {"train", "--steps", "9"};
    const std::string text = text_of(training(), longer);
    CHECK_THAT(text, Contains("train --steps 3") && Contains("train --steps 9"));
    CHECK_THAT(text, !Contains("different programs"));
}

TEST_CASE("diff: many small differences are one line, and nothing is left out") {
    Story before, after;
    for (int i = 0; i < 30; ++i) {
        const std::string name = "py:f" + std::to_string(i) + " /src/a.py:" + std::to_string(i + 1);
        before.site("host", before.stack({name}), 1, 1000);
        after.site("host", after.stack({name}), 1, 1000 + static_cast<uint64_t>(10 * i));
    }
    TextOptions options;
    options.own_top = 3;
    const std::string text = text_of(before, after, options);
    CHECK_THAT(text, Contains("Peak of host: +4.2 KiB (+4,350 bytes), from 29.3 KiB to 33.5 KiB"));
    CHECK_THAT(text, Contains("+3.4 KiB    25.4 KiB    28.8 KiB          -  26 lines more"));
    CHECK_THAT(text, Contains("the rest, which is the same"));
}

TEST_CASE("diff: equal sums of different lines are said to be equal, with the lines") {
    Story before = one_line(1, 1000), after = one_line(1, 400);
    after.site("host", after.stack({"py:forward /src/layers.py:88"}), 1, 600);
    const std::string text = text_of(before, after);
    CHECK_THAT(text, Contains("Peak of host: 1000 B in both"));
    CHECK_THAT(text, Contains("+600 B") && Contains("-600 B"));
}

TEST_CASE("diff: a line that is gone is marked, and one that holds nothing now is not gone") {
    Story before = one_line(1, 1000), after = one_line(1, 1000);
    before.site("host", before.stack({"py:old /src/a.py:3"}), 1, 50);
    CHECK_THAT(text_of(before, after), Contains("-50 B        50 B           -         -1  "
                                                "src/a.py:3 old (gone)"));
}

TEST_CASE("diff: a space that is the same has no table") {
    Story before = training(), after = training();
    before.site("mmap", before.stack({"main a.cpp:1"}), 1, 64);
    after.site("mmap", after.stack({"main a.cpp:1"}), 1, 128);
    const std::string text = text_of(before, after);
    CHECK_THAT(text, Contains("Peak of mmap: +64 B"));
    CHECK_THAT(text, !Contains("Peak of host"));
    CHECK_THAT(text, Contains("The same in both: host"));
}

TEST_CASE("diff: hostile names reach no terminal") {
    Story after = one_line(1, 10);
    after.site("host", after.stack({"py:\033[2J /src/\n.py:1"}), 1, 10);
    const std::string text = text_of(one_line(1, 10), after);
    CHECK(text.find('\033') == std::string::npos);
}

TEST_CASE("diff: filters that nothing passes are no two equal recordings") {
    const auto filtered = [](bool passes) {
        Story story = one_line(4, 1000);
        FilterInfo info;
        info.filters.functions = {"nosuch"};
        info.spaces.push_back({"host", false, story.recording.model.spaces[0].totals, {}});
        story.recording.model.filters = info;
        if (!passes) story.recording.model.spaces.clear();
        return story;
    };
    const std::string none = text_of(filtered(false), filtered(false));
    CHECK_THAT(none, Contains("Nothing to show: no call site passes --function nosuch"));
    CHECK_THAT(none, !Contains("Nothing differs"));
    const std::string gone = text_of(filtered(true), filtered(false));
    CHECK_THAT(gone, Contains("  after: no call site passes --function nosuch"));
    CHECK_THAT(gone, !Contains("Nothing to show"));
}
