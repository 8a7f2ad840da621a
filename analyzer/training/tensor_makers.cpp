// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/tensor_makers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/kinds/frame_says.h"

namespace memtrace::analyzer {
namespace {

struct MakerName {
    std::string_view word;
    std::string_view name;
};
constexpr MakerName names[] = {
#define MEMTRACE_TENSOR_MAKER(word, name) {#word, name},
#include "analyzer/training/tensor_makers.def"
};

TensorMaker maker(TrainingCode code, bool is_in_backward) {
    // An optimiser may run inside of the backward pass.
    if (code == TrainingCode::optimiser) return TensorMaker::optimiser;
    if (is_in_backward) return TensorMaker::backward;
    switch (code) {
        case TrainingCode::loader: return TensorMaker::data_loader;
        case TrainingCode::forward: return TensorMaker::forward;
        case TrainingCode::move:
        case TrainingCode::loaded:
        case TrainingCode::initialise:
        case TrainingCode::norm_module:
        case TrainingCode::pytorch_module:
        case TrainingCode::user_module: return TensorMaker::model;
        default: return TensorMaker::other;
    }
}

// Frames are looked at when they are met, because few stacks hold tensors at the peak.
class Look {
public:
    explicit Look(const Symbols& symbols)
        : symbols_(symbols), classes_(module_classes(symbols)), says_(symbols.frames.size()) {}

    MadeTensors at_peak(const Space& space) {
        MadeTensors made{.space = space.name};
        const bool has_tensors_only = space.name.starts_with("tensors:");
        for (size_t i = 0; i < space.sites.size(); ++i) {
            const uint64_t bytes = space.sites.totals(i).at_peak_bytes;
            const uint32_t stack = space.sites.stack(i);
            if (bytes == 0 || (!has_tensors_only && !is_of_tensor(stack))) continue;
            made.bytes += bytes;
            made.by[static_cast<size_t>(maker_of(stack))] += bytes;
        }
        return made;
    }

private:
    // The allocator of tensors calls no Python, so it is inside of all functions of Python.
    bool is_of_tensor(uint32_t stack) {
        for (; symbols_.has(stack); stack = symbols_.nodes.parent(stack)) {
            for (const FrameId id : symbols_.frames_of(stack)) {
                if (says(id).allocates_tensor) return true;
                if (says(id).is_python) return false;
            }
        }
        return false;
    }

    TensorMaker maker_of(uint32_t stack) {
        TrainingCode code = TrainingCode::none;
        bool is_in_backward = false;
        symbols_.walk(stack, [&](FrameId id) {
            const FrameSays& frame = says(id);
            is_in_backward |= frame.code == TrainingCode::backward;
            if (code == TrainingCode::none) code = frame.code;
        });
        return maker(code, is_in_backward);
    }

    const FrameSays& says(FrameId id) {
        std::optional<FrameSays>& found = says_[id];
        if (!found) found = look_at(symbols_.frames[id], classes_);
        return *found;
    }

    const Symbols& symbols_;
    const ModuleClasses classes_;
    std::vector<std::optional<FrameSays>> says_;  // by frame; nothing: not looked at yet
};

}  // namespace

std::vector<MadeTensors> made_tensors(const Recording& recording) {
    std::vector<MadeTensors> found;
    if (recording.model.stacks.autograd_module == no_module) return found;
    Look look(recording.symbols);
    for (const Space& space : recording.model.spaces) {
        if (space.is_estimate) continue;
        MadeTensors made = look.at_peak(space);
        if (made.bytes != 0) found.push_back(std::move(made));
    }
    return found;
}

std::string made_text(const MadeTensors& made) {
    std::vector<std::pair<uint64_t, std::string_view>> parts;
    for (size_t i = 0; i < made.by.size(); ++i) {
        if (made.by[i] != 0) parts.emplace_back(made.by[i], names[i].name);
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text = fmt::format("tensors in {} at its peak: {}, made by", printable(made.space),
                                   human_bytes(made.bytes));
    const char* between = " ";
    for (const auto& [bytes, name] : parts) {
        text += fmt::format("{}{} {}", std::exchange(between, ", "), name, human_bytes(bytes));
    }
    return text;
}

Json made_json(const std::vector<MadeTensors>& made) {
    Json spaces = Json::array();
    for (const MadeTensors& space : made) {
        Json by = Json::object();
        for (size_t i = 0; i < space.by.size(); ++i) by[std::string(names[i].word)] = space.by[i];
        spaces.push_back(
            {{"space", space.space}, {"bytes", space.bytes}, {"made_by", std::move(by)}});
    }
    return spaces;
}

}  // namespace memtrace::analyzer
