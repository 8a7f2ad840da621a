// SPDX-License-Identifier: Apache-2.0
//
// Compares a frame with the patterns of a filter. In all of them * is any text and ? any byte.
//
//   --function   the full name, the short name (short_name.h), or the last part of the short name:
//                "make" matches "Model::make(int)"
//   --module     a path, or the end of one from the beginning of one of its parts (matches_path());
//                without ".so" and what follows, too: "libtorch_cpu" matches
//                "/opt/libtorch_cpu.so.2"
//   --file       a path, or the end of one in the same way
#pragma once

#include <string_view>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

bool matches_function(std::string_view pattern, const Frame& frame);
bool matches_module(std::string_view pattern, const Frame& frame);
bool matches_file(std::string_view pattern, const Frame& frame);

}  // namespace memtrace::analyzer
