// SPDX-License-Identifier: Apache-2.0
//
// A comparison as text. What differs in a space has a table, whose rows add up to the difference:
//
//   Peak of host: +57.7 MiB (+60,503,123 bytes), from 104.2 MiB to 161.9 MiB
//         CHANGE      BEFORE       AFTER    BLOCKS  YOUR LINES
//      +48.0 MiB           -    48.0 MiB      +120  nn/layers.py:88 Mlp.forward (new)
//       +9.6 MiB     1.2 MiB    10.8 MiB      +320  train.py:41 collate
//     +102.4 KiB   103.0 MiB   103.1 MiB        +3  12 lines more
//      +57.7 MiB   104.2 MiB   161.9 MiB      +443  in all
#pragma once

#include <string>

#include "analyzer/diff/diff.h"
#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

void write_diff(std::string& out, const Diff& diff, const TextOptions& options);

}  // namespace memtrace::analyzer
