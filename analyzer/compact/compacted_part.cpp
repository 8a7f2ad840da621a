// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compact/compacted_part.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/compact/compact_run.h"
#include "analyzer/compact/read_compacted.h"
#include "analyzer/compact/replay_state.h"
#include "analyzer/phases/phases_before.h"
#include "analyzer/phases/single_phase.h"
#include "analyzer/reader/moment.h"
#include "analyzer/reader/past.h"
#include "analyzer/replay/run_look.h"
#include "analyzer/watch/run_watcher.h"

namespace memtrace::analyzer {
namespace {

using Answer = PhasesBefore::Answer;

// What a look at the events that are left has found.
struct Part {
    RangeMoments moments;
    TickClock clock;  // settled
    bool is_from_start = false;
};

class PartReader {
public:
    PartReader(const std::string& path, const LoadOptions& options, const Progress& progress)
        : path_(path), options_(options), progress_(progress), now_(Moment::now()) {}

    Model read() {
        Problems ignored, problems;
        const Part part = look(ignored);
        if (part.is_from_start) refuse_what_needs_the_past();
        else if (options_.watch.threads)
            refuse("which thread acquired what was alive when the part began is not in it");
        return replay(part, problems);
    }

private:
    [[noreturn]] void refuse(const std::string& why) const {
        throw Error(refusal_of_compacted(path_, why));
    }

    // Nobody knows any more what single blocks did, or when.
    void refuse_what_needs_the_past() const {
        const WatchRequest& watch = options_.watch;
        const bool asks_for_lives =
            watch.bars || watch.threads || watch.events_max != 0 || watch.time_max_ns != 0;
        if (watch.curves || asks_for_lives) {
            refuse(fmt::format(
                "what happened up to {} is not in it, event by event; parts that begin later are",
                human_time(gone_ns_)));
        }
        if (options_.phases.list && (options_.phases.each || !options_.phases.sites.empty()))
            refuse("the phases of before are one by name, and not by call site");
    }

    Part look(Problems& problems) {
        DumpFile file(path_, problems);
        const DumpIndex index = index_dump(file, problems);
        if (!index.past) refuse("what it was compacted to is damaged");
        const uint64_t first_tick = index.past->key / 2 + 1;
        CompactRun run(file, index, problems, CompactRun::plan_of(*index.past, file));
        run.restore(*index.past);
        Replay& replay = run.replay();
        const std::vector<MarkInfo> marks = replay.so_far().marks;
        const uint64_t mark_count = ReplayState::marks(replay);
        const PhasesBefore before = run.phases().so_far(marks, mark_count == marks.size());
        const TickClock clock = replay.clock();
        // The slicer goes on while the look does.
        const StepMarks steps = run.slicer().marks();
        const SourceLoops& loops = run.plan().loops;
        RunLook look(file.header(), options_.phases, run.plan().slices.loop.get(), loops.why_none);
        look.go_on_after({first_tick, ReplayState::last_time(replay), mark_count, clock, before,
                          steps, ReplayState::work_end(replay), run.slicer().loop_steps(),
                          [&run] { return run.slicer().is_inside_loop(); },
                          [this](const std::string& end) { refuse_end(end); }});
        run.set_look([&](size_t lane, const Event& event, LoopSteps::Step step) {
            look.take(lane, event, step);
        });
        replay_rest(run, file, index, now_, progress_);
        Part part{{}, replay.clock(), true};
        part.clock.settle();
        const uint64_t last_known = std::min(first_tick - 1, ReplayState::last_time(replay));
        gone_ns_ = part.clock.ns(last_known);
        if (options_.phases.has_range()) part.moments = look.moments();
        const auto& from = part.moments.from;
        part.is_from_start = !from || (!from->mark && !from->event && from->time < first_tick);
        check_phase(before, part);
        return part;
    }

    [[noreturn]] void refuse_end(const std::string& end) const {
        refuse(
            fmt::format("the part that {} asks for may begin or end before {}, and the events "
                        "up to then are gone; parts that begin later are in it",
                        end, human_time(gone_ns_)));
    }

    // The figures of a phase by call site are counted while it is open.
    void check_phase(const PhasesBefore& before, Part& part) const {
        if (options_.phases.list && options_.phases.each && before.any_open())
            refuse("the full names of phases that were open then are not in it (--each)");
        const std::string& name = options_.phases.only;
        if (name.empty()) return;
        const PhasePattern pattern(name);
        const bool has_begun = before.began(pattern) != Answer::no;
        const bool is_unknown = before.is_open(pattern) == Answer::unknown;
        if ((part.is_from_start && has_begun) || is_unknown) {
            refuse(
                fmt::format("the phase \"{}\" has begun before {}, and its figures by call site "
                            "up to then are not in it; --from with a later time leaves them out",
                            printable(name), human_time(gone_ns_)));
        }
        part.is_from_start = false;  // Nothing of it was before.
    }

    std::unique_ptr<PhaseObserver> make_observer(const Part& part) const {
        if (part.is_from_start || options_.watch.is_empty())
            return make_phase_observer(options_.phases);
        return std::make_unique<RunWatcher>(options_.watch, options_.phases, part.clock);
    }

    // The list of all phases knows them from the start; another observer takes over the sums.
    void go_on_from_start(CompactRun& run) const {
        if (options_.phases.list) return run.phases().limit_from_start(options_.phases, 0);
        auto phase = std::make_unique<SinglePhase>(options_.phases);
        SinglePhase& fresh = *phase;
        Replay& replay = run.replay();
        std::map<std::string, const SpaceCounter*> spaces;
        replay.for_each_counter(
            [&](const SpaceCounter& counter) { spaces[counter.name()] = &counter; });
        const std::unique_ptr<PhaseObserver> before = run.observe(std::move(phase));
        fresh.go_on_from_start(0, [&](const std::string& name, PhaseSites& sites) {
            const auto found = spaces.find(name);
            if (found != spaces.end()) sites.go_on_from_start(*found->second, 0);
        });
    }

    void begin_later(CompactRun& run, const Part& part) const {
        Replay& replay = run.replay();
        const std::vector<MarkInfo> marks = replay.so_far().marks;
        const PhasesBefore phases =
            run.phases().so_far(marks, ReplayState::marks(replay) == marks.size());
        std::unique_ptr<PhaseObserver> observer = make_observer(part);
        observer->go_on_after(phases);
        const std::unique_ptr<PhaseObserver> before = run.observe(std::move(observer));
        ReplayState::tell_what_is_alive(replay);
    }

    Model replay(const Part& part, Problems& problems) {
        DumpFile file(path_, problems);
        const DumpIndex index = index_dump(file, problems);
        if (!index.past) refuse("what it was compacted to is damaged");
        CompactRun run(file, index, problems, CompactRun::plan_of(*index.past, file));
        run.restore(*index.past);
        if (part.is_from_start) go_on_from_start(run);
        else begin_later(run, part);
        if (options_.phases.has_range())
            ReplayState::limit(run.replay(), part.moments, part.is_from_start);
        replay_rest(run, file, index, now_, progress_);
        return finish_compacted(run, file, index);
    }

    const std::string& path_;
    const LoadOptions& options_;
    const Progress& progress_;
    const Moment now_;
    uint64_t gone_ns_ = 0;  // The events up to then are gone.
};

}  // namespace

bool asks_for_part(const LoadOptions& options) {
    return !options.phases.only.empty() || options.phases.has_range();
}

Model read_compacted_part(const std::string& path, const LoadOptions& options,
                          const Progress& progress) {
    return read_while_compacted(path, [&] { return PartReader(path, options, progress).read(); });
}

}  // namespace memtrace::analyzer
