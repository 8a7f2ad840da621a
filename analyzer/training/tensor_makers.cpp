// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/tensor_makers.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/training/frame_says.h"

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

TensorMaker maker_of(TrainingCode code, bool is_in_backward) {
    // An optimiser may run inside of the backward pass.
    if (code == TrainingCode::optimiser) return TensorMaker::optimiser;
    if (is_in_backward) return TensorMaker::backward;
    switch (code) {
        case TrainingCode::loader: return TensorMaker::loader;
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

// Only a few stacks hold something at the peak, so frames are looked at when they are met.
class Look {
public:
    explicit Look(const Symbols& symbols) : symbols_(symbols), classes_(module_classes(symbols)) {}

    MadeTensors at_peak(const Space& space) {
        MadeTensors made{.space = space.name};
        const bool has_tensors_only = space.name.starts_with("tensors:");
        for (size_t i = 0; i < space.sites.size(); ++i) {
            const uint64_t bytes = space.sites.totals(i).at_peak_bytes;
            if (bytes == 0) continue;
            bool is_tensor = has_tensors_only, is_in_backward = false;
            TrainingCode code = TrainingCode::none;
            symbols_.walk(space.sites.stack(i), [&](FrameId id) {
                const FrameSays& frame = says(id);
                is_tensor |= frame.allocates_tensor;
                is_in_backward |= frame.code == TrainingCode::backward;
                if (code == TrainingCode::none) code = frame.code;
            });
            if (!is_tensor) continue;
            made.bytes += bytes;
            made.by[static_cast<size_t>(maker_of(code, is_in_backward))] += bytes;
        }
        return made;
    }

private:
    const FrameSays& says(FrameId id) {
        const auto [found, is_new] = says_.try_emplace(id);
        if (is_new) found->second = look_at(symbols_.frames[id], classes_);
        return found->second;
    }

    const Symbols& symbols_;
    const ModuleClasses classes_;
    std::unordered_map<FrameId, FrameSays> says_;
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
