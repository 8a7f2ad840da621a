// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/load.h"

#include <malloc.h>

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/reader/dump_index.h"
#include "analyzer/reader/event_stream.h"
#include "analyzer/reader/moment.h"
#include "analyzer/reader/past.h"
#include "analyzer/replay/replay.h"
#include "analyzer/replay/run_look.h"
#include "analyzer/replay/run_slices.h"
#include "analyzer/spaces/run_history.h"
#include "analyzer/watch/run_watcher.h"
#include "analyzer/watch/tensor_watcher.h"

namespace memtrace::analyzer {
namespace {

void add_header(Model& model, const FileHeader& header, Problems& problems) {
    if (model.process.pid == 0) model.process.pid = header.pid;
    const uint64_t children =
        std::max(header.children.value(), header.children.again(header.version));
    model.process.children = std::max(model.process.children, children);
    const uint64_t lost = std::max(header.lost_events, lost_events_again(header));
    if (lost > 0) {
        problems.damage("lost",
                        fmt::format("The recording lost {} events: they were seen and could "
                                    "not be written.",
                                    lost));
    }
    if (header.state.value() == static_cast<uint32_t>(State::stopped)) {
        problems.damage("stopped",
                        "The recording stopped before the program ended; what came after "
                        "is not in the dump.");
    }
    if ((header.features & feature_private_rings) != 0 &&
        header.state.value() == static_cast<uint32_t>(State::recording)) {
        problems.damage("rings",
                        "The end was not recorded (killed, or still running), and the newest "
                        "events of each thread lay in memory of the process, not in the dump: "
                        "they are missing, unless the program still runs and writes them.");
    }
    model.capture.lost_events = lost + problems.lost_events();
}

// Replays all events, and cuts the run into slices at the same time.
void run_sliced(EventStream& stream, uint64_t until, Replay& replay, RunHistory& history,
                const SliceOptions& options, std::optional<LoopClock>& steps) {
    replay.keep_history(history);
    RunSlicer slicer(
        options, history,
        {[&](uint32_t cut, std::span<const HeldChange> since) { replay.end_slice(cut, since); },
         [&] { replay.count_births(); }},
        replay.nodes());
    stream.run_until(
        until,
        [&](size_t lane, const Event& event) {
            slicer.before(lane, event);
            if (steps) steps->take(event.key / 2, slicer.loop_step());
            replay.take(lane, event);
            slicer.after(event);
        },
        [&](const Event& event, bool has_block)
            __attribute__((always_inline)) { replay.soon(event, has_block); });
    replay.set_slices(slicer.finish());
}

// Replays all events, and notes when the steps of a loop began.
void run_timed(EventStream& stream, uint64_t until, Replay& replay, const LoopTurns& loop,
               LoopClock& steps) {
    LoopCuts cuts(loop, replay.nodes());
    stream.run_until(
        until,
        [&](size_t lane, const Event& event) {
            steps.take(event.key / 2, cuts.take(static_cast<uint32_t>(lane), event));
            replay.take(lane, event);
        },
        [&](const Event& event, bool has_block)
            __attribute__((always_inline)) { replay.soon(event, has_block); });
}

constexpr uint64_t all_keys = ~uint64_t{0};

// Returns the moment on the clocks of this dump; nothing if the dump has none of them yet.
std::optional<Clock> now_of(const DumpFile& file, const DumpIndex& index, const Moment& now) {
    Problems ignored;
    std::optional<Clock> anchor;
    const auto look = [&](size_t, const Event& event) {
        if (const auto* clock = record_if<Clock>(event)) anchor = *clock;
    };
    // The records about the process come first, and have one.
    EventStream(file, index, ignored).run_until(0, look, [](const Event&, bool) {});
    if (!anchor) return std::nullopt;
    return now.record(file.header(), *anchor);
}

// Finds the requested range and threads. Problems are ignored here, too.
void look_ahead(const DumpFile& file, const DumpIndex& index, const LoadOptions& options,
                Replay& replay) {
    if (!options.phases.has_range()) set_half(index, replay);
    if (!options.phases.has_range() && options.threads.empty()) return;
    Problems ignored;
    RunLook look(file.header(), options.phases, options.loop.get(), options.why_no_loop);
    EventStream stream(file, index, ignored);
    stream.skip_nodes();
    stream.run([&](size_t lane, const Event& event) { look.take(lane, event); });
    const RangeMoments moments = look.moments();
    if (options.phases.has_range()) replay.limit(moments);
    if (!options.threads.empty()) replay.choose(look.threads(options.threads));
}

void keep_nodes(NodeMemo& memo, const Replay& replay, const DumpFile& file, const DumpIndex& index,
                const Problems& problems) {
    if (!NodeMemo::may_keep(replay.known(), index, problems)) return;
    KnownNodes copy{StackNodes{}};
    copy.copy(replay.known());
    memo.keep(std::move(copy), file);
}

std::unique_ptr<PhaseObserver> make_observer(const DumpFile& file, const DumpIndex& index,
                                             const LoadOptions& options) {
    if (!options.tensors.is_empty()) return std::make_unique<TensorWatcher>(options.tensors);
    if (options.watch.is_empty()) return make_phase_observer(options.phases);
    std::optional<TickClock> clock;
    if (options.watch.needs_clock()) clock = look_at_clock(file, index);
    return std::make_unique<RunWatcher>(options.watch, options.phases, std::move(clock));
}

}  // namespace

TickClock look_at_clock(const DumpFile& file, const DumpIndex& index) {
    Problems ignored;
    TickClock clock(file.header().ticks_per_second);
    EventStream stream(file, index, ignored);
    stream.skip_nodes();
    stream.run([&](size_t, const Event& event) {
        if (const auto* anchor = record_if<Clock>(event)) clock.add_anchor(*anchor);
    });
    clock.settle();
    return clock;
}

void set_half(const DumpIndex& index, Replay& replay) {
    uint64_t first = UINT64_MAX, last = 0;
    for (const LaneSections& lane : index.lanes) {
        uint64_t time = lane.first_time;
        for (const ChunkRef& chunk : lane.chunks) {
            first = std::min(first, chunk.header.first_time);
            last = std::max(last, chunk.header.last_time);
            time = chunk.header.last_time;
        }
        // The newest records of a lane lie in its ring, and all of a quiet one's do.
        const RingView::Times of_ring = lane.ring ? lane.ring->times(time) : RingView::Times{};
        if (of_ring.last == 0) continue;
        first = std::min(first, of_ring.first);
        last = std::max(last, of_ring.last);
    }
    if (first < last) replay.set_half(first + (last - first) / 2);
}

void check_ring_ends(const DumpFile& file, const DumpIndex& index, Replay& replay,
                     Problems& problems) {
    if (file.header().state.value() != static_cast<uint32_t>(State::ended)) return;
    for (size_t lane = 0; lane < index.lanes.size(); ++lane) {
        const std::optional<RingView>& ring = index.lanes[lane].ring;
        if (!ring || ring->unfinished_bytes() == 0 || !replay.is_quiet(lane)) continue;
        problems.damage("ring",
                        fmt::format("The ring of lane {} has bytes behind its end, where its "
                                    "thread had nothing to write any more.",
                                    ring->lane()),
                        ring->unfinished_offset(), ring->unfinished_bytes());
    }
}

Model finish_model(Replay& replay, const DumpFile& file, Problems& problems) {
    Model model = replay.finish();
    malloc_trim(0);  // What only the replay needed is the larger part.
    add_header(model, file.header(), problems);
    if (model.process.end == "running") model.process.pid_here = file.writer();
    model.capture.dump_bytes = std::min(file.size(), file.header().file_end);
    model.problems = problems.list();
    model.damaged = problems.damaged();
    if (problems.has_unread()) {
        model.notes.push_back(
            {std::string(unread_subject),
             "Parts of the dump cannot be read (see Problems): nobody knows how many "
             "events were in them."});
    }
    model.notes.insert(model.notes.end(), problems.remarks().begin(), problems.remarks().end());
    return model;
}

Model load_dump(const std::string& path, const Progress& progress, const LoadOptions& options) {
    Problems problems;
    const Moment now = Moment::now();
    DumpFile file(path, problems);
    refuse_compacted(file, "it can only be read from a file: write what the pipe gives to one");
    // Checking every byte and replaying every event are two passes over the same bytes.
    const auto half = [&](uint64_t first, uint64_t done, uint64_t total) {
        if (progress) progress(first + done / 2, total);
    };
    const DumpIndex index =
        index_dump(file, problems, [&](uint64_t done, uint64_t total) { half(0, done, total); });
    if (index.past) throw Error(fmt::format("{} was compacted while it was read", printable(path)));
    file.forget(0, file.size());
    uint64_t read = 0;
    RunHistory history;
    Replay replay(file.header(), problems, make_observer(file, index, options));
    EventStream stream(
        file, index, problems,
        [&](uint64_t bytes) {
            read = std::min(read + bytes, file.size());
            half(file.size() / 2, read, file.size());
        },
        [&](std::span<const Node> nodes, size_t count) { replay.define_nodes(nodes, count); });
    const auto known = options.nodes ? options.nodes->find(file) : nullptr;
    if (known != nullptr) {
        replay.know(*known);
        stream.skip_nodes();
    }
    // What is watched of a thread is told by its number.
    if (!options.watch.is_empty() || !options.tensors.is_empty()) replay.list_all_threads();
    look_ahead(file, index, options, replay);
    uint64_t until = all_keys;
    if (const auto end = index.is_written ? now_of(file, index, now) : std::nullopt) {
        until = last_key(end->time);
        replay.end_at(*end);
    }
    std::optional<LoopClock> steps;
    if (options.times_of) steps.emplace(options.times_of->count);
    if (options.slices) {
        run_sliced(stream, until, replay, history, *options.slices, steps);
    } else if (options.times_of) {
        run_timed(stream, until, replay, *options.times_of, *steps);
    } else {
        // Nearly all of the time is spent in this one call, so all of it becomes one piece of code.
        stream.run_until(
            until,
            [&](size_t lane, const Event& event)
                __attribute__((flatten)) { replay.take(lane, event); },
            [&](const Event& event, bool has_block)
                __attribute__((always_inline)) { replay.soon(event, has_block); });
    }
    check_ring_ends(file, index, replay, problems);
    if (options.nodes && known == nullptr)
        keep_nodes(*options.nodes, replay, file, index, problems);
    Model model = finish_model(replay, file, problems);
    if (steps) *options.step_times = steps->finish(replay.clock());
    if (progress) progress(file.size(), file.size());
    return model;
}

}  // namespace memtrace::analyzer
