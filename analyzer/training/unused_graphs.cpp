// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/unused_graphs.h"

#include <algorithm>
#include <vector>

#include "analyzer/kinds/kept_results.h"
#include "analyzer/kinds/model_shape.h"

namespace memtrace::analyzer {
namespace {

class Finder {
public:
    explicit Finder(const LifeFacts& lives) : lives_(lives), nodes_(deaths_of_nodes(lives)) {}

    UnusedGraphs run() {
        UnusedGraphs found;
        AliveAtOnce alive(1);
        uint64_t last = 0;  // when the last of those before died
        for (size_t i = 0; i < lives_.all().size(); ++i) {
            if (!is_unused(i)) continue;
            const TensorLife& life = lives_.all()[i];
            alive.add(life);
            found.bytes = std::max(found.bytes, alive.size().bytes);
            if (found.times == 0 || life.born > last) found.times += 1;
            last = std::max(last, life.died);
            found.by_site[{life.space, life.site}] += life.bytes;
        }
        return found;
    }

private:
    // True if the tensor dies together with its graph, and that before the next backward pass.
    bool is_unused(size_t i) const {
        const TensorLife& life = lives_.all()[i];
        const SiteFacts& facts = lives_.facts(life);
        if (facts.is_in_backward || !facts.is_recorded.value_or(false)) return false;
        const auto next = static_cast<size_t>(lives_.run_at(life.born) + 1);
        const uint64_t until =
            next < lives_.runs().size() ? lives_.runs()[next].begin : TensorLife::never;
        return nodes_[i] != 0 && nodes_[i] < until && life.died <= nodes_[i] &&
               !is_made_between(life.died, nodes_[i]);
    }

    // What nothing saves dies earlier, while the program goes on to compute.
    bool is_made_between(uint64_t from, uint64_t until) const {
        const auto next = std::upper_bound(
            lives_.all().begin(), lives_.all().end(), from,
            [](uint64_t time, const TensorLife& life) { return time < life.born; });
        return next != lives_.all().end() && next->born < until;
    }

    const LifeFacts& lives_;
    const std::vector<uint64_t> nodes_;
};

}  // namespace

UnusedGraphs find_unused_graphs(const LifeFacts& lives) {
    return lives.are_all_followed() ? Finder(lives).run() : UnusedGraphs{};
}

}  // namespace memtrace::analyzer
