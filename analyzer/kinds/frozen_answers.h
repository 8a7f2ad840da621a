// SPDX-License-Identifier: Apache-2.0
//
// What a model answers without a graph, as a frozen teacher does, and what is computed of that:
// element by element, in parts of its size, or several of them as one. It is an activation only
// while a graph may have saved it. No graph does
//
//   - if the program subtracts it from what the model that learns answers,
//   - if cosine_similarity normalises it, which saves what comes of that,
//   - if the program reduces it, and the graph has nothing of its size,
//   - behind the backward pass that it was needed for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/kinds/life_facts.h"

namespace memtrace::analyzer {

class FrozenAnswers {
public:
    // `releases`: of releases_of_runs(). Both must outlive the object.
    FrozenAnswers(const LifeFacts& lives, const std::vector<uint64_t>& releases);

    // All by index into LifeFacts::all().
    bool contains(size_t life) const { return answers_[life].is_one; }
    // True if the program keeps it for longer than the backward pass needs it.
    bool is_kept(size_t life) const {
        return contains(life) && needed_until(life) != TensorLife::never;
    }
    // The same, and no graph saves it.
    bool is_unsaved(size_t life) const { return is_kept(life) && answers_[life].is_unsaved; }
    // The same, but nothing tells whether a graph saves it: the program reduces it, and the graph
    // has something of its size.
    bool is_doubtful(size_t life) const { return is_kept(life) && answers_[life].is_doubtful; }
    // When no graph needs it any more, in ns, if it was computed without one, by whatever, and the
    // program keeps it for longer; else TensorLife::never.
    uint64_t needed_until(size_t life) const { return answers_[life].until; }

private:
    struct Answer {
        uint64_t until = TensorLife::never;
        bool is_one = false;
        bool is_unsaved = false;
        bool is_doubtful = false;
    };
    using SizesOfRuns = std::set<std::pair<std::ptrdiff_t, uint64_t>>;

    uint64_t find_end(size_t i, const SizesOfRuns& gradients) const;

    const LifeFacts& lives_;
    const std::vector<uint64_t>& releases_;
    std::vector<Answer> answers_;
};

// Returns for each run when it gave back the last of what its graph had saved; 0: never, as far as
// it is known.
std::vector<uint64_t> releases_of_runs(const LifeFacts& lives);

}  // namespace memtrace::analyzer
