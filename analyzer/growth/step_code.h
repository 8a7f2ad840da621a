// SPDX-License-Identifier: Apache-2.0
//
// Tells by the libraries in its stacks that a program does steps that go on for as long as it is
// allowed to: it trains a model, or answers requests. Memory that each of them keeps is a leak.
#pragma once

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

bool is_step_code(const Frame& frame);

}  // namespace memtrace::analyzer
