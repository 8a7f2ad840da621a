// SPDX-License-Identifier: Apache-2.0
//
// Which acquisitions of a run are tensors, and which stage of a training made them. The stacks of
// an earlier pass tell it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/model/tensor_lives.h"

namespace memtrace::analyzer {

struct SiteRole {
    bool is_tensor = false;
    bool is_other = false;    // no tensor, and followed all the same (TensorLives::others)
    bool has_python = false;  // Python's functions are in the stack
    TrainingStage stage = TrainingStage::none;
};

struct TensorRequest {
    // By space and number of the site in the replay. Other spaces and sites have no role.
    std::map<std::string, std::vector<SiteRole>> sites;

    bool is_empty() const { return sites.empty(); }
};

}  // namespace memtrace::analyzer
