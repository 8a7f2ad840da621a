// SPDX-License-Identifier: Apache-2.0
//
// The figures that limits use: sites with the same key are one site, and suppressed blocks do not
// count as leaked.
#include "analyzer/check/measurements.h"

#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/analyzer/growth/growing.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

TEST_CASE("stacks that differ by lines only are one site, and nothing is lost") {
    const Story story = program({{"keep a.cpp:1", 100}, {"keep a.cpp:2", 30}, {"load b.cpp:3", 5}});
    const Measurements found = measured_of(story.recording);
    REQUIRE(found.spaces.size() == 1);
    const MeasuredSpace& host = found.spaces[0];
    REQUIRE(host.sites.size() == 2);
    const MeasuredSite* keep = find_site(host, "keep < main");
    REQUIRE(keep != nullptr);
    CHECK(figure(keep->figures, Metric::leaked_bytes) == 130);
    CHECK(figure(keep->figures, Metric::leaked_blocks) == 2);
    CHECK(text_of(keep->places.most_held()) == "a.cpp:1");  // the place with more bytes
    CHECK(figure(host.figures, Metric::leaked_bytes) == 135);
    CHECK(find_site(host, "nobody") == nullptr);
    CHECK(find_space(found, "mmap") == nullptr);
}

TEST_CASE("each metric of a site has the line with most of it, over all stacks of the line") {
    Story story = program({});
    const auto line = [&](const char* place, const char* caller) {
        return story.stack({"libc:malloc", place, caller});
    };
    story.site("host", line("keep a.cpp:1", "main src/train.cpp:90"), 3, 100, 2);
    story.site("host", line("keep a.cpp:2", "main src/train.cpp:90"), 1, 150, 1);
    story.site("host", line("keep a.cpp:1", "main src/train.cpp:91"), 1, 100, 1);
    story.site("host", line("keep a.cpp:3", "main src/train.cpp:90"), 9, 1000, 0);
    story.site("host", line("empty b.cpp:5", "main src/train.cpp:90"), 1, 0, 0);
    story.site("host", line("empty b.cpp:6", "main src/train.cpp:90"), 1, 0, 1);
    const Measurements found = measured_of(story.recording);
    const auto place = [&](const char* key, Metric metric) {
        const MeasuredSite* const site = find_site(found.spaces[0], key);
        REQUIRE(site != nullptr);
        return text_of(site->places.of(metric));
    };
    CHECK(place("keep < main", Metric::leaked_bytes) == "a.cpp:1");  // 300 bytes, from two lines
    CHECK(place("keep < main", Metric::held_blocks) == "a.cpp:1");
    CHECK(place("keep < main", Metric::allocations) == "a.cpp:3");
    CHECK(place("keep < main", Metric::allocated_bytes) == "a.cpp:3");
    CHECK(place("empty < main", Metric::leaked_bytes) == "b.cpp:6");  // the block that stays
}

TEST_CASE("the line of a rate is the one that grows, not the one that has more") {
    GrowingStory story;
    story.recording.model.process.executable = "/app/train";
    story.keeps({"libc:malloc", "work tree.cpp:7", "main tree.cpp:9"}, 100);
    story.site("host", story.stack({"libc:malloc", "work tree.cpp:8", "main tree.cpp:9"}), 1,
               200'000'000, 1);
    Suppressor suppressor(story.recording, {}, "2026-07-01");
    const Growth growth = find_growth(story.recording, {});
    const Measurements found = measure(story.recording, suppressor, "/app", &growth);
    const MeasuredSite* const site = find_site(found.spaces[0], "work < main");
    REQUIRE(site != nullptr);
    CHECK(figure(site->figures, Metric::growth_per_step) == 100);
    CHECK(text_of(site->places.of(Metric::growth_per_step)) == "tree.cpp:7");
    CHECK(text_of(site->places.of(Metric::growth_per_hour)) == "tree.cpp:7");
    CHECK(text_of(site->places.of(Metric::leaked_bytes)) == "tree.cpp:8");
}

TEST_CASE("what is suppressed counts for everything but leaks") {
    const Story story = program({{"keep a.cpp:1", 100}, {"load b.cpp:3", 5}});
    const Measurements found = measured_of(story.recording, parse_suppressions("leak:keep", "s"));
    const MeasuredSpace& host = found.spaces[0];
    CHECK(figure(host.figures, Metric::leaked_bytes) == 5);
    CHECK(figure(host.figures, Metric::leaked_blocks) == 1);
    CHECK(figure(host.figures, Metric::peak_bytes) == 105);
    CHECK(figure(host.figures, Metric::allocations) == 2);
    CHECK(host.suppressed_bytes == 100);
    CHECK(host.suppressed_blocks == 1);
    CHECK(figure(host.figures, Metric::held_bytes) == 5);
    CHECK(figure(find_site(host, "keep < main")->figures, Metric::held_blocks) == 0);
}

TEST_CASE("growth of a call site is that of all its stacks, however deep a recursion goes") {
    GrowingStory story;
    story.recording.model.process.executable = "/app/train";
    for (int depth = 1; depth <= 20; ++depth) {
        std::vector<std::string> stack{"libc:malloc", "keep tree.cpp:3"};
        stack.insert(stack.end(), depth, "visit tree.cpp:8");
        story.keeps(stack, 100);
    }
    Suppressor suppressor(story.recording, {}, "2026-07-01");
    const Growth growth = find_growth(story.recording, {});
    const Measurements found = measure(story.recording, suppressor, "/app", &growth);
    REQUIRE(found.spaces.size() == 1);
    CHECK(figure(found.spaces[0].figures, Metric::growth_per_step) == 2000);
    uint64_t of_sites = 0;
    for (const MeasuredSite& site : found.spaces[0].sites)
        of_sites += figure(site.figures, Metric::growth_per_step);
    CHECK(of_sites == 2000);
}

namespace {

// A recording with a search. keep() has ten blocks of ten bytes: two are definitely lost, three
// possibly, and one that is still reachable was released after the work had ended.
Story searched() {
    Story story = program({{"keep a.cpp:1", 100}, {"load b.cpp:3", 5}});
    LostSearchInfo search;
    search.stage = LostStage::done;
    story.recording.model.searches.push_back(search);
    Space& host = story.recording.model.spaces[0];
    Sites sites;
    for (Site site : host.sites) {
        if (site.totals.live_bytes == 100) {
            site.totals.live_blocks = 9, site.totals.live_bytes = 90;
            site.totals.held_blocks = 10, site.totals.held_bytes = 100;
            site.totals.lost_blocks = 2, site.totals.lost_bytes = 20;
            site.totals.possibly_lost_blocks = 3, site.totals.possibly_lost_bytes = 30;
        }
        sites.push_back(site);
    }
    host.sites = std::move(sites);
    host.totals = {};
    for (const Site& site : host.sites) add(host.totals, site.totals);
    return story;
}

std::string of_kinds(const char* kinds) {
    return std::string("{\n ") + kinds + "\n Memcheck:Leak\n match-leak-kinds: " + kinds +
           "\n ...\n fun:keep\n}\n";
}

}  // namespace

TEST_CASE("a suppression takes the kinds of lost blocks that it names, each block once") {
    Story story = searched();
    const std::string text = of_kinds("definite") + of_kinds("definite,possible");
    Suppressor suppressor(story.recording, parse_suppressions(text, "v"), "2026-07-01");
    const MeasuredSpace host = measure(story.recording, suppressor, "/app").spaces[0];
    CHECK(figure(host.figures, Metric::lost_blocks) == 0);
    CHECK(figure(host.figures, Metric::leaked_blocks) == 4 + 1);  // still reachable
    CHECK(figure(host.figures, Metric::leaked_bytes) == 40 + 5);
    CHECK(figure(host.figures, Metric::held_blocks) == 5 + 1);
    CHECK(host.suppressed_blocks == 5);
    CHECK(suppressor.uses()[0].blocks == 2);
    CHECK(suppressor.uses()[1].bytes == 30);
    CHECK(suppressor.uses()[1].held_bytes == 30);
}

TEST_CASE("what is still reachable is suppressed, and what is lost stays red") {
    Story story = searched();
    const Measurements found =
        measured_of(story.recording, parse_suppressions(of_kinds("reachable"), "v"));
    const MeasuredSpace& host = found.spaces[0];
    CHECK(figure(host.figures, Metric::lost_blocks) == 2);
    CHECK(figure(host.figures, Metric::leaked_blocks) == 5 + 1);
    CHECK(figure(host.figures, Metric::held_blocks) == 5 + 1);
    CHECK(host.suppressed_bytes == 40);
}

TEST_CASE("without a search nobody knows kinds, and a suppression takes all blocks") {
    Story story = program({{"keep a.cpp:1", 100}, {"load b.cpp:3", 5}});
    const Measurements found =
        measured_of(story.recording, parse_suppressions(of_kinds("definite"), "v"));
    CHECK(figure(found.spaces[0].figures, Metric::leaked_bytes) == 5);
}

TEST_CASE("what is given back after the work has ended is suppressed, too, and counted apart") {
    Story story = program({{"keep a.cpp:1", 100}, {"load b.cpp:3", 5}});
    give_back_at_exit(story);
    Suppressor suppressor(story.recording, parse_suppressions("leak:keep", "s"), "2026-07-01");
    const Measurements found = measure(story.recording, suppressor, "/app");
    const MeasuredSpace& host = found.spaces[0];
    CHECK(figure(host.figures, Metric::held_bytes) == 5);
    CHECK(figure(host.figures, Metric::held_blocks) == 1);
    CHECK(figure(host.figures, Metric::leaked_bytes) == 0);
    CHECK(suppressor.uses()[0].held_bytes == 100);
    CHECK(suppressor.uses()[0].blocks == 0);
}

TEST_CASE("a program is what was run, wherever it lies and with whatever arguments") {
    const auto name = [](const std::string& executable, std::vector<std::string> command) {
        ProcessInfo process;
        process.executable = executable;
        process.command = std::move(command);
        return program_name(process);
    };
    CHECK(name("/build/7/train", {"./train", "--steps", "3"}) == "train");
    CHECK(name("/usr/bin/python3.11", {"python", "/p/train.py", "x"}) == "python train.py");
    CHECK(name("/usr/bin/python3.12", {"python", "-X", "dev", "-u", "t.py"}) == "python t.py");
    CHECK(name("/usr/bin/python3", {"python3", "-m", "pytest", "-q"}) == "python -m pytest");
    CHECK(name("/usr/bin/python3", {"python3", "-c", "pass"}) == "python -c");
    CHECK(name("/usr/bin/python3", {"python3"}) == "python");
    CHECK(name("", {"/x/train"}) == "train");
}
