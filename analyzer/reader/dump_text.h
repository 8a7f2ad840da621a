// SPDX-License-Identifier: Apache-2.0
//
// Prints a dump as text: every record of every lane, one per line, in the order of their times.
//
//   acquire lane=0 time=10 api=malloc stack=1 size=100 address=0x1000
//
// The same few lines of code print all records, through fields(). tests/tools/dump_from_text turns
// such lines into a dump again.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace memtrace::analyzer {

// Calls write(piece) with pieces of the text. Throws Error like load_dump(). Damage is skipped
// here, because load_dump() reports it.
void write_dump_text(const std::string& path, const std::function<void(std::string_view)>& write);

}  // namespace memtrace::analyzer
