// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/recording.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/terminal.h"

namespace memtrace::analyzer {

const Space* find_space(const Model& model, const std::string& name) {
    for (const Space& space : model.spaces) {
        if (space.name == name) return &space;
    }
    return nullptr;
}

bool has_space(const Model& model, const std::string& name) {
    if (find_space(model, name) != nullptr) return true;
    return model.filters && std::any_of(model.filters->spaces.begin(), model.filters->spaces.end(),
                                        [&](const auto& space) { return space.name == name; });
}

std::string names_of_spaces(const Model& model) {
    std::string names;
    for (const Space& space : model.spaces)
        names += (names.empty() ? "" : ", ") + printable(space.name);
    return names.empty() ? "none" : names;
}

bool changed_after_work(const Model& model, const Space& space) {
    const Totals& totals = space.totals;
    return model.process.work_end_ns &&
           (totals.held_bytes != totals.live_bytes || totals.held_blocks != totals.live_blocks);
}

Measure held_measure(const Model& model, const Space& space) {
    return changed_after_work(model, space) ? Measure::held : Measure::leaked;
}

std::optional<uint64_t> host_memory(const ProcessInfo& process) {
    const uint64_t machine = process.machine_memory, limit = process.memory_limit;
    if (machine == 0 && limit == 0) return std::nullopt;
    return machine == 0 || limit == 0 ? std::max(machine, limit) : std::min(machine, limit);
}

const LostSearchInfo* last_search(const Model& model) {
    const auto found =
        std::find_if(model.searches.rbegin(), model.searches.rend(),
                     [](const auto& search) { return search.stage == LostStage::done; });
    return found == model.searches.rend() ? nullptr : &*found;
}

bool is_incomplete(const Model& model) { return model.damaged || model.capture.lost_events != 0; }

std::string no_space_text(const Model& model) {
    if (!model.capture.gaps.empty()) return "Nothing was recorded.";
    if (is_incomplete(model)) return "Nothing that can be read was allocated: events are missing.";
    return "Nothing was allocated.";
}

std::string python_state_text(const Model& model) {
    if (!model.capture.python) return "off: the dump has native frames only";
    const PythonInfo& python = *model.capture.python;
    switch (python.state) {
        case PythonState::none: return "none";
        case PythonState::on:
            if (python.version == 0) return "on";
            return fmt::format("on ({}.{}.{})", python.version >> 24 & 0xff,
                               python.version >> 16 & 0xff, python.version >> 8 & 0xff);
        case PythonState::off: break;
    }
    return "off: " + (python.why.empty() ? "the recording does not say why" : python.why);
}

std::string python_objects_text(const Model& model) {
    if (!model.capture.python_objects) return "not recorded";
    const ObjectsInfo& objects = *model.capture.python_objects;
    const std::string why = objects.why.empty() ? "the recording does not say why" : objects.why;
    switch (objects.state) {
        case PythonObjectsState::whole: break;
        case PythonObjectsState::late: return "not from the first one on; " + why;
        case PythonObjectsState::off: return "not recorded; " + why;
    }
    return objects.interval == 0 ? "all" : "a sample";
}

UnwindGaps unwind_gaps(const Recording& recording) {
    return recording.coverage ? recording.coverage->gaps : find_unwind_gaps(recording.model);
}

uint64_t captures_complete(const Recording& recording) {
    if (recording.coverage) return recording.coverage->complete;
    uint64_t complete = 0;
    for (const Space& space : recording.model.spaces) {
        if (space.is_estimate) continue;
        for (const Site& site : space.sites) {
            const bool reaches = site.stack < recording.symbols.complete.size() &&
                                 recording.symbols.complete[site.stack];
            if (reaches) complete += site.totals.allocations;
        }
    }
    return std::min(complete, recording.model.capture.captures);
}

}  // namespace memtrace::analyzer
