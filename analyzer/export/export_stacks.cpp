// SPDX-License-Identifier: Apache-2.0
#include "analyzer/export/export_stacks.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"

namespace memtrace::analyzer {

ExportStacks::ExportStacks(const Recording& recording, const Space& space,
                           const TextOptions& options, std::span<const ExportMeasure> measures) {
    TableOptions shape;
    shape.all_frames = options.all_frames;
    shape.interpreter_frames = options.interpreter_frames;
    tree_ = make_call_tree(space, recording.symbols, Measure::at_peak, shape);
    const auto is_large = [&](const Call& call) {
        return std::any_of(measures.begin(), measures.end(), [&](ExportMeasure exported) {
            const Measure measure = measure_of(exported, recording.model, space);
            return value_of(call.totals, measure) >= options.least(value_of(space.totals, measure));
        });
    };
    kept_.reserve(tree_.nodes.size());
    for (const Call& call : tree_.nodes) kept_.push_back(is_large(call));
}

std::vector<const Space*> exported_spaces(const Recording& recording, const TextOptions& options) {
    std::vector<const Space*> spaces;
    for (const Space& space : recording.model.spaces) {
        if (options.shows(space)) spaces.push_back(&space);
    }
    if (spaces.empty() && !options.space.empty()) {
        throw Error(fmt::format("--space {}: {} has no such space; it has: {}",
                                printable(options.space), printable(recording.path),
                                names_of_spaces(recording.model)));
    }
    return spaces;
}

}  // namespace memtrace::analyzer
