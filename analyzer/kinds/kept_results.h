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
// go forward with them, they may be saved for the backward pass after it. What the program itself
// computed and detached before the model goes forward is data, as pictures of an attack are.
//
// What a model answers without a graph, as a frozen teacher does, is an activation only while a
// graph may have saved it: not if the program subtracts it from what the model that learns answers,
// and not behind the backward pass.
//
// Snapshots are results, too: copies of the weights that a line makes again and again.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/kinds/life_facts.h"

namespace memtrace::analyzer {

class KeptResults {
public:
    // `rounds`: when each round of the training begins, in ns. Empty: not known. Both must outlive
    // the object.
    KeptResults(const LifeFacts& lives, const std::vector<uint64_t>& rounds);

    // Both by index into LifeFacts::all(). True if the tensor was computed outside of the graph.
    bool contains(size_t life) const { return results_[life] != 0; }
    // True if it is a copy, and its line makes copies between different backward passes, or such a
    // copy takes its place. A copy that is made once may be the begin of an average, which is a
    // state.
    bool is_snapshot(size_t life) const { return snapshots_[life] != 0; }
    // True if it was made behind a backward pass of its round.
    bool is_after_pass(const TensorLife& life) const;
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

    // True if a model answered it without a graph, and the program keeps it for longer than the
    // backward pass needs it.
    bool is_answer(size_t life) const { return answers_[life].until != TensorLife::never; }
    // The same, and no graph saves it.
    bool is_unsaved_answer(size_t life) const {
        return is_answer(life) && answers_[life].is_unsaved;
    }
    // When no graph needs it any more, in ns; TensorLife::never: it is no answer.
    uint64_t answer_until(size_t life) const { return answers_[life].until; }

private:
    struct Answer {
        uint64_t until = TensorLife::never;
        bool is_unsaved = false;
    };
    static std::vector<Answer> find_answers(const LifeFacts& lives);

    const LifeFacts& lives_;
    const std::vector<uint64_t>& rounds_;
    std::vector<uint8_t> results_;
    std::vector<Detached> outlive_graph_;
    std::vector<uint8_t> snapshots_;
    std::vector<Answer> answers_;
};

}  // namespace memtrace::analyzer
