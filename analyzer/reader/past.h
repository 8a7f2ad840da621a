// SPDX-License-Identifier: Apache-2.0
//
// The section `past` of a dump that was compacted (format.h): which events are gone, and what they
// amounted to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/reader/dump_file.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

struct Past {
    uint64_t key = 0;             // of the newest event that is gone
    std::vector<PastLane> lanes;  // all lanes, in the order of DumpIndex::lanes
    std::string_view packed;      // in the file, or in what write_past() is given
    uint64_t raw_bytes = 0;
};

// Reads the payload of a section whose header is sound and lies before `limit`. Returns the fault,
// or nullptr.
const char* read_past(const DumpFile& file, uint64_t offset, const SectionHeader& header,
                      uint64_t limit, Past& past);

// Returns the section as it is stored: header, payload, padding.
std::string write_past(const Past& past);

// What was packed, as it was before. Throws Error, with the path, if it cannot be unpacked.
std::string unpack_state(const Past& past, const std::string& path);
std::string pack_state(std::string_view state);

// True if the file is a dump that was compacted. False also if it cannot be opened, and of a pipe,
// which must not be read from here.
bool is_compacted(const std::string& path);

// For readers that need all events: throws Error if the dump was compacted. `why` is the end of the
// sentence.
void refuse_compacted(const DumpFile& file, const char* why);

}  // namespace memtrace::analyzer
