// SPDX-License-Identifier: Apache-2.0
//
// A profile in one line: what is in the file, and how exact it is.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

std::string profile_sentence(const Recording& profile, const std::string& path, uint64_t bytes);

}  // namespace memtrace::analyzer
