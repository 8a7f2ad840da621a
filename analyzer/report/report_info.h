// SPDX-License-Identifier: Apache-2.0
//
// The report `info`: what was recorded and how, without any call site.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

void write_info(std::string& out, const Recording& recording, const TextOptions& options);

}  // namespace memtrace::analyzer
