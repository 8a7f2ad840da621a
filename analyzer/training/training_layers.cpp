// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/training_layers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analyzer/kinds/frame_says.h"

namespace memtrace::analyzer {
namespace {

// A class, and the calls from its method inward, as one number.
using Inside = std::pair<uint32_t, uint64_t>;

// The methods of modules in a stack.
class Methods {
public:
    Methods(const Symbols& symbols, const TrainingModules& modules, const MayRepeat& may_repeat)
        : symbols_(symbols),
          modules_(modules),
          may_repeat_(may_repeat),
          repeated_(symbols.frames.size()) {}

    // Those that run once for each time that the stack is met: what is inside of them is in no
    // loop.
    std::vector<Inside> making(uint32_t stack) {
        std::vector<Inside> found;
        walk(stack, [&](FrameId id, uint64_t inside) {
            if (repeats(id)) return false;
            add(found, id, "__init__", inside);
            return true;
        });
        return found;
    }
    std::vector<Inside> going_forward(uint32_t stack) {
        std::vector<Inside> found;
        walk(stack, [&](FrameId id, uint64_t inside) {
            add(found, id, "forward", inside);
            return true;
        });
        return found;
    }

private:
    void add(std::vector<Inside>& found, FrameId id, std::string_view method, uint64_t inside) {
        const auto module = modules_.class_of(id);
        if (module && method_of(symbols_.frames[id]).name == method)
            found.emplace_back(*module, inside);
    }

    // Calls each(frame, the calls from there inward) for Python's, from the innermost one on, until
    // it returns false.
    void walk(uint32_t stack, auto&& each) {
        uint64_t inside = 0;
        for (; symbols_.has(stack); stack = symbols_.nodes.parent(stack)) {
            for (const FrameId id : symbols_.frames_of(stack)) {
                constexpr uint64_t prime = 0x100000001b3;
                inside = (inside ^ (uint64_t{id} + 1)) * prime;
                if (symbols_.frames[id].kind == FrameKind::python && !each(id, inside)) return;
            }
        }
    }

    bool repeats(FrameId id) {
        std::optional<bool>& known = repeated_[id];
        if (!known) known = may_repeat_(symbols_.frames[id]);
        return *known;
    }

    const Symbols& symbols_;
    const TrainingModules& modules_;
    const MayRepeat& may_repeat_;
    std::vector<std::optional<bool>> repeated_;  // by frame
};

// Tensors that one line of a class makes while its modules are made.
class MadeAtLine {
public:
    void add(const TensorLife& life) {
        lives_.push_back(life);
        sizes_.insert(life.bytes);
    }
    bool has_size_in(const std::set<uint64_t>& sizes) const {
        return std::any_of(sizes_.begin(), sizes_.end(),
                           [&](uint64_t bytes) { return sizes.contains(bytes); });
    }

    // How many there are. If none is left, they were moved to a device: then it is how many there
    // have been, if all of these were there at one moment.
    uint64_t number_at(uint64_t time) const {
        const auto alive = static_cast<uint64_t>(
            std::count_if(lives_.begin(), lives_.end(),
                          [time](const TensorLife& life) { return life.is_alive_at(time); }));
        if (alive != 0) return alive;
        const uint64_t last = lives_.back().born;
        const bool were_together =
            std::all_of(lives_.begin(), lives_.end(),
                        [last](const TensorLife& life) { return life.died > last; });
        return were_together ? lives_.size() : 0;
    }

private:
    std::vector<TensorLife> lives_;  // in the order of their births
    std::set<uint64_t> sizes_;
};

class Counter {
public:
    Counter(const TensorLives& tensors, const std::vector<size_t>& space_of,
            const TrainingSites& sites)
        : tensors_(tensors), space_of_(space_of), sites_(sites) {}

    // `stacks`: of sites, by index of the space in the model and number.
    void run(const std::vector<std::vector<uint32_t>>& stacks, Methods& methods) {
        std::map<uint32_t, std::vector<Inside>> making, forward;  // by stack
        std::map<Inside, uint64_t> in_run;
        size_t run = 0;
        for (const TensorLife& life : tensors_.lives) {
            const size_t space = space_of_[life.space];
            const SiteFacts& facts = sites_.of(space, life.site);
            const uint32_t stack = life.site < stacks[space].size() ? stacks[space][life.site] : 0;
            if (stack == 0) continue;
            if (facts.is_in_init && facts.is_made) {
                const auto [at, is_new] = making.try_emplace(stack);
                if (is_new) at->second = methods.making(stack);
                for (const Inside& inside : at->second) made_[inside].add(life);
            }
            if (facts.is_copied && !facts.is_in_backward) copied_.insert(life.bytes);
            if (!facts.is_recorded.value_or(false) || facts.is_in_backward) continue;
            for (; run < tensors_.runs.size() && tensors_.runs[run].begin <= life.born; ++run)
                add_calls(std::exchange(in_run, {}));
            const auto [at, is_new] = forward.try_emplace(stack);
            if (is_new) at->second = methods.going_forward(stack);
            for (const Inside& inside : at->second) ++in_run[inside];
        }
        add_calls(in_run);
    }

    // A copied layer runs no __init__. Copies of a whole model go forward for themselves, so what
    // goes forward more often than it was made has copied layers, or goes forward several times.
    std::vector<uint64_t> numbers(size_t classes, uint64_t time) const {
        std::vector<uint64_t> numbers(classes);
        std::vector<bool> may_be_copied(classes);
        for (const auto& [inside, made] : made_) {
            uint64_t& number = numbers[inside.first];
            number = std::max(number, made.number_at(time));
            if (made.has_size_in(copied_)) may_be_copied[inside.first] = true;
        }
        for (size_t i = 0; i < classes; ++i) {
            const auto calls = calls_.find(static_cast<uint32_t>(i));
            if (may_be_copied[i] && calls != calls_.end() && calls->second > numbers[i])
                numbers[i] = 0;
        }
        return numbers;
    }

private:
    // `in_run`: tensors that forward passes made before one backward pass. Most calls of a class
    // are met once in its forward(). Two layers of one Sequential have the same calls, and an
    // operation under a condition has fewer, so the middle one of them all tells.
    void add_calls(const std::map<Inside, uint64_t>& in_run) {
        std::map<uint32_t, std::vector<uint64_t>> by_class;
        for (const auto& [inside, count] : in_run) by_class[inside.first].push_back(count);
        for (auto& [module, counts] : by_class) {
            const auto middle = counts.begin() + static_cast<ptrdiff_t>((counts.size() - 1) / 2);
            std::nth_element(counts.begin(), middle, counts.end());
            calls_[module] = std::max(calls_[module], *middle);
        }
    }

    const TensorLives& tensors_;
    const std::vector<size_t>& space_of_;
    const TrainingSites& sites_;
    std::map<Inside, MadeAtLine> made_;
    std::set<uint64_t> copied_;           // sizes
    std::map<uint32_t, uint64_t> calls_;  // of forward() before one backward pass, the most
};

std::vector<std::vector<uint32_t>> stacks_of_sites(const Model& model) {
    std::vector<std::vector<uint32_t>> stacks(model.spaces.size());
    for (size_t s = 0; s < model.spaces.size(); ++s) {
        const Space& space = model.spaces[s];
        for (size_t i = 0; i < space.sites.size() && i < space.numbers.size(); ++i) {
            const uint32_t number = space.numbers[i];
            if (number >= stacks[s].size()) stacks[s].resize(number + 1);
            stacks[s][number] = space.sites.stack(i);
        }
    }
    return stacks;
}

}  // namespace

std::vector<uint64_t> count_layers(const Model& model, const Symbols& symbols,
                                   const TensorLives& tensors, const std::vector<size_t>& space_of,
                                   const TrainingSites& sites, const TrainingModules& modules,
                                   uint64_t time_ns, const MayRepeat& may_repeat) {
    if (tensors.left_out != 0) return std::vector<uint64_t>(modules.classes().size());
    Methods methods(symbols, modules, may_repeat);
    Counter counter(tensors, space_of, sites);
    counter.run(stacks_of_sites(model), methods);
    return counter.numbers(modules.classes().size(), time_ns);
}

}  // namespace memtrace::analyzer
