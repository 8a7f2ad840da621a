// SPDX-License-Identifier: Apache-2.0
//
// Spaces, sites, histories, slices and phases of a profile. Figures that mostly follow from others
// are written as differences, so that most of them are 0.
#include <algorithm>
#include <span>

#include "analyzer/base/saturating.h"
#include "analyzer/model/measure.h"
#include "analyzer/profile/profile.pb.h"
#include "analyzer/profile/profile_parts.h"

namespace memtrace::analyzer {
namespace {

int64_t difference(uint64_t a, uint64_t b) { return static_cast<int64_t>(a - b); }

uint64_t plus(uint64_t value, int64_t change) { return value + static_cast<uint64_t>(change); }

// A site that frees each block before it acquires the next has the size of one as its own peak.
uint64_t expected_own_peak(const Totals& totals) {
    const uint64_t mean = totals.allocations == 0 ? 0 : totals.allocated_bytes / totals.allocations;
    return std::max(totals.at_peak_bytes, mean);
}

void write_totals(const Totals& totals, stored::Figures& file) {
    file.add_allocations(totals.allocations);
    file.add_allocated_bytes(totals.allocated_bytes);
    file.add_live_blocks(totals.live_blocks);
    file.add_live_bytes(totals.live_bytes);
    file.add_at_peak_blocks(totals.at_peak_blocks);
    file.add_at_peak_bytes(totals.at_peak_bytes);
    file.add_temporary(totals.temporary);
    file.add_frees(difference(totals.allocations - totals.live_blocks, totals.frees));
    file.add_own_peak_bytes(difference(totals.own_peak_bytes, expected_own_peak(totals)));
    file.add_held_blocks(difference(totals.held_blocks, totals.live_blocks));
    file.add_held_bytes(difference(totals.held_bytes, totals.live_bytes));
    file.add_half_bytes(difference(totals.half_bytes, totals.held_bytes));
}

// Columns of figures that most profiles do not have. They are there if one of them is not zero.
#define MEMTRACE_LOST_FIGURES(each)                                                             \
    each(lost_blocks) each(lost_bytes) each(indirectly_lost_blocks) each(indirectly_lost_bytes) \
        each(possibly_lost_blocks) each(possibly_lost_bytes)

void write_lost(const Totals& totals, stored::Figures& file) {
#define MEMTRACE_WRITE(name) file.add_##name(totals.name);
    MEMTRACE_LOST_FIGURES(MEMTRACE_WRITE)
#undef MEMTRACE_WRITE
}

void write_garbage(const Totals& totals, stored::Figures& file) {
    file.add_garbage_blocks(totals.garbage_blocks);
    file.add_garbage_bytes(totals.garbage_bytes);
}

void read_lost(Totals& totals, const stored::Figures& file, int row) {
    if (file.garbage_blocks_size() != 0) {
        totals.garbage_blocks = file.garbage_blocks(row);
        totals.garbage_bytes = file.garbage_bytes(row);
    }
    if (file.lost_blocks_size() == 0) return;
#define MEMTRACE_READ(name) totals.name = file.name(row);
    MEMTRACE_LOST_FIGURES(MEMTRACE_READ)
#undef MEMTRACE_READ
}

bool has_lost(const Totals& totals) {
    return (totals.lost_blocks | totals.indirectly_lost_blocks | totals.possibly_lost_blocks) != 0;
}

void require_rows(const stored::Figures& file, int rows) {
    require_sound(file.allocations_size() == rows && file.allocated_bytes_size() == rows &&
                      file.live_blocks_size() == rows && file.live_bytes_size() == rows &&
                      file.at_peak_blocks_size() == rows && file.at_peak_bytes_size() == rows &&
                      file.temporary_size() == rows && file.frees_size() == rows &&
                      file.own_peak_bytes_size() == rows && file.held_blocks_size() == rows &&
                      file.held_bytes_size() == rows &&
                      (file.half_bytes_size() == rows || file.half_bytes_size() == 0),
                  "the figures of a space");
    const int lost = file.lost_blocks_size();
    require_sound(lost == 0 || lost == rows, "the lost blocks of a space");
#define MEMTRACE_CHECK(name) \
    require_sound(file.name##_size() == lost, "the lost blocks of a space");
    MEMTRACE_LOST_FIGURES(MEMTRACE_CHECK)
#undef MEMTRACE_CHECK
    const int garbage = file.garbage_blocks_size();
    require_sound((garbage == 0 || garbage == rows) && file.garbage_bytes_size() == garbage,
                  "the garbage of a space");
}

Totals read_totals(const stored::Figures& file, int row) {
    Totals totals;
    totals.allocations = file.allocations(row);
    totals.allocated_bytes = file.allocated_bytes(row);
    totals.live_blocks = file.live_blocks(row);
    totals.live_bytes = file.live_bytes(row);
    totals.at_peak_blocks = file.at_peak_blocks(row);
    totals.at_peak_bytes = file.at_peak_bytes(row);
    totals.temporary = file.temporary(row);
    totals.frees = totals.allocations - totals.live_blocks - static_cast<uint64_t>(file.frees(row));
    totals.own_peak_bytes = plus(expected_own_peak(totals), file.own_peak_bytes(row));
    totals.held_blocks = plus(totals.live_blocks, file.held_blocks(row));
    totals.held_bytes = plus(totals.live_bytes, file.held_bytes(row));
    // Older profiles have none.
    if (row < file.half_bytes_size()) {
        totals.half_bytes = plus(totals.held_bytes, file.half_bytes(row));
    }
    read_lost(totals, file, row);
    return totals;
}

void write_history(const SiteHistory& history, stored::Histories& file) {
    file.add_held_points(static_cast<uint32_t>(history.held.size()));
    HeldPoint last;
    for (const HeldPoint& point : history.held) {
        file.add_held_slice(point.slice - last.slice);
        file.add_held_bytes(difference(point.bytes, last.bytes));
        file.add_held_blocks(difference(point.blocks, last.blocks));
        file.add_held_allocations(difference(point.allocations, last.allocations));
        file.add_held_allocated(difference(point.allocated_bytes, last.allocated_bytes));
        last = point;
    }
    file.add_born_points(static_cast<uint32_t>(history.born.size()));
    uint32_t slice = 0;
    for (const BornPoint& point : history.born) {
        file.add_born_slice(point.slice - slice);
        file.add_born_bytes(point.bytes);
        file.add_born_blocks(point.blocks);
        slice = point.slice;
    }
}

class HistoryReader {
public:
    HistoryReader(const stored::Histories& file, size_t slices) : file_(file), slices_(slices) {
        const int held = file.held_slice_size(), born = file.born_slice_size();
        require_sound(file.held_bytes_size() == held && file.held_blocks_size() == held &&
                          file.held_allocations_size() == held && file.born_bytes_size() == born &&
                          file.born_blocks_size() == born,
                      "the histories of a space");
        const int allocated = file.held_allocated_size();
        require_sound(allocated == held || allocated == 0, "the histories of a space");
    }

    SiteHistory next() {
        SiteHistory history;
        HeldPoint point;
        for (uint32_t left = file_.held_points(history_); left > 0; --left) {
            require_sound(held_ < file_.held_slice_size(), "the points of a history");
            point.slice = next_slice(point.slice, file_.held_slice(held_), history.held.empty());
            point.bytes = plus(point.bytes, file_.held_bytes(held_));
            point.blocks = plus(point.blocks, file_.held_blocks(held_));
            point.allocations = plus(point.allocations, file_.held_allocations(held_));
            if (held_ < file_.held_allocated_size()) {
                point.allocated_bytes = plus(point.allocated_bytes, file_.held_allocated(held_));
            }
            history.held.push_back(point);
            ++held_;
        }
        BornPoint born;
        for (uint32_t left = file_.born_points(history_); left > 0; --left) {
            require_sound(born_ < file_.born_slice_size(), "the survivors of a history");
            born.slice = next_slice(born.slice, file_.born_slice(born_), history.born.empty());
            born.bytes = file_.born_bytes(born_);
            born.blocks = file_.born_blocks(born_);
            history.born.push_back(born);
            ++born_;
        }
        ++history_;
        return history;
    }

    void finish() const {
        require_sound(held_ == file_.held_slice_size() && born_ == file_.born_slice_size(),
                      "the end of the histories");
    }

private:
    uint32_t next_slice(uint32_t last, uint32_t distance, bool is_first) const {
        const uint64_t slice = uint64_t{last} + distance;
        require_sound((is_first || distance != 0) && slice < slices_, "a slice of a history");
        return static_cast<uint32_t>(slice);
    }

    const stored::Histories& file_;
    size_t slices_;
    int history_ = 0, held_ = 0, born_ = 0;
};

void write_space(const Space& space, const std::vector<uint32_t>& nodes, stored::Space& file) {
    file.set_name(space.name);
    file.set_peak_time_ns(space.peak_time_ns);
    file.set_is_estimate(space.is_estimate);
    file.set_sample_interval(space.sample_interval);
    file.set_sampled(space.sampled);
    if (space.exact_until_ns) file.set_exact_until_ns(saturating_sum({*space.exact_until_ns, 1}));
    file.set_unsure_blocks(space.unsure_blocks);
    file.set_unsure_bytes(space.unsure_bytes);
    file.set_unsure_at_peak_bytes(space.unsure_at_peak_bytes);
    for (const uint64_t bytes : space.estimated_bytes) file.add_estimated_bytes(bytes);
    write_totals(space.totals, *file.mutable_totals());
    const bool lost = has_lost(space.totals);
    if (lost) write_lost(space.totals, *file.mutable_totals());
    const bool garbage = space.totals.garbage_blocks != 0;
    if (garbage) write_garbage(space.totals, *file.mutable_totals());
    for (const auto& [name, totals] : space.classes) {
        file.add_class_(name);
        write_totals(totals, *file.mutable_classes());
    }
    uint32_t last = 0;
    for (const Site& site : space.sites) {
        const uint32_t node = site.stack < nodes.size() ? nodes[site.stack] : no_stack;
        file.add_stack(int64_t{node} - last);
        last = node;
        write_totals(site.totals, *file.mutable_sites());
        if (lost) write_lost(site.totals, *file.mutable_sites());
        if (garbage) write_garbage(site.totals, *file.mutable_sites());
    }
    if (space.histories.empty() && space.history.held.empty()) return;
    stored::Histories histories;
    write_history(space.history, histories);
    for (const SiteHistory& history : space.histories) write_history(history, histories);
    histories.SerializeToString(file.mutable_histories());
}

void read_histories(Space& space, const std::string& bytes, size_t slices) {
    stored::Histories file;
    require_sound(file.ParseFromString(bytes), "the histories of a space");
    const int count = file.held_points_size();
    require_sound(count >= 1 && file.born_points_size() == count, "the number of histories");
    require_sound(count == 1 || static_cast<size_t>(count) == space.sites.size() + 1,
                  "the histories of sites");
    HistoryReader reader(file, slices);
    space.history = reader.next();
    for (int i = 1; i < count; ++i) space.histories.push_back(reader.next());
    space.histories.shrink_to_fit();
    reader.finish();
}

void read_space(Space& space, const stored::Space& file, size_t nodes) {
    space.name = file.name();
    space.peak_time_ns = file.peak_time_ns();
    space.is_estimate = file.is_estimate();
    space.sample_interval = file.sample_interval();
    space.sampled = file.sampled();
    space.unsure_blocks = file.unsure_blocks();
    space.unsure_bytes = file.unsure_bytes();
    space.unsure_at_peak_bytes = file.unsure_at_peak_bytes();
    if (file.exact_until_ns() != 0) space.exact_until_ns = file.exact_until_ns() - 1;
    space.estimated_bytes.assign(file.estimated_bytes().begin(), file.estimated_bytes().end());
    require_sound(space.estimated_bytes.empty() || file.estimated_bytes_size() == file.stack_size(),
                  "the estimated bytes of sites");
    require_rows(file.totals(), 1);
    space.totals = read_totals(file.totals(), 0);
    require_rows(file.classes(), file.class__size());
    for (int i = 0; i < file.class__size(); ++i) {
        space.classes[file.class_(i)] = read_totals(file.classes(), i);
    }
    require_rows(file.sites(), file.stack_size());
    uint64_t node = 0;
    Totals sum;
    for (int i = 0; i < file.stack_size(); ++i) {
        node = plus(node, file.stack(i));
        require_sound(node < nodes, "the stack of a site");
        Site site;
        site.stack = static_cast<uint32_t>(node);
        site.totals = read_totals(file.sites(), i);
        require_sound(add(sum, site.totals), "the sums of the figures of a space");
        space.sites.push_back(site);
    }
}

void write_slices(const RunSlices& slices, stored::Slices& file) {
    file.set_step(slices.step);
    file.set_steps(slices.steps);
    file.set_is_trimmed(slices.is_trimmed);
    file.set_is_found(slices.is_found);
    file.set_after(static_cast<uint32_t>(slices.slices.size() - slices.judged()));
    uint64_t last = 0;
    for (const RunSlice& slice : slices.slices) {
        file.add_duration_ns(slice.end_ns - last);
        file.add_steps_of_slice(slice.steps);
        file.add_events(slice.events);
        last = slice.end_ns;
    }
}

void read_slices(RunSlices& slices, const stored::Slices& file) {
    slices.step = file.step();
    slices.steps = file.steps();
    slices.is_trimmed = file.is_trimmed();
    slices.is_found = file.is_found();
    const int count = file.duration_ns_size();
    require_sound(file.steps_of_slice_size() == count && file.events_size() == count,
                  "the slices of the run");
    require_sound(file.after() <= static_cast<uint32_t>(count), "the slices of the run");
    const int judged = count - static_cast<int>(file.after());
    uint64_t end = 0;
    for (int i = 0; i < count; ++i) {
        end += file.duration_ns(i);
        slices.slices.push_back({end, file.steps_of_slice(i), file.events(i), false, i >= judged});
    }
}

// clang-format off
#define MEMTRACE_PHASE_FIGURES(each) \
    each(allocations) each(frees) each(allocated_bytes) each(peak_bytes) each(peak_time_ns) \
    each(begin_bytes) each(end_bytes) each(kept_blocks) each(kept_bytes) each(leaked_blocks) \
    each(leaked_bytes)
// clang-format on

void write_phases(const PhaseList& list, stored::Phases& file) {
    file.set_unpaired_ends(list.unpaired_ends);
    for (const PhaseInfo& info : list.phases) {
        stored::Phase& phase = *file.add_phases();
        phase.set_name(info.name);
        phase.set_is_mark(info.is_mark);
        phase.set_open(info.open);
        phase.set_occurrences(info.occurrences);
        phase.set_depth(info.depth);
        phase.set_first_begin_ns(info.first_begin_ns);
        phase.set_duration_ns(info.duration_ns);
        for (const auto& [space, figures] : info.spaces) {
#define MEMTRACE_WRITE(name) file.add_##name(figures.name);
            MEMTRACE_PHASE_FIGURES(MEMTRACE_WRITE)
#undef MEMTRACE_WRITE
        }
    }
}

void read_phases(PhaseList& list, const stored::Phases& file, const std::vector<Space>& spaces) {
    list.unpaired_ends = file.unpaired_ends();
    const uint64_t rows = static_cast<uint64_t>(file.phases_size()) * spaces.size();
#define MEMTRACE_CHECK(name) \
    require_sound(static_cast<uint64_t>(file.name##_size()) == rows, "the figures of phases");
    MEMTRACE_PHASE_FIGURES(MEMTRACE_CHECK)
#undef MEMTRACE_CHECK
    int row = 0;
    for (const stored::Phase& phase : file.phases()) {
        PhaseInfo& info = list.phases.emplace_back();
        info.name = phase.name();
        info.is_mark = phase.is_mark();
        info.open = phase.open();
        info.occurrences = phase.occurrences();
        info.depth = phase.depth();
        info.first_begin_ns = phase.first_begin_ns();
        info.duration_ns = phase.duration_ns();
        for (const Space& space : spaces) {
            PhaseFigures& figures = info.spaces.emplace_back(space.name, PhaseFigures{}).second;
#define MEMTRACE_READ(name) figures.name = file.name(row);
            MEMTRACE_PHASE_FIGURES(MEMTRACE_READ)
#undef MEMTRACE_READ
            ++row;
        }
    }
}

}  // namespace

void write_figures(const Recording& recording, const std::vector<uint32_t>& nodes,
                   stored::Profile& file) {
    const Model& model = recording.model;
    write_slices(model.slices, *file.mutable_slices());
    for (const Space& space : model.spaces) write_space(space, nodes, *file.add_spaces());
    if (model.phases) write_phases(*model.phases, *file.mutable_phases());
}

void read_figures(Recording& recording, const stored::Profile& file, bool with_histories) {
    Model& model = recording.model;
    read_slices(model.slices, file.slices());
    const size_t nodes = model.stacks.nodes.size(), slices = model.slices.slices.size();
    for (const stored::Space& space : file.spaces()) {
        read_space(model.spaces.emplace_back(), space, nodes);
        if (!with_histories || space.histories().empty()) continue;
        read_histories(model.spaces.back(), space.histories(), slices);
    }
    if (file.has_phases()) read_phases(model.phases.emplace(), file.phases(), model.spaces);
}

}  // namespace memtrace::analyzer
