// SPDX-License-Identifier: Apache-2.0
//
// Frames that stand for what autograd ran backward (FrameKind::backward), in words.
#pragma once

#include <string>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

inline constexpr const char* forward_not_recorded = "[forward not recorded]";

// Returns the forward function and the operation, without the place of either:
// "Net.forward (AddmmBackward0)".
std::string backward_function(const Frame& frame);

}  // namespace memtrace::analyzer
