// SPDX-License-Identifier: Apache-2.0
//
// Copies that take the place of the weights: `p.data = copy`. Sharpness-aware minimisation does it
// in each step, a program that goes back to its best weights once. The weights are given back
// between two backward passes, and a copy of each of them, made before, stays. So does what the
// program computes instead of them: `p.data = p.data - change`.
//
//   weights ─────────────┐ given back
//      copies ───────────┴─ the weights from here on ──────────┐ given back
//                              copies ─────────────────────────┴─ …
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/kinds/life_facts.h"

namespace memtrace::analyzer {

// Returns for each of LifeFacts::all() when it took the place of a parameter, in ns;
// TensorLife::never: it did not.
std::vector<uint64_t> find_exchanged_weights(const LifeFacts& lives);

// Returns the sites, by space and number, of copies that are trained themselves, as those of a
// server's model by its clients: each is given back together with its gradient, or there are
// gradients for all of them at one moment.
std::set<std::pair<uint32_t, uint32_t>> find_trained_copies(const LifeFacts& lives);

// Returns for each of LifeFacts::all() 1 if it is a buffer that forward() replaces by a new tensor
// again and again, instead of changing it in place: `self.mean = 0.9 * self.mean + 0.1 * mean`. The
// first is made with the module, and each goes when the next is there.
std::vector<uint8_t> find_replaced_buffers(const LifeFacts& lives);

}  // namespace memtrace::analyzer
