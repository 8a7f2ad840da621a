// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/diff_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "analyzer/base/paths.h"
#include "analyzer/check/measurements.h"
#include "analyzer/frames/stable_name.h"
#include "analyzer/model/selection.h"
#include "analyzer/page/page_sources.h"
#include "analyzer/sites/site_key.h"

namespace memtrace::analyzer {

namespace {

// Names of libraries are phrases like "threads of libgomp-a34b3233.so.1".
std::string stable_library(const std::string& name) {
    const size_t word = name.rfind(' ') + 1;  // npos + 1 is 0.
    const std::string last = name.substr(word);
    if (last.find(".so") == std::string::npos) return name;
    return name.substr(0, word) + stable_module(last);
}

std::string key_of(const OwnRow& row, const Symbols& symbols, const Executables& executables) {
    switch (row.kind) {
        case OwnRow::Kind::line:
            if (row.name.empty()) break;
            return executables.contains(row.name) ? "code of the program"
                                                  : "code of " + stable_module(row.name);
        case OwnRow::Kind::backward: break;
        case OwnRow::Kind::import:
            // What is of no single package belongs to the file that imports.
            if (row.name.empty())
                return "imports of " + stable_file(symbols.frames[row.frame].file);
            return "import " + row.name;
        case OwnRow::Kind::library: return stable_library(row.name);
    }
    Frame frame = symbols.frames[row.frame];
    if (row.kind == OwnRow::Kind::backward) {
        frame.kind = FrameKind::python;
        return "backward of " + stable_frame(frame, executables);
    }
    return stable_frame(frame, executables);
}

DiffLoop loop_of(const SourceLoops& loops, const SourceLoop& loop) {
    DiffLoop found{stable_function(loop.function), stable_file(loop.file), loop.line};
    std::set<uint32_t> lines;  // Several threads may run a loop.
    for (const SourceLoop& other : loops.loops) {
        if (other.function == loop.function && other.file == loop.file) lines.insert(other.line);
    }
    found.loops_of_function = lines.size();
    found.index = static_cast<size_t>(std::distance(lines.begin(), lines.find(loop.line)));
    return found;
}

std::optional<DiffSteps> steps_of(const Model& model) {
    const RunSlices& slices = model.slices;
    if (slices.steps == 0 || slices.step.empty() || slices.slices.size() < 2) return std::nullopt;
    if (!slices.is_found || !model.loops.steps) return DiffSteps{slices.steps, slices.step};
    const SourceLoop& loop = model.loops.loops[*model.loops.steps];
    return DiffSteps{slices.steps, fmt::format("{}:{}", base_name(loop.file), loop.line),
                     loop_of(model.loops, loop)};
}

bool has_source(const OwnRow& row) {
    const bool is_line = row.kind == OwnRow::Kind::line || row.kind == OwnRow::Kind::backward;
    return is_line && row.frame != no_frame;
}

void sort_keys(std::vector<uint64_t>& keys) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

class Maker {
public:
    Maker(const Recording& recording, const std::string& root, const PageOptions* page)
        : recording_(recording),
          page_(page),
          keys_(recording),
          line_places_(recording.model.stacks),
          places_(recording, root),
          own_(find_own_lines(recording, true)) {}

    DiffSide run() {
        const Model& model = recording_.model;
        const Executables executables = executables_of(recording_);
        side_.path = recording_.path;
        side_.process = model.process;
        side_.program = program_name(model.process);
        side_.selection = selection_text(model);
        side_.nothing = nothing_passes_text(model);
        side_.events = model.capture.events;
        side_.is_incomplete = is_incomplete(model);
        side_.steps = steps_of(model);
        for (const OwnRow& row : own_.rows) {
            DiffLine& line = side_.lines.emplace_back();
            line.key = key_of(row, recording_.symbols, executables);
            line.row = row;
            if (has_source(row)) line.place = line_places_.of(recording_.symbols.frames[row.frame]);
            line.figures.resize(model.spaces.size());
        }
        for (size_t i = 0; i < model.spaces.size(); ++i) add_space(i);
        if (page_ != nullptr) add_sources();
        keep_names();
        for (DiffLine& line : side_.lines) sort_keys(line.site_keys);
        if (side_.steps) sort_keys(side_.steps->site_keys);
        const std::vector<uint32_t> places = sort_lines();
        if (page_ != nullptr) {
            for (auto& sites : sites_) {
                for (SiteOfSide& site : sites) site.line = places[site.line];
            }
            side_.stacks = make_diff_stacks(recording_, *page_, sites_);
        }
        return std::move(side_);
    }

private:
    struct Sum {
        DiffFigures figures;
        uint32_t stack = no_stack;
        uint64_t weight = 0;  // of that stack
        bool is_used = false;
    };

    void add_space(size_t index) {
        const Space& space = recording_.model.spaces[index];
        DiffSpace& made = side_.spaces.emplace_back();
        made.name = space.name;
        made.is_estimate = space.is_estimate;
        made.interval = space.sample_interval;
        std::vector<Sum> sums;  // by key
        std::vector<SiteOfSide>& sites = sites_.emplace_back();
        for (size_t i = 0; i < space.sites.size(); ++i) {
            const Site site = space.sites[i];
            DiffFigures figures = figures_of(site.totals, recording_.model, space);
            if (side_.steps && !space.histories.empty()) add_steps(figures, space.histories[i]);
            add(made.totals, figures);
            const SiteKeys::Id key = keys_.of(site.stack);
            if (key >= sums.size()) sums.resize(key + 1);
            add_site(sums[key], site.stack, figures);
            DiffLine& line = side_.lines[own_.of_sites[index][i]];
            add(line.figures[index], figures);
            const uint64_t hash = std::hash<std::string>{}(keys_.text(key));
            line.site_keys.push_back(hash);
            if (figures.step_allocations != 0) side_.steps->site_keys.push_back(hash);
            if (page_ != nullptr) sites.push_back({own_.of_sites[index][i], figures});
        }
        for (SiteKeys::Id key = 0; key < sums.size(); ++key) {
            if (!sums[key].is_used) continue;
            made.sites.push_back({keys_.text(key), places_.of(sums[key].stack), sums[key].figures});
        }
        std::sort(made.sites.begin(), made.sites.end(),
                  [](const DiffSite& a, const DiffSite& b) { return a.key < b.key; });
    }

    static void add_site(Sum& sum, uint32_t stack, const DiffFigures& figures) {
        add(sum.figures, figures);
        const uint64_t weight = std::max(figures.peak_bytes, figures.held_bytes);
        if (!sum.is_used || weight > sum.weight) {
            sum.stack = stack;
            sum.weight = weight;
        }
        sum.is_used = true;
    }

    void add_sources() {
        std::set<FrameId> frames;
        for (const DiffLine& line : side_.lines) {
            if (has_source(line.row)) frames.insert(line.row.frame);
        }
        std::map<FrameId, std::string> texts = page_source_lines(recording_, frames, *page_);
        for (DiffLine& line : side_.lines) {
            if (has_source(line.row)) line.source = texts[line.row.frame];
        }
    }

    void keep_names() {
        for (DiffLine& line : side_.lines) {
            if (line.row.frame == no_frame) continue;
            side_.names.frames.push_back(recording_.symbols.frames[line.row.frame]);
            line.row.frame = static_cast<FrameId>(side_.names.frames.size() - 1);
        }
    }

    // Returns for each line where it is now.
    std::vector<uint32_t> sort_lines() {
        std::vector<DiffLine>& lines = side_.lines;
        const auto order = [&](const DiffLine& line) {
            static const Frame none;
            const bool has_frame = line.row.frame != no_frame;
            const Frame& frame = has_frame ? side_.names.frames[line.row.frame] : none;
            return std::tie(line.key, frame.file, frame.line);
        };
        std::vector<uint32_t> sorted(lines.size()), places(lines.size());
        std::iota(sorted.begin(), sorted.end(), 0);
        std::stable_sort(sorted.begin(), sorted.end(),
                         [&](uint32_t a, uint32_t b) { return order(lines[a]) < order(lines[b]); });
        std::vector<DiffLine> in_order;
        for (const uint32_t line : sorted) {
            places[line] = static_cast<uint32_t>(in_order.size());
            in_order.push_back(std::move(lines[line]));
        }
        lines = std::move(in_order);
        return places;
    }

    const Recording& recording_;
    const PageOptions* page_;  // nullptr: nothing is needed for a page
    SiteKeys keys_;
    LinePlaces line_places_;
    SourceLocations places_;
    OwnLines own_;
    std::vector<std::vector<SiteOfSide>> sites_;  // by space; only for a page
    DiffSide side_;
};

}  // namespace

DiffSide make_diff_side(const Recording& recording, const std::string& root,
                        const PageOptions* page) {
    return Maker(recording, root, page).run();
}

const DiffSpace* find_space(const DiffSide& side, const std::string& name) {
    for (const DiffSpace& space : side.spaces) {
        if (space.name == name) return &space;
    }
    return nullptr;
}

}  // namespace memtrace::analyzer
