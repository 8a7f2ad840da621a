// SPDX-License-Identifier: Apache-2.0
//
// Thousands of random programs, replayed twice: as reports do it, through a dump, and by a replay
// that remembers everything (naive_replay.h). Every figure of every space, site and class must be
// equal: of the whole run, of phases, of ranges of time, of threads, and at the end of each slice.
//
// optimised: the second replay is slow by intent; without optimisation this is the longest test.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "tests/tools/repetitions.h"
#include "tests/tools/story.h"
#include "tests/unit/analyzer/replay/naive_figures.h"
#include "tests/unit/analyzer/replay/naive_replay.h"
#include "tests/unit/analyzer/replay/random_program.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::test;
using analyzer::Model;
using analyzer::PhaseFigures;
using analyzer::PhaseInfo;
using analyzer::Site;
using analyzer::SiteHistory;
using analyzer::Space;
using analyzer::Totals;

namespace {

constexpr unsigned programs = repetitions(3000);

// Collects what is unequal, so that one seed shows all of it.
class Differences {
public:
    void expect(const std::string& what, uint64_t found, uint64_t wanted) {
        if (found != wanted) text_ += fmt::format("{}: {}, should be {}\n", what, found, wanted);
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

void compare(Differences& differences, const std::string& what, const Totals& found,
             const Totals& wanted) {
    constexpr std::pair<const char*, uint64_t Totals::*> fields[] = {
        {"allocations", &Totals::allocations},
        {"frees", &Totals::frees},
        {"allocated_bytes", &Totals::allocated_bytes},
        {"live_blocks", &Totals::live_blocks},
        {"live_bytes", &Totals::live_bytes},
        {"at_peak_blocks", &Totals::at_peak_blocks},
        {"at_peak_bytes", &Totals::at_peak_bytes},
        {"own_peak_bytes", &Totals::own_peak_bytes},
        {"temporary", &Totals::temporary},
        {"held_blocks", &Totals::held_blocks},
        {"held_bytes", &Totals::held_bytes}};
    for (const auto& [name, field] : fields)
        differences.expect(what + " " + name, found.*field, wanted.*field);
}

void compare(Differences& differences, const std::string& what,
             const std::map<std::string, Totals>& found,
             const std::map<std::string, Totals>& wanted) {
    for (const auto& [name, totals] : found)
        if (!wanted.contains(name)) differences.expect(what + name + " exists", 1, 0);
    for (const auto& [name, totals] : wanted) {
        const auto same = found.find(name);
        if (same == found.end()) differences.expect(what + name + " exists", 0, 1);
        else compare(differences, what + name, same->second, totals);
    }
}

std::string site_name(const Site& site) {
    return site.stack > RandomProgram::stack_max ? "arenas" : std::to_string(site.stack);
}

void compare(Differences& differences, const Model& model, const std::string& name,
             const NaivePart& wanted) {
    const Space* space = space_named(model, name);
    if (space == nullptr) {
        differences.expect(name + " sites", 0, wanted.sites.size());
        return;
    }
    compare(differences, name, space->totals, wanted.all);
    differences.expect(name + " peak_time_ns", space->peak_time_ns, wanted.peak_time);
    std::map<std::string, Totals> sites;
    for (const Site& site : space->sites) {
        const bool is_new = sites.emplace(site_name(site), site.totals).second;
        differences.expect(name + " site " + site_name(site) + " occurs once", is_new, 1);
    }
    compare(differences, name + " site ", sites, wanted.sites);
    compare(differences, name + " class ", space->classes, wanted.labels);
}

void compare_history(Differences& differences, const std::string& what, const Model& model,
                     const SiteHistory& history, const NaiveReplay& replay,
                     const NaiveFigures& figures, const std::string& space,
                     const std::string& key) {
    const auto is_its = [&](const NaiveReplay::Block& block) {
        const auto keys = NaiveFigures::keys_of(block);
        return block.space == space && std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    const auto& slices = model.slices.slices;
    const size_t last = replay.before(slices.back().end_ns);
    size_t begin = 0;  // the first moment of the slice
    for (uint32_t slice = 0; slice < slices.size(); ++slice) {
        const size_t end = replay.before(slices[slice].end_ns);
        analyzer::HeldPoint found;
        for (const analyzer::HeldPoint& point : history.held)
            if (point.slice <= slice) found = point;
        analyzer::BornPoint found_born;
        for (const analyzer::BornPoint& point : history.born)
            if (point.slice == slice) found_born = point;
        uint64_t allocations = 0, allocated = 0;
        Held born;
        for (const NaiveReplay::Block& block : replay.blocks()) {
            if (!is_its(block) || block.born > end) continue;
            allocations += 1;
            allocated += block.bytes(block.born);
            if (block.born < begin || !block.is_alive(last)) continue;
            born.blocks += 1;
            born.bytes += block.bytes(last);
        }
        const std::string place = fmt::format("{} slice {} ", what, slice);
        const Held held = figures.held(space, end, key);
        differences.expect(place + "held bytes", found.bytes, held.bytes);
        differences.expect(place + "held blocks", found.blocks, held.blocks);
        differences.expect(place + "allocations", found.allocations, allocations);
        differences.expect(place + "allocated", found.allocated_bytes, allocated);
        differences.expect(place + "born bytes", found_born.bytes, born.bytes);
        differences.expect(place + "born blocks", found_born.blocks, born.blocks);
        begin = end + 1;
    }
}

// The number of runs with compared histories.
unsigned compared_histories = 0;

// True if a slice ends at a tick that has several events. The cut may then lie between them, which
// the end of a slice does not tell.
bool has_cut_in_tick(const Model& model, const NaiveReplay& replay) {
    return std::ranges::any_of(model.slices.slices, [&](const analyzer::RunSlice& slice) {
        return replay.before(slice.end_ns + 1) > replay.before(slice.end_ns) + 1;
    });
}

void compare_histories(Differences& differences, const Model& model, const NaiveReplay& replay,
                       const NaiveFigures& figures) {
    if (model.slices.slices.empty() || has_cut_in_tick(model, replay)) return;
    compared_histories += 1;
    for (const Space& space : model.spaces) {
        compare_history(differences, space.name, model, space.history, replay, figures, space.name,
                        "");
        for (size_t i = 0; i < space.sites.size(); ++i) {
            const std::string site = site_name(space.sites[i]);
            compare_history(differences, space.name + " site " + site, model, space.histories[i],
                            replay, figures, space.name, "site " + site);
        }
    }
}

void compare(Differences& differences, const std::string& what, const PhaseFigures& found,
             const NaivePart& wanted) {
    differences.expect(what + " allocations", found.allocations, wanted.all.allocations);
    differences.expect(what + " frees", found.frees, wanted.all.frees);
    differences.expect(what + " bytes", found.allocated_bytes, wanted.all.allocated_bytes);
    differences.expect(what + " peak", found.peak_bytes, wanted.all.own_peak_bytes);
    differences.expect(what + " peak time", found.peak_time_ns, wanted.peak_time);
    differences.expect(what + " begin", found.begin_bytes, wanted.begin.bytes);
    differences.expect(what + " end", found.end_bytes, wanted.end.bytes);
    differences.expect(what + " kept blocks", found.kept_blocks, wanted.all.live_blocks);
    differences.expect(what + " kept bytes", found.kept_bytes, wanted.all.live_bytes);
    differences.expect(what + " leaked blocks", found.leaked_blocks, wanted.leaked.blocks);
    differences.expect(what + " leaked bytes", found.leaked_bytes, wanted.leaked.bytes);
}

void compare_phases(Differences& differences, const Model& model, const NaiveReplay& replay,
                    const NaiveFigures& figures, bool each) {
    const auto name_of = [&](const NaiveReplay::Range& range) {
        return std::pair(each ? range.name : analyzer::grouped_name(range.name), range.is_mark);
    };
    std::set<std::pair<std::string, bool>> names;
    for (const NaiveReplay::Range& range : replay.ranges()) names.insert(name_of(range));
    differences.expect("phases", model.phases->phases.size(), names.size());
    differences.expect("unpaired ends", model.phases->unpaired_ends, replay.unpaired_ends());
    for (const PhaseInfo& found : model.phases->phases) {
        const NaivePhase wanted = figures.phase([&](const NaiveReplay::Range& range) {
            return name_of(range) == std::pair(found.name, found.is_mark);
        });
        const std::string what =
            fmt::format("{} \"{}\"", found.is_mark ? "mark" : "phase", found.name);
        differences.expect(what + " occurrences", found.occurrences, wanted.occurrences);
        if (wanted.occurrences == 0) continue;
        differences.expect(what + " is open", found.open, wanted.is_open);
        differences.expect(what + " depth", found.depth, wanted.depth);
        differences.expect(what + " duration", found.duration_ns, wanted.time);
        for (const auto& [space, its_figures] : found.spaces)
            compare(differences, what + " " + space, its_figures,
                    figures.part(space, wanted.stretches));
    }
}

Model load(const std::string& path, const analyzer::LoadOptions& options) {
    return analyzer::load_dump(path, {}, options);
}

// The whole recording, its list of phases, and its slices.
std::string differences_of_whole(const std::string& path, const NaiveReplay& replay,
                                 const NaiveFigures& figures, unsigned seed) {
    analyzer::LoadOptions options;
    options.phases.list = seed % 2 == 0;
    options.phases.each = seed % 4 == 0;
    options.slices = analyzer::SliceOptions{{}, 2 + seed % 9, {}};
    const Model model = load(path, options);
    Differences differences;
    differences.expect("problems", model.problems.size(), 0);
    differences.expect("events", model.capture.events, replay.events());
    differences.expect("anomalies", model.capture.anomalies, replay.anomalies());
    for (const char* space : {"host", "mmap", "python"}) {
        compare(differences, model, space, figures.part(space, figures.whole(), replay.work_end()));
    }
    std::multiset<std::tuple<uint64_t, uint64_t, uint64_t>> found;
    std::multiset<std::tuple<uint64_t, uint64_t, uint64_t>> wanted;
    for (const analyzer::ThreadInfo& thread : model.threads)
        if (thread.allocations > 0)
            found.emplace(thread.tid, thread.allocations, thread.allocated_bytes);
    for (const NaiveReplay::Thread& thread : replay.threads())
        if (thread.allocations > 0)
            wanted.emplace(thread.tid, thread.allocations, thread.allocated_bytes);
    differences.expect("threads are equal", found == wanted, true);
    compare_histories(differences, model, replay, figures);
    if (options.phases.list)
        compare_phases(differences, model, replay, figures, options.phases.each);
    return differences.text() + unequal_sums(model);
}

// One phase as if it were the recording.
std::string differences_of_phase(const std::string& path, const NaiveReplay& replay,
                                 const NaiveFigures& figures, unsigned seed) {
    if (replay.ranges().empty()) return "";
    const std::string& name = replay.ranges()[seed % replay.ranges().size()].name;
    const std::string asked = seed % 3 == 0   ? analyzer::grouped_name(name)
                              : seed % 3 == 1 ? name.substr(0, 1) + "*"
                                              : name;
    analyzer::LoadOptions options;
    options.phases.only = asked;
    const Model model = load(path, options);
    const analyzer::PhasePattern pattern(asked);
    const NaivePhase phase =
        figures.phase([&](const NaiveReplay::Range& range) { return pattern.matches(range.name); });
    Differences differences;
    differences.expect("occurrences", model.phase->occurrences, phase.occurrences);
    differences.expect("is open", model.phase->open, phase.is_open);
    differences.expect("duration", model.phase->duration_ns, phase.time);
    for (const char* space : {"host", "mmap", "python"})
        compare(differences, model, space, figures.part(space, phase.stretches));
    const std::string text = differences.text() + unequal_sums(model);
    return text.empty() ? "" : "phase \"" + asked + "\"\n" + text;
}

// A range of times as if it were the recording. Half of the ranges lack an end.
std::string differences_of_range(const std::string& path, const NaiveReplay& replay,
                                 const NaiveFigures& figures, unsigned seed) {
    std::mt19937 random(seed);
    const uint64_t last = replay.time(replay.end());
    uint64_t from = random() % (last + 1), to = random() % (last + 1);
    if (from > to) std::swap(from, to);
    Stretch stretch{replay.before(from), replay.before(to) + 1};
    size_t work_end = NaiveReplay::never;
    analyzer::LoadOptions options;
    options.phases.from = fmt::format("{}ns", from);
    options.phases.to = fmt::format("{}ns", to);
    if (seed % 4 == 1) {
        options.phases.to.clear();
        stretch.last = replay.end();
        if (replay.work_end() > stretch.first) work_end = replay.work_end();
    } else if (seed % 4 == 3) {
        options.phases.from.clear();
        stretch.first = 0;
    }
    const Model model = load(path, options);
    Differences differences;
    for (const char* space : {"host", "mmap", "python"}) {
        NaivePart wanted = figures.part(space, {stretch}, work_end);
        // The peak may be what was held when the range began.
        const bool is_first = wanted.peak_time == replay.time(stretch.first);
        if (is_first && !options.phases.from.empty()) wanted.peak_time = from;
        compare(differences, model, space, wanted);
    }
    const std::string text = differences.text() + unequal_sums(model);
    return text.empty() ? "" : fmt::format("range {} to {}\n{}", from, to, text);
}

// What one thread acquired, whoever frees it.
std::string differences_of_thread(const std::string& path, const NaiveReplay& replay,
                                  const NaiveFigures& figures, unsigned seed) {
    const auto& threads = replay.threads();
    if (threads.empty()) return "";
    const size_t thread = seed % threads.size();
    const auto has_tid = [&](const auto& other) { return other.tid == threads[thread].tid; };
    if (threads[thread].tid == 0 || std::ranges::count_if(threads, has_tid) != 1) return "";
    analyzer::LoadOptions options;
    options.threads = {std::to_string(threads[thread].tid)};
    const Model model = load(path, options);
    const std::string of_thread = std::to_string(thread) + " site ";
    Differences differences;
    for (const Space& space : model.spaces) {
        std::map<std::string, Totals> found, wanted;
        for (size_t i = 0; i < space.sites.size(); ++i) {
            const Site site = space.sites[i];
            if (!space.left_out.empty() && space.left_out[i]) continue;
            found.emplace(site_name(site), site.totals);
        }
        const NaivePart part = figures.part(space.name, figures.whole(), replay.work_end());
        for (const auto& [name, totals] : part.of_threads) {
            if (name.starts_with(of_thread)) wanted.emplace(name.substr(of_thread.size()), totals);
        }
        compare(differences, space.name + " site ", found, wanted);
    }
    const std::string text = differences.text();
    return text.empty() ? "" : "thread " + options.threads.front() + "\n" + text;
}

}  // namespace

TEST_CASE("a replay that remembers everything has the same figures, for thousands of programs") {
    for (unsigned seed = 0; seed < programs; ++seed) {
        RandomProgram program(seed);
        const NaiveReplay replay(program.records());
        const NaiveFigures figures(replay);
        const TempFile file(program.bytes());
        INFO("seed " << seed);
        REQUIRE(differences_of_whole(file.path(), replay, figures, seed) == "");
        REQUIRE(differences_of_phase(file.path(), replay, figures, seed) == "");
        REQUIRE(differences_of_range(file.path(), replay, figures, seed) == "");
        REQUIRE(differences_of_thread(file.path(), replay, figures, seed) == "");
    }
    CHECK(compared_histories > programs / 10);
}
