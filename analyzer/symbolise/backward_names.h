// SPDX-License-Identifier: Apache-2.0
//
// What autograd ran backward, for people: the operation by the class of its node, and the line that
// went forward. Of the forward stack that is the innermost function of Python that is not PyTorch's
// own; in a program without Python the innermost function that is not PyTorch's own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/model/symbols.h"
#include "analyzer/symbolise/symbol_options.h"

namespace memtrace::analyzer {

// "AddmmBackward0" of "vtable for torch::autograd::generated::AddmmBackward0".
std::string operation_of(const std::string& vtable);

// The names of the classes of tree.backwards, by the symbols of their vtables.
std::vector<std::string> find_operations(const StackTree& tree, const SymbolOptions& options);

// The frame that stands for each of tree.backwards. `operations` are their names; frames_of(node)
// gives the frames of a node of the tree that is none of these.
using FramesOfNode = std::function<std::vector<Frame>(uint32_t node)>;
std::vector<Frame> name_backwards(const StackTree& tree, const std::vector<std::string>& operations,
                                  const FramesOfNode& frames_of);

}  // namespace memtrace::analyzer
