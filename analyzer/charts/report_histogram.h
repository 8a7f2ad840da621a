// SPDX-License-Identifier: Apache-2.0
//
// The report `histogram`: the blocks of each space by their size, and by how long they lived.
//
//   SIZE         BLOCKS      BYTES    ALIVE                      MOSTLY
//   8-15 B        1,234   14.5 KiB   12.0 %  ███████▒            72.0 % train.py:41 step
//   16-31 B         345    8.1 KiB        -  ██                  100.0 % net.py:42 Net.forward
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

void write_histogram(std::string& out, const Recording& recording, const TextOptions& options,
                     bool utf8);

// Returns a member of a JSON object, without its brackets: an entry for each space.
std::string histogram_json(const Recording& recording);

}  // namespace memtrace::analyzer
