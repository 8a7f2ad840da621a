// SPDX-License-Identifier: Apache-2.0
//
// Results that a program keeps while it trains: predictions and losses for a metric, features,
// outputs of a validation. Some are computed outside of the graph, after the model went forward or
// backward in their round, and outlive the next round. What is computed before that is data.
//
//   round ├ input … forward … [result] … backward … step … [result] ┤ round ├ …
//
// Others were computed in the graph and outlive it, because detach() copies nothing. They are
// activations first, and results when their node of the graph is gone; but as long as the model may
// go forward with them, they may be saved for the backward pass after it, unless it first computes
// something of their size from them, which is given back in the pass. What the program itself
// computed and detached before the model goes forward is data, as pictures of an attack are.
//
// Snapshots are results, too: copies of the weights that a line makes again and again.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/kinds/life_facts.h"
#include "analyzer/kinds/training_rounds.h"

namespace memtrace::analyzer {

class KeptResults {
public:
    // `releases`: of releases_of_runs(). All must outlive the object.
    KeptResults(const LifeFacts& lives, const TrainingRounds& rounds,
                const std::vector<uint64_t>& releases);

    // Both by index into LifeFacts::all(). True if the tensor was computed outside of the graph.
    bool contains(size_t life) const { return results_[life] != 0; }
    // True if it is a copy, and its line makes copies between different backward passes, or such a
    // copy takes its place. A copy that is made once may be the begin of an average, which is a
    // state.
    bool is_snapshot(size_t life) const { return snapshots_[life] != 0; }
    // When a graph has it saved, in ns, if a loss of a later round compares what the model answers
    // with it: nothing else of its size is there. nullptr: none does.
    struct Compared {
        uint64_t from = 0, until = 0;
    };
    const Compared* compared(size_t life) const {
        const auto found = compared_.find(life);
        return found == compared_.end() ? nullptr : &found->second;
    }
    // True if it outlives the round of the first backward pass and the next one, or rounds are not
    // known.
    bool outlives_first_rounds(const TensorLife& life) const;
    // What became of a tensor that outlives its graph, and when, in ns; TensorLife::never: it does
    // not.
    struct Detached {
        uint64_t from = TensorLife::never;
        bool is_data = false;
    };
    const std::vector<Detached>& outlive_graph() const { return outlive_graph_; }

private:
    const LifeFacts& lives_;
    const TrainingRounds& rounds_;
    std::vector<uint8_t> results_;
    std::vector<Detached> outlive_graph_;
    std::vector<uint8_t> snapshots_;
    std::map<size_t, Compared> compared_;
};

// Returns for each of LifeFacts::all() that the graph recorded when the node of its operation died;
// 0: not known. The node is made first, in the same call.
std::vector<uint64_t> deaths_of_nodes(const LifeFacts& lives);

}  // namespace memtrace::analyzer
