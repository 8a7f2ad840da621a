// SPDX-License-Identifier: Apache-2.0
//
// What made the tensors that are held when a space is at its peak: forward pass, backward pass,
// optimiser, … Stacks alone tell it, so any pass over the dump is enough. Kinds (tensor_kinds.h)
// need lives as well: a part of what the backward pass made is gradients, and the rest is brief.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/json_text.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

enum class TensorMaker : uint8_t {
#define MEMTRACE_TENSOR_MAKER(word, name) word,
#include "analyzer/training/tensor_makers.def"
    count,
};

// Bytes of a space's tensors at its peak.
struct MadeTensors {
    std::string space;
    uint64_t bytes = 0;
    std::array<uint64_t, static_cast<size_t>(TensorMaker::count)> by{};
};

// Returns the spaces that hold tensors of PyTorch at their peak; none if the recording is not of a
// program that has its engine of autograd.
std::vector<MadeTensors> made_tensors(const Recording& recording);

// Returns "tensors in host at its peak: 18.9 MiB, made by the forward pass 11.1 MiB, …", the most
// bytes first.
std::string made_text(const MadeTensors& made);

Json made_json(const std::vector<MadeTensors>& made);

}  // namespace memtrace::analyzer
