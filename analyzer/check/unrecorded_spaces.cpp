// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/unrecorded_spaces.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/terminal.h"
#include "analyzer/sites/gpu_table.h"

namespace memtrace::analyzer {

namespace {

struct Unrecorded {
    std::string why;
    std::string what_to_do;
};

// `tensors:cuda:0` is not among them: PyTorch's allocator tells of its tensors, and no option of
// GPUs changes that.
bool is_of_gpu(const std::string& space) {
    return space.starts_with("device:") || space == "pinned" || space == "managed";
}

Unrecorded why_unrecorded(const Model& model, const std::string& space) {
    if (is_of_gpu(space)) {
        return {gpu_unknown_text(model), "record with MEMTRACE_OPTIONS=gpu=auto"};
    }
    if (space != "python") return {};
    const bool has_python =
        !model.capture.python || model.capture.python->state != PythonState::none;
    const std::optional<ObjectsInfo>& objects = model.capture.python_objects;
    const bool has_objects = objects && objects->state != PythonObjectsState::off;
    if (!has_python || has_objects) return {};
    return {python_objects_text(model), "record with MEMTRACE_OPTIONS=python_allocs=all"};
}

}  // namespace

std::vector<std::string> leave_out_unrecorded(const Recording& recording,
                                              std::vector<Limit>& limits) {
    std::vector<std::string> found;
    std::erase_if(limits, [&](const Limit& limit) {
        if (limit.is_off || find_space(recording.model, limit.space) != nullptr) return false;
        const Unrecorded unrecorded = why_unrecorded(recording.model, limit.space);
        if (unrecorded.why.empty()) return false;
        std::string text = fmt::format(
            "Limits on {} cannot be checked: nothing is known of it ({}); {}, or leave them out.",
            printable(limit.space), printable(unrecorded.why), unrecorded.what_to_do);
        if (std::find(found.begin(), found.end(), text) == found.end())
            found.push_back(std::move(text));
        return true;
    });
    return found;
}

}  // namespace memtrace::analyzer
