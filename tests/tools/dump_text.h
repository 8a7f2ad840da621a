// SPDX-License-Identifier: Apache-2.0
//
// The reverse of `memtrace-report text`: turns lines into a dump. So a test of the analyzer is a
// story of a dozen lines with the expected result in sight.
//
//   acquire lane=0 time=10 api=malloc stack=1 size=100 address=0x1000
//   release lane=0 time=20 api=free address=0x1000   # any order; missing ones: default
//   chunk lane=0                                        # puts the records so far into a chunk
//
// A record without lane= is about the process (lane_none). Numbers are decimal or 0x…. Texts stand
// in quotes, with \x00 escapes. Empty lines are skipped, and so is text after a # outside quotes.
#pragma once

#include <string_view>

#include "tests/tools/dump_builder.h"

namespace memtrace::test {

struct TextOptions {
    size_t chunk_records = 0;  // records per chunk of a lane; 0: until the ring is full
    size_t ring_records = 0;   // last records of each lane that stay in its ring, as if killed
    DumpBuilder::Settings settings = {};
};

// Reads the lines into a builder. Throws std::invalid_argument with the line that is wrong.
DumpBuilder build_from_text(std::string_view text, const TextOptions& options = {});

// Returns the same as a file: complete and ended, unless options leave records in the ring.
Bytes dump_from_text(std::string_view text, TextOptions options = {});

}  // namespace memtrace::test
