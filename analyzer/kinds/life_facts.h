// SPDX-License-Identifier: Apache-2.0
//
// The lives of tensors beside the runs of the backward pass and what their stacks say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/kinds/site_facts.h"
#include "analyzer/model/tensor_lives.h"

namespace memtrace::analyzer {

class LifeFacts {
public:
    // All must outlive the object. `space_of`: index in the model of each of TensorLives::spaces.
    LifeFacts(const TensorLives& tensors, const TrainingSites& sites,
              const std::vector<size_t>& space_of);

    // With the bytes that were probably asked for: a caching allocator may give a larger block.
    const std::vector<TensorLife>& all() const { return asked_.empty() ? tensors_.lives : asked_; }
    // Blocks that are no tensors, and tell of the training.
    const std::vector<TensorLife>& others() const { return tensors_.others; }
    // True if it lies in memory of PyTorch's caching allocator.
    bool is_on_device(const TensorLife& life) const {
        return is_tensor_space(tensors_.spaces[life.space]);
    }
    bool are_all_followed() const { return tensors_.left_out == 0; }
    const std::vector<BackwardRun>& runs() const { return tensors_.runs; }
    const TrainingSites& sites() const { return sites_; }
    const SiteFacts& facts(const TensorLife& life) const;

    // The run that the moment lies in, or the last before it; -1: none.
    std::ptrdiff_t run_at(uint64_t time) const;
    bool is_in(std::ptrdiff_t run, uint64_t time) const;
    // True if it is there behind the run; of a run that keeps its graph, as those of torch.func do,
    // behind that, because the graph holds whatever it was computed from.
    bool outlives(const TensorLife& life, std::ptrdiff_t run) const;
    // True if the block is still there when the run after the moment of its birth begins, or the
    // one `more` later. Without such a run: if it is alive at the end.
    bool lives_into_next_run(const TensorLife& life, std::ptrdiff_t run, size_t more = 1) const;
    // True if it is still there two runs later, or in the next one if that is the last.
    bool stays(const TensorLife& life, std::ptrdiff_t run) const;

    // True if a module makes or moves it.
    static bool is_made_by_module(const SiteFacts& facts);
    // Momentum and averages begin with zeros or with copies. Random numbers are data.
    bool is_like_state(const TensorLife& life) const;
    // Computed between two backward passes, and not for the graph.
    bool is_computed_aside(const TensorLife& life, std::ptrdiff_t run) const;

private:
    void find_ends_of_graphs();
    uint64_t end_of_graph(size_t run) const;

    const TensorLives& tensors_;
    const TrainingSites& sites_;
    const std::vector<size_t>& space_of_;
    std::vector<TensorLife> asked_;         // empty: as they are in tensors_
    std::vector<uint64_t> ends_of_graphs_;  // by run; 0: it keeps none
};

}  // namespace memtrace::analyzer
