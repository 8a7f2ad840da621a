// SPDX-License-Identifier: Apache-2.0
//
// A dump in words: every record of every lane, one line each, in the order in which it happened.
//
//   acquire lane=0 time=10 api=malloc stack=1 size=100 address=0x1000
//
// The same few lines print all records, through fields(). tests/tools/dump_from_text turns such
// lines into a dump again.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace memtrace::analyzer {

// Calls write(piece) with pieces of the text. Throws Error like load_dump(); damage is skipped
// here, because load_dump() reports it.
void write_dump_text(const std::string& path, const std::function<void(std::string_view)>& write);

}  // namespace memtrace::analyzer
