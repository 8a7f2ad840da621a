// SPDX-License-Identifier: Apache-2.0
//
// A comparison as one JSON document: the totals of both recordings, and each line and each call
// site with the figures of both. A side that does not have it is null.
#pragma once

#include <functional>
#include <string_view>

#include "analyzer/diff/diff.h"

namespace memtrace::analyzer {

void write_diff_json(const Diff& diff, const std::function<void(std::string_view)>& write);

}  // namespace memtrace::analyzer
