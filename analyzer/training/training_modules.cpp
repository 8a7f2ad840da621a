// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/training_modules.h"

#include <map>
#include <string_view>
#include <utility>

#include "analyzer/training/method_name.h"

namespace memtrace::analyzer {
namespace {

constexpr uint32_t no_class = 0xffffffff;

// A class that a function makes has the function in its name: "make.<locals>.Block".
std::string_view short_name(std::string_view owner) {
    constexpr std::string_view local = "<locals>.";
    const size_t place = owner.rfind(local);
    return place == std::string_view::npos ? owner : owner.substr(place + local.size());
}

// Sequential and its like say nothing of what they are for.
bool is_container(const Frame& frame) {
    return frame.file.ends_with("/torch/nn/modules/container.py") ||
           frame.file.ends_with("/torch/nn/parallel/distributed.py");
}

}  // namespace

TrainingModules::TrainingModules(const Model& model, const Symbols& symbols)
    : of_numbers_(model.spaces.size()) {
    // The classes that go forward, and of each frame its class.
    std::map<std::pair<std::string_view, std::string_view>, uint32_t> numbers;
    for (const Frame& frame : symbols.frames) {
        if (frame.kind != FrameKind::python || is_container(frame)) continue;
        const MethodName method = method_of(frame);
        if (method.name != "forward") continue;
        has_methods_ = true;
        if (method.owner.empty()) continue;
        const auto number = static_cast<uint32_t>(classes_.size());
        if (!numbers.try_emplace({frame.file, method.owner}, number).second) continue;
        classes_.push_back({std::string(short_name(method.owner)), frame.file});
    }
    if (classes_.empty()) return;
    std::vector<uint32_t> of_frames(symbols.frames.size(), no_class);
    for (size_t i = 0; i < symbols.frames.size(); ++i) {
        const Frame& frame = symbols.frames[i];
        if (frame.kind != FrameKind::python) continue;
        const MethodName method = method_of(frame);
        if (method.name != "forward" && method.name != "__init__") continue;
        const auto found = numbers.find({frame.file, method.owner});
        if (found != numbers.end()) of_frames[i] = found->second;
    }
    // A class with other modules inside is in a stack outside of theirs.
    std::vector<bool> has_inside(classes_.size());
    const auto walk = [&](uint32_t stack, auto&& each) {
        if (symbols.backward_of(stack)) {
            symbols.walk_forward(stack, each);
        } else {
            symbols.walk(stack, each);
        }
    };
    for (const Space& space : model.spaces) {
        for (size_t i = 0; i < space.sites.size(); ++i) {
            uint32_t inner = no_class;
            walk(space.sites.stack(i), [&](FrameId id) {
                const uint32_t at = of_frames[id];
                if (at == no_class) return;
                if (inner != no_class && inner != at) has_inside[at] = true;
                inner = at;
            });
        }
    }
    for (size_t s = 0; s < model.spaces.size(); ++s) {
        const Space& space = model.spaces[s];
        for (size_t i = 0; i < space.sites.size() && i < space.numbers.size(); ++i) {
            uint32_t chosen = no_class;
            walk(space.sites.stack(i), [&](FrameId id) {
                const uint32_t at = of_frames[id];
                if (at == no_class) return;
                if (chosen == no_class || (!has_inside[chosen] && has_inside[at])) chosen = at;
            });
            if (chosen == no_class) continue;
            const uint32_t number = space.numbers[i];
            std::vector<uint32_t>& of_space = of_numbers_[s];
            if (number >= of_space.size()) of_space.resize(number + 1, none);
            of_space[number] = chosen;
        }
    }
}

std::optional<uint32_t> TrainingModules::of(size_t space, uint32_t number) const {
    if (space >= of_numbers_.size() || number >= of_numbers_[space].size()) return std::nullopt;
    const uint32_t found = of_numbers_[space][number];
    if (found == none) return std::nullopt;
    return found;
}

}  // namespace memtrace::analyzer
