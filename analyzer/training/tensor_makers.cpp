// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/tensor_makers.h"

#include <fmt/format.h>

#include <algorithm>
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

// What the frames of a location say, or those of a whole stack: it is that of its callers, unless
// the innermost location changes it. So one pass over the nodes, callers first, tells it of every
// stack, because many stacks have the same callers.
// Two bytes, because there are millions of nodes.
struct MakerSays {
    TrainingCode code : 5 = TrainingCode::none;  // that of the innermost known function
    bool is_in_backward : 1 = false;
    // The allocator of tensors calls no Python, so it is inside of all functions of Python.
    bool is_of_tensor : 1 = false;
    bool is_python : 1 = false;  // or an allocator of tensors: callers do not matter
    StepCalls calls;

    bool operator==(const MakerSays&) const = default;

    void add_caller(const MakerSays& caller) {
        if (*this == MakerSays()) {  // as most say
            *this = caller;
            return;
        }
        if (calls.are_of_closure(code, caller.code, caller.calls)) code = TrainingCode::closure;
        if (code == TrainingCode::none) code = caller.code;
        calls.add_caller(caller.calls);
        is_in_backward |= caller.is_in_backward;
        if (is_python) return;
        is_of_tensor = caller.is_of_tensor;
        is_python = caller.is_python;
    }
};

static_assert(sizeof(MakerSays) == 2);

MakerSays says_of(const FrameSays& frame) {
    MakerSays says;
    says.code = frame.code;
    says.is_in_backward = frame.code == TrainingCode::backward;
    says.is_of_tensor = frame.allocates_tensor;
    says.is_python = frame.is_python || frame.allocates_tensor;
    says.calls = frame.calls;
    return says;
}

class Look {
public:
    explicit Look(const Symbols& symbols) {
        const std::vector<MakerSays> locations = look_at_locations(symbols);
        const StackNodes& nodes = symbols.nodes;
        stacks_.resize(nodes.size());
        for (uint32_t node = 1; node < nodes.size(); ++node) {
            MakerSays says = locations[nodes.location_of(node)];
            says.add_caller(stacks_[nodes.parent(node)]);  // no_stack says nothing
            stacks_[node] = says;
        }
    }

    MadeTensors at_peak(const Space& space) const {
        MadeTensors made{.space = space.name};
        const bool has_tensors_only = is_tensor_space(space.name);
        for (size_t i = 0; i < space.sites.size(); ++i) {
            const MakerSays says = of_stack(space.sites.stack(i));
            if (!has_tensors_only && !says.is_of_tensor) continue;
            const uint64_t bytes = space.sites.totals(i).at_peak_bytes;
            if (bytes == 0) continue;
            made.bytes += bytes;
            made.by[static_cast<size_t>(maker(says.code, says.is_in_backward))] += bytes;
        }
        return made;
    }

private:
    static std::vector<MakerSays> look_at_locations(const Symbols& symbols) {
        const ModuleClasses classes = module_classes(symbols);
        std::vector<MakerSays> frames;
        frames.reserve(symbols.frames.size());
        for (const Frame& frame : symbols.frames) {
            frames.push_back(says_of(look_at(frame, classes)));
        }
        std::vector<MakerSays> locations(symbols.nodes.location_count());
        for (uint32_t location = 0; location < locations.size(); ++location) {
            MakerSays& says = locations[location];
            for (const FrameId id : symbols.frames_of_location(location)) {
                says.add_caller(frames[id]);
            }
        }
        return locations;
    }

    MakerSays of_stack(uint32_t stack) const {
        return stack < stacks_.size() ? stacks_[stack] : MakerSays{};
    }

    std::vector<MakerSays> stacks_;  // by node
};

}  // namespace

std::vector<MadeTensors> made_tensors(const Recording& recording) {
    std::vector<MadeTensors> found;
    if (recording.model.stacks.autograd_module == no_module) return found;
    const Look look(recording.symbols);
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
