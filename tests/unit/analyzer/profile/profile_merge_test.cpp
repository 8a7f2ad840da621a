// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/profile_merge.h"

#include <algorithm>
#include <random>

#include "analyzer/model/measure.h"
#include "tests/unit/analyzer/gpu/gpu_story.h"
#include "tests/unit/analyzer/profile/profiles.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

// The stories as processes of one run. Those after the first have other pids and ranks.
std::vector<Recording> processes(std::mt19937& random, size_t count) {
    std::vector<Recording> parts;
    const auto stories = all_stories();
    for (size_t i = 0; i < count; ++i) {
        Recording part = stories[random() % stories.size()].second;
        ProcessInfo& process = part.model.process;
        process.pid = 100 + i;
        process.start_realtime_ns = 1'700'000'000'000'000'000 + random() % 5;
        if (random() % 2 == 0) process.rank = "RANK=" + std::to_string(i);
        parts.push_back(std::move(part));
    }
    return parts;
}

// Merges in a random order and in random groups. Some groups go through a file.
Recording merged_somehow(std::vector<Recording> parts, std::mt19937& random) {
    while (parts.size() > 1) {
        std::shuffle(parts.begin(), parts.end(), random);
        const size_t count = 2 + random() % (parts.size() - 1);
        Recording sum = merge(std::span(parts).first(count));
        if (random() % 2 == 0) sum = read_profile_bytes(write_profile(sum), "x");
        parts.erase(parts.begin(), parts.begin() + static_cast<long>(count));
        parts.push_back(std::move(sum));
    }
    return merge(parts);
}

Totals sum_of(const Space& space) {
    Totals sum;
    for (const Site& site : space.sites) add(sum, site.totals);
    return sum;
}

}  // namespace

TEST_CASE("a single profile is its own sum") {
    for (const auto& [name, recording] : all_stories()) {
        INFO(name);
        CHECK(write_profile(merge(std::span(&recording, 1))) == write_profile(recording));
    }
}

TEST_CASE("in whatever order and groups profiles are merged, the bytes are the same") {
    std::mt19937 random(7);
    for (int run = 0; run < 20; ++run) {
        const std::vector<Recording> parts = processes(random, 3 + random() % 4);
        const std::string whole = write_profile(merge(parts));
        for (int i = 0; i < 4; ++i) {
            CHECK(write_profile(merged_somehow(parts, random)) == whole);
        }
    }
}

TEST_CASE("figures of a merged profile are the sums of its parts") {
    std::mt19937 random(8);
    const std::vector<Recording> parts = processes(random, 5);
    const Recording sum = merge(parts);
    std::map<std::string, Totals> totals, of_sites;
    uint64_t events = 0;
    for (const Recording& part : parts) {
        events += part.model.capture.events;
        for (const Space& space : part.model.spaces) {
            add(totals[space.name], space.totals);
            add(of_sites[space.name], sum_of(space));
        }
    }
    CHECK(sum.model.capture.events == events);
    CHECK(sum.merged.processes.size() == 5);
    REQUIRE(sum.model.spaces.size() == totals.size());
    for (const Space& space : sum.model.spaces) {
        INFO(space.name);
        const Totals found = sum_of(space);
        for (const auto measure : {Measure::at_peak, Measure::leaked, Measure::allocated,
                                   Measure::allocations, Measure::own_peak, Measure::held}) {
            CHECK(value_of(space.totals, measure) == value_of(totals[space.name], measure));
            CHECK(value_of(found, measure) == value_of(of_sites[space.name], measure));
        }
    }
}

TEST_CASE("equal stacks of two processes are one site, and different ones are not") {
    Recording parts[] = {training().recording, training().recording};
    parts[1].model.process.pid = 43;
    const Recording sum = merge(parts);
    CHECK(sum.model.spaces[0].sites.size() == parts[0].model.spaces[0].sites.size());
    CHECK(sum.model.spaces[0].totals.allocations ==
          2 * parts[0].model.spaces[0].totals.allocations);
    for (Frame& frame : parts[1].symbols.frames) {
        if (frame.function == "malloc") frame.function = "other_malloc";
    }
    CHECK(merge(parts).model.spaces[0].sites.size() == 5);  // One of the three has no malloc.
}

TEST_CASE("stacks of a space that is a sample in one of the parts are not counted") {
    Recording exact = replayed_story();
    const uint64_t captures = exact.model.capture.captures;
    REQUIRE(captures > 0);
    Recording sampled = exact;
    sampled.model.spaces[0].is_estimate = true;
    sampled.model.capture.captures = 7;  // of its other spaces
    const auto captures_of = [](std::vector<Recording> parts) {
        return merge(parts).model.capture.captures;
    };
    CHECK(captures_of({exact, exact}) == 2 * captures);
    CHECK(captures_of({exact, sampled}) == 7);
    CHECK(captures_of({sampled, exact}) == 7);
    CHECK(captures_of({merge(std::vector{exact, exact}), sampled}) == 7);
    CHECK(captures_of({exact, merge(std::vector{sampled, exact})}) == 7);
}

TEST_CASE("a merged profile says what it is, and what it leaves out") {
    Recording parts[] = {completed(full_story()), completed(training().recording)};
    const Recording sum = merge(parts);
    std::string notes;
    for (const NoteInfo& note : sum.model.notes) notes += note.subject + ": " + note.text + "\n";
    CHECK_THAT(notes,
               Contains("merged: 2 recordings are summed.") &&
                   Contains("left out, because it is of single processes: 3 resident set samples, "
                            "2 marks, 1 GPU measurement, 1 anomalous event") &&
                   Contains("python: a note"));
    REQUIRE(sum.model.problems.size() == 1);
    CHECK(sum.model.problems[0].what == "process 42 (RANK=3): A chunk is damaged.");
    CHECK(sum.model.damaged);
    CHECK(sum.path == "dump.bin and 1 more");
    CHECK(sum.merged.processes[0].process.rank == "RANK=3");
    CHECK(sum.merged.processes[0].peak_rss == 5000);
}

TEST_CASE("growth is judged in a merged profile if all processes did the same steps") {
    Recording parts[] = {completed(growing_story()), completed(growing_story())};
    parts[1].model.process.pid = 43;
    const Recording sum = merge(parts);
    CHECK(find_growth(sum).findings.size() == find_growth(parts[0]).findings.size());
    CHECK(sum.model.spaces[0].history.held.back().bytes ==
          2 * parts[0].model.spaces[0].history.held.back().bytes);
    parts[1].model.slices.slices[3].steps = 2;
    const Recording unlike = merge(parts);
    CHECK(unlike.merged.left_out.histories);
    CHECK(unlike.model.spaces[0].histories.empty());
    CHECK_THAT(find_growth(unlike).not_judged, Contains("did not do the same"));
}

TEST_CASE("of several processes that were refused memory, the last one is explained") {
    Recording parts[] = {refused_story(), refused_story()};
    parts[1].model.process.pid = 43;
    parts[1].model.process.start_realtime_ns = 5;
    parts[1].model.gpu.refusals[1].size = 77;
    const Recording sum = merge(parts);
    CHECK(sum.model.gpu.refusals.back().size == 77);
    CHECK(sum.merged.left_out.refusals == 5);
    const CommandOutput output = output_of(request_of({"oom", "x.bin"}), sum);
    CHECK_THAT(output.text, Contains("77 bytes"));
}

TEST_CASE("a device's number may be that of another card in each process") {
    const auto text_of = [](const char* pci, const char* model) {
        GpuStory stories[2];
        GpuDeviceInfo& other = stories[1].recording.model.gpu.devices[0];
        other.pci = pci;
        other.model = model;
        other.memory = 40 * story_mib;
        stories[1].recording.model.process.pid = 43;
        const Recording parts[] = {completed(stories[0].recording),
                                   completed(stories[1].recording)};
        return output_of(request_of({"gpu", "x.profile"}), merge(parts)).text;
    };
    CHECK_THAT(text_of("0000:3c:00.0", "Card"),
               Contains("GPU 0  several cards of Card, each of at most 80.0 MiB") &&
                   Contains("recorded, of 2 processes, each at its own moment:") &&
                   !Contains("of this process"));
    CHECK_THAT(text_of("0000:3c:00.0", "Other"),
               Contains("several cards of different models, each of at most 80.0 MiB"));
    CHECK_THAT(text_of("0000:3b:00.0", "Card"), Contains("GPU 0  Card, 80.0 MiB, 0000:3b:00.0"));
}

TEST_CASE("recordings whose sums do not fit into 64 bits are not merged") {
    const Model model =
        memtrace::test::load_story("acquire lane=0 time=10 size=0x8000000000000000 address=0x1000");
    Recording part;
    part.model = model;
    CHECK_THROWS_WITH(merge(std::vector<Recording>{part, part}),
                      Contains("allocated in host") && Contains("64 bits"));
}
