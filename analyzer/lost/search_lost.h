// SPDX-License-Identifier: Apache-2.0
//
// The reporter's half of a search for lost blocks. The shim starts it (preload/lost), with a copy
// of the process that stands still:
//
//   dump ─► live blocks and mappings at the moment of the copy ┐
//   copy ─► roots ─► pointers ─► blocks ─► pointers ─► …       ┴► what is lost ─► LostRequest
#pragma once

#include <cstdint>
#include <string>

namespace memtrace::analyzer {

// The word with which the shim starts the reporter: `memtrace-report search-lost PID DUMP FD`.
inline constexpr const char* search_lost_word = "search-lost";

// Searches the copy `pid` of the process that writes `dump`, and answers the request in the memory
// file behind the descriptor. Returns the exit code. A failure is a part of the answer.
int search_lost(uint64_t pid, const std::string& dump, int descriptor);

// The same for main(): the words behind search_lost_word.
int run_search_lost(int count, const char* const* words);

}  // namespace memtrace::analyzer
