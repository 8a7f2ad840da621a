// SPDX-License-Identifier: Apache-2.0
//
// The table of the user's own lines, with which reports begin (own_lines.h): a row for each line,
// a column for each figure of a space. Imports, and libraries in one row, stand below the lines.
// Each column adds up to the total of its space.
//
//   YOUR LINES                            AT PEAK       HELD
//   train.py:41 train_step              200.0 MiB          -
//   backward of net.py:42 Net.forward     1.6 MiB          -
//   12 lines more                       700.5 KiB  102.0 KiB
//   import torch (train.py:3)            79.8 MiB   79.8 MiB
//   interpreter, threads, libraries      24.6 MiB   20.2 MiB
//   in all                              306.7 MiB  100.1 MiB
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"
#include "analyzer/sites/own_lines.h"

namespace memtrace::analyzer {

// Selects the figures of each space: both amounts, or one of them with its blocks.
enum class OwnFigures : uint8_t { peak_and_held, peak, held };

// Appends nothing if no space that is shown ever held memory.
void write_own_lines(std::string& out, const Recording& recording, const OwnLines& lines,
                     OwnFigures figures, const TextOptions& options);

// Returns a row as the table shows it, in at most `room` columns.
std::string own_row_text(const Symbols& symbols, const OwnRow& row, size_t room);

}  // namespace memtrace::analyzer
