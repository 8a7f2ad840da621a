// SPDX-License-Identifier: Apache-2.0
//
// Recordings of all kinds, and every report of a recording in one text.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/profile/merge_histories.h"
#include "analyzer/profile/profile_file.h"
#include "analyzer/report/report_json.h"
#include "analyzer/symbolise/symbolise.h"
#include "tests/tools/story.h"
#include "tests/unit/analyzer/commands/requests.h"
#include "tests/unit/analyzer/gpu/gpu_story.h"
#include "tests/unit/analyzer/growth/growing.h"

namespace memtrace::analyzer {

// Gives a hand-made recording what replay gives every recording.
inline Recording completed(Recording recording) {
    if (!recording.model.phases) recording.model.phases.emplace();
    Model& model = recording.model;
    for (Space& space : model.spaces) {
        space.totals.own_peak_bytes =
            std::max(space.totals.own_peak_bytes, space.totals.at_peak_bytes);
        if (model.slices.slices.empty()) continue;
        while (space.histories.size() < space.sites.size()) space.histories.push_back({});
    }
    return recording;
}

// A dump with threads, marks, phases, steps, samples, damage and Python, replayed.
inline Recording replayed_story() {
    std::string story = R"(
        option lane=0 time=1 key="stacks" value="on"
        module lane=0 time=2 id=1 begin=0x10000 end=0x20000 bias=0x10000 path="/app/train"
        node lane=0 id=1 parent=0 module=1 address=0x10100
        node lane=0 id=2 parent=1 module=1 address=0x10200
        node lane=0 id=3 parent=1 module=1 kind=guessed address=0x10300
        node lane=0 id=4 parent=0 kind=truncated address=6
        node lane=0 id=5 parent=4 module=1 address=0x10400
        mark lane=0 time=5 text="ready"
    )";
    for (int i = 0; i < 30; ++i) {
        const int at = 100 * i + 100;
        story += fmt::format("mark lane=0 time={} kind=begin text=\"step {}\"\n", at, i);
        story += fmt::format("acquire lane=0 time={} stack={} size={} address={:#x}\n", at + 10,
                             2 + i % 4, 10 + i, 0x1000 + 64 * i);
        if (i % 3 != 0) {
            story += fmt::format("release lane={} time={} address={:#x}\n", i % 2, at + 20,
                                 0x1000 + 64 * i);
        }
        story += fmt::format("mark lane=0 time={} kind=end text=\"step {}\"\n", at + 50, i);
    }
    story += "release lane=0 time=4000 address=0x9999\n";
    const test::TempFile file(test::dump_from_text(story));
    LoadOptions options;
    options.phases.list = true;
    options.slices.emplace();
    Recording recording;
    recording.path = "story.bin";
    recording.model = load_dump(file.path(), {}, options);
    recording.symbols = symbolise(recording.model, {});
    return recording;
}

// A GPU whose memory was refused, with all that is known of it.
inline Recording refused_story() {
    GpuStory story;
    GpuInfo& gpu = story.recording.model.gpu;
    story.site("tensors:cuda:0", story.torch, 2, story_mib);
    GpuRefusal refusal;
    refusal.time_ns = 900'000'000;
    refusal.by_tensors = true;
    refusal.stack = story.torch;
    refusal.size = 32 * story_mib;
    refusal.allocated = 5 * story_mib;
    refusal.reserved = 12 * story_mib;
    gpu.refusals = {refusal, refusal};
    gpu.refusals[1].time_ns += 1;
    gpu.refusals_more = 3;
    GpuHolders& holders = gpu.holders.emplace();
    holders.figures = gpu.devices[0].at_peak;
    holders.figures.lent = {{0, 1000}};
    gpu.devices[0].at_peak.lent = {{1, 4096}};
    holders.device = {{0, 12 * story_mib, 3, 0, 0}, {1, 3 * story_mib, 1, 0, 0}};
    holders.tensors = {{0, 2 * story_mib, 2, -1024, 7}};
    holders.holes = {{0xa000, 4 * story_mib}};
    holders.mark = "step 3";
    holders.mark_time_ns = 800'000'000;
    return story.recording;
}

inline Recording growing_story() {
    GrowingStory story;
    story.keeps({"libc:malloc", "leak src/leak.cpp:3", "main src/main.cpp:1"}, 4096);
    story.keeps({"libc:malloc", "warm src/warm.cpp:3", "main src/main.cpp:1"}, 9000, 0, 5);
    Space& space = story.space("host");
    space.history = {};
    const size_t slices = story.recording.model.slices.slices.size();
    for (const SiteHistory& history : space.histories) add(space.history, history, slices);
    return story.recording;
}

// Everything at once that a Model may hold beside sites.
inline Recording full_story() {
    Recording recording = refused_story();
    Model& model = recording.model;
    model.process.rank = "RANK=3";
    model.process.start_realtime_ns = 1'700'000'000'000'000'000;
    model.process.work_end_ns = 12'000'000'000;
    model.process.machine_memory = uint64_t{64} << 30;
    model.capture.cuts = {{Cut::no_data, 3}, {Cut::depth, 1}};
    model.capture.earlier_frees = 5;
    model.capture.gaps = {{0, 1'000'000'000}, {2'000'000'000, {}}};
    model.spaces[0].unsure_blocks = 1;
    model.spaces[0].unsure_bytes = 100;
    model.spaces[0].unsure_at_peak_bytes = 50;
    model.capture.python = {PythonState::on, 0x030b07f0, ""};
    model.capture.python_objects.emplace().interval = 4096;
    model.capture.walks.walked = 1000;
    model.capture.python_walks.frames = 77;
    model.capture.tables.emplace().stacks = 12345;
    model.capture.python_gaps = {{PythonGap::depth, 2}};
    model.capture.first_anomalies = {{5, 1, 0xdead, "released while not live"}};
    model.capture.anomalies = 2;
    model.capture.lost_events = 4;
    model.notes = {{"python", "a note"}};
    model.options = {{"gpu", "auto"}, {"stacks", "on"}};
    model.problems = {{"A chunk is damaged.", 4096, 512}};
    model.damaged = true;
    model.threads = {{42, "main", 0, std::nullopt, 9, 900}, {43, "io\xff", 5, 90, 1, 10}};
    model.samples = {{1, 1000, 0}, {2, 900, 800}, {3, 5000, 0}};
    model.marks = {{5, MarkKind::mark, "ready"}, {6, MarkKind::begin, "epoch"}};
    model.spaces[0].classes["cudaMalloc"].allocations = 4;
    model.spaces[0].is_estimate = true;
    model.spaces[0].sample_interval = 4096;
    model.spaces[0].sampled = 77;
    PhaseInfo phase;
    phase.name = "epoch";
    phase.open = true;
    phase.occurrences = 1;
    for (const Space& space : model.spaces) {
        phase.spaces.emplace_back(space.name, PhaseFigures{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    }
    model.phases.emplace().phases = {phase};
    model.phases->unpaired_ends = 2;
    recording.symbols.notes = {"not found here: libx.so"};
    recording.symbols.problems = {{"/app/train was rebuilt", 0, 0}};
    recording.symbols.modules[1] = Names::lines;
    return recording;
}

inline std::vector<std::pair<std::string, Recording>> all_stories() {
    std::vector<std::pair<std::string, Recording>> stories{
        {"empty", Story().recording},
        {"native", training().recording},
        {"python", python_training().recording},
        {"backward", backward_training().recording},
        {"gpu", GpuStory().recording},
        {"refused", refused_story()},
        {"growing", growing_story()},
        {"full", full_story()},
        {"replayed", replayed_story()}};
    for (auto& [name, recording] : stories) recording = completed(std::move(recording));
    return stories;
}

// What reports_of() runs. The command lines are read once: reading one takes longer than most
// reports of a story.
inline const std::vector<Request>& requests_of_reports() {
    static const std::vector<Request> requests = [] {
        std::vector<Request> made;
        for (const char* command : {"summary", "leaks", "growth", "peak", "sites", "tree", "phases",
                                    "gpu", "oom", "info"}) {
            made.push_back(request_of({command, "x.bin", "--interpreter-frames"}));
        }
        made.push_back(request_of({"check", "x.bin", "--max-leaked-bytes", "1K", "--top", "50"}));
        made.push_back(request_of({"baseline", "x.bin", "--output", "-"}));
        return made;
    }();
    return requests;
}

// The texts and the JSON of all commands that report on a recording.
inline std::string reports_of(const Recording& recording) {
    std::string all;
    for (const Request& request : requests_of_reports()) {
        const CommandOutput output = output_of(request, recording);
        all += fmt::format("==== {}\n{}\n{}\n", request.command->name, output.text, output.json);
    }
    write_json(recording, SiteFilter::all, [&](std::string_view piece) { all += piece; }, {});
    return all;
}

}  // namespace memtrace::analyzer
