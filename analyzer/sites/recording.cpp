// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/recording.h"

#include <algorithm>

namespace memtrace::analyzer {

const Space* find_space(const Model& model, const std::string& name) {
    for (const Space& space : model.spaces) {
        if (space.name == name) return &space;
    }
    return nullptr;
}

bool changed_after_work(const Model& model, const Space& space) {
    if (model.phase) return false;  // What a phase leaves is what was there when it ended.
    const Totals& totals = space.totals;
    return model.process.work_end_ns &&
           (totals.held_bytes != totals.live_bytes || totals.held_blocks != totals.live_blocks);
}

std::optional<uint64_t> host_memory(const ProcessInfo& process) {
    const uint64_t machine = process.machine_memory, limit = process.memory_limit;
    if (machine == 0 && limit == 0) return std::nullopt;
    return machine == 0 || limit == 0 ? std::max(machine, limit) : std::min(machine, limit);
}

bool is_incomplete(const Model& model) { return model.damaged || model.capture.lost_events != 0; }

uint64_t captures_complete(const Recording& recording) {
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
