// SPDX-License-Identifier: Apache-2.0
//
// The process that the shim starts beside a program whose dump must stay small (option max_dump).
// It sleeps until the program asks (Control::compactions_asked), compacts the dump in a child of
// its own, so that its memory is small again afterwards, and ends when the program has ended.
//
//   the program ── asks, by a word in the dump ──► the helper ── fork ──► compact_live()
//
// The shim's words are "compact-beside DUMP MAX_BYTES". "compact-once DUMP MAX_BYTES [UNTIL_NS]"
// does one compaction, also of a dump whose program has ended.
#pragma once

#include <optional>

namespace memtrace::analyzer {

// Does what the words after the program's name say, and returns the exit code: 0; 1 after an error,
// which is printed; 3 if a compaction would not have been worth it. Nothing if they are none of
// those above.
std::optional<int> run_compact_helper(int count, const char* const* words);

}  // namespace memtrace::analyzer
