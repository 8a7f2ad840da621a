// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/training_modules.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "analyzer/kinds/frame_says.h"

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

// True if a method of this recording has its class in its name, so a "forward" without one is a
// plain function. Where the version is not known, any name with an owner shows it.
bool names_classes(const Model& model, const Symbols& symbols) {
    constexpr uint64_t first_version = 0x030b0000;  // 3.11, as PY_VERSION_HEX
    const auto& python = model.capture.python;
    if (python && python->version != 0) return python->version >= first_version;
    return std::any_of(symbols.frames.begin(), symbols.frames.end(), [](const Frame& frame) {
        return frame.kind == FrameKind::python && !method_of(frame).owner.empty();
    });
}

// The classes in all stacks. Callers have smaller numbers than what they call, and so have stacks
// that went forward than those that go backward through them: one look at each node is enough.
class StackClasses {
public:
    // `of_frames`: the class of each frame, or no_class. Both must outlive the constructor.
    StackClasses(const Symbols& symbols, const std::vector<uint32_t>& of_frames, size_t classes)
        : next_(symbols.nodes.size(), no_stack), backward_(symbols.nodes.size(), no_stack) {
        for (uint32_t node = 1; node < next_.size(); ++node) {
            next_[node] = symbols.nodes.parent(node);
            backward_[node] = backward_[next_[node]];
            const auto forward = symbols.forwards.find(node);
            if (forward == symbols.forwards.end()) continue;
            next_[node] = forward->second < node ? forward->second : no_stack;
            backward_[node] = node;
        }
        // A class with other modules inside is in a stack outside of theirs.
        std::vector<bool> has_inside(classes);
        innermost_ = look(symbols, of_frames, [&](uint32_t at, uint32_t outside) {
            if (outside != no_class && outside != at) has_inside[outside] = true;
            return at;
        });
        blocks_ = look(symbols, of_frames, [&](uint32_t at, uint32_t outside) {
            return has_inside[at] ? at : outside;
        });
    }

    // Returns the innermost class with others inside, or else the innermost class.
    uint32_t of(uint32_t stack) const {
        if (stack >= next_.size()) return no_class;
        const uint32_t from = backward_[stack] != no_stack ? backward_[stack] : stack;
        return blocks_[from] != no_class ? blocks_[from] : innermost_[from];
    }

private:
    // Returns choose(class, that of its callers) for each node, or the class of its callers.
    std::vector<uint32_t> look(const Symbols& symbols, const std::vector<uint32_t>& of_frames,
                               auto&& choose) const {
        std::vector<uint32_t> chosen(next_.size(), no_class);
        for (uint32_t node = 1; node < chosen.size(); ++node) {
            chosen[node] = chosen[next_[node]];
            if (backward_[node] == node) continue;  // no function of the program
            const std::span<const FrameId> frames = symbols.frames_of(node);
            for (size_t i = frames.size(); i-- > 0;) {
                const uint32_t at = of_frames[frames[i]];
                if (at != no_class) chosen[node] = choose(at, chosen[node]);
            }
        }
        return chosen;
    }

    std::vector<uint32_t> next_;      // by node: its caller, or the stack that went forward
    std::vector<uint32_t> backward_;  // by node: the innermost backward node of its stack
    std::vector<uint32_t> innermost_;
    std::vector<uint32_t> blocks_;
};

}  // namespace

TrainingModules::TrainingModules(const Model& model, const Symbols& symbols)
    : of_numbers_(model.spaces.size()) {
    // The classes that go forward, and of each frame its class.
    std::map<std::pair<std::string_view, std::string_view>, uint32_t> numbers;
    const bool is_named = names_classes(model, symbols);
    for (const Frame& frame : symbols.frames) {
        if (frame.kind != FrameKind::python || is_container(frame)) continue;
        const MethodName method = method_of(frame);
        if (method.name != "forward") continue;
        has_methods_ = has_methods_ || !is_named;
        if (method.owner.empty()) continue;
        const auto number = static_cast<uint32_t>(classes_.size());
        if (!numbers.try_emplace({frame.file, method.owner}, number).second) continue;
        classes_.push_back({std::string(short_name(method.owner)), frame.file});
    }
    if (classes_.empty()) return;
    of_frames_.resize(symbols.frames.size(), no_class);
    for (size_t i = 0; i < symbols.frames.size(); ++i) {
        const Frame& frame = symbols.frames[i];
        if (frame.kind != FrameKind::python) continue;
        const MethodName method = method_of(frame);
        if (method.name != "forward" && method.name != "__init__") continue;
        const auto found = numbers.find({frame.file, method.owner});
        if (found != numbers.end()) of_frames_[i] = found->second;
    }
    const StackClasses stacks(symbols, of_frames_, classes_.size());
    for (size_t s = 0; s < model.spaces.size(); ++s) {
        const Space& space = model.spaces[s];
        for (size_t i = 0; i < space.sites.size() && i < space.numbers.size(); ++i) {
            const uint32_t chosen = stacks.of(space.sites.stack(i));
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

std::optional<uint32_t> TrainingModules::class_of(FrameId frame) const {
    if (frame >= of_frames_.size() || of_frames_[frame] == none) return std::nullopt;
    return of_frames_[frame];
}

}  // namespace memtrace::analyzer
