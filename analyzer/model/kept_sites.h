// SPDX-License-Identifier: Apache-2.0
//
// Removes sites from a space, together with everything that refers to sites by their index.
#pragma once

#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

// Removes the sites of `space` for which `keep` is false. The figures of the space do not change.
// `space` is one of the model's, and `keep` has an entry for each of its sites.
void keep_sites(Model& model, Space& space, const std::vector<bool>& keep);

// True if nothing was acquired, released or held.
bool is_idle(const Totals& totals);

// Removes the idle sites, which a phase did not touch, and the spaces
// that are then empty.
void drop_idle_sites(Model& model);

}  // namespace memtrace::analyzer
