// SPDX-License-Identifier: Apache-2.0
//
// Names what autograd ran backward: the operation by the class of its node, and the line that went
// forward. That line is the innermost Python function of the forward stack that is not PyTorch's
// own. In a program without Python it is the innermost function that is not PyTorch's own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/model/symbols.h"
#include "analyzer/symbolise/symbol_options.h"

namespace memtrace::analyzer {

// Returns the name of the class, for example "AddmmBackward0" for
// "vtable for torch::autograd::generated::AddmmBackward0".
std::string operation_of(const std::string& vtable);

// Returns the names of the classes of tree.backwards, found by the symbols of their vtables.
std::vector<std::string> find_operations(const StackTree& tree, const SymbolOptions& options);

// Returns a frame for each element of tree.backwards. `operations` contains the names of their
// classes. frames_of(node) returns the frames of a node that stands for no element of
// tree.backwards.
using FramesOfNode = std::function<std::vector<const Frame*>(uint32_t node)>;
std::vector<Frame> name_backwards(const StackTree& tree, const std::vector<std::string>& operations,
                                  const FramesOfNode& frames_of);

}  // namespace memtrace::analyzer
