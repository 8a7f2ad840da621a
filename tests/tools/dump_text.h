// SPDX-License-Identifier: Apache-2.0
//
// The way back from `memtrace-report text`: lines to a dump, so that a test of the analyzer is a
// story of a dozen lines with the expected result in sight.
//
//   acquire lane=0 time=10 api=malloc stack=1 size=100 address=0x1000
//   release lane=0 time=20 api=free address=0x1000   # any order; missing ones: default
//   chunk lane=0                                        # what came so far goes into a chunk
//
// A record without lane= is about the process (lane_none). Numbers are decimal or 0x…, texts stand
// in quotes with \x00 escapes. Empty lines and what follows a # outside quotes are skipped.
#pragma once

#include <string_view>

#include "tests/tools/dump_builder.h"

namespace memtrace::test {

struct TextOptions {
    size_t chunk_records =
        0;  // A chunk for each so many records of a lane; 0: when the ring is full.
    size_t ring_records = 0;  // The last so many of each lane stay in its ring, as if killed.
    DumpBuilder::Settings settings = {};
};

// Reads the lines into a builder. Throws std::invalid_argument with the line that is wrong.
DumpBuilder build_from_text(std::string_view text, const TextOptions& options = {});

// The same, as a file: whole and ended, unless options say that something stays in the ring.
Bytes dump_from_text(std::string_view text, TextOptions options = {});

}  // namespace memtrace::test
