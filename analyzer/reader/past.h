// SPDX-License-Identifier: Apache-2.0
//
// The section `past` of a dump that was compacted (format.h): which events are gone, and what they
// amounted to. The dump may be a file at rest, where `past` is the first section, or that of a
// program that goes on writing, where Control::newest_past names it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/error.h"
#include "analyzer/reader/dump_file.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

struct Past {
    uint64_t key = 0;             // of the newest event that the state has
    std::vector<PastLane> lanes;  // all lanes, in the order of DumpIndex::lanes
    std::vector<PastGone> gone;   // by place, not overlapping
    uint64_t raw_bytes = 0;       // of the state
    uint64_t packed_at = 0;       // the packed state, as an offset in the file
    uint64_t packed_bytes = 0;
};

// Reads the payload of a section whose header is sound and lies before `limit`. Returns the fault,
// or nullptr.
const char* read_past(const DumpFile& file, uint64_t offset, const SectionHeader& header,
                      uint64_t limit, Past& past);

// Returns where the section is that a running program's dump was compacted to, in bytes from the
// start of the file; 0: there is none. It changes while the program runs.
uint64_t newest_past(const DumpFile& file);
// The same of a file by its path; 0 also if it cannot be read.
uint64_t newest_past(const std::string& path);

// Reads the section at newest_past(). Reports the fault, if it has one.
std::optional<Past> read_newest_past(const DumpFile& file, Problems& problems);

// Bytes of the parts that are gone.
uint64_t gone_bytes(std::span<const PastGone> gone);
uint64_t gone_bytes(const std::optional<Past>& past);

// Returns the section as it is stored: header, payload, padding.
std::string write_past(const Past& past, std::string_view packed);

// True if the file is a dump that was compacted. False also if it cannot be opened, and of a pipe,
// which must not be read from here.
bool is_compacted(const std::string& path);

// While it lives, nobody compacts the dump of a running program further. For readers that were too
// slow without it.
class NoCompaction {
public:
    explicit NoCompaction(const std::string& path);
    ~NoCompaction();
    NoCompaction(const NoCompaction&) = delete;
    NoCompaction& operator=(const NoCompaction&) = delete;

private:
    int fd_;
};

// Calls read(), which reads the dump, and does so again if the dump was compacted meanwhile: then
// parts of what it read were gone before it came to them. Returns what read() returns.
template <class Read>
auto while_compacted(const std::string& path, Read&& read) {
    constexpr int patience = 3;
    std::optional<NoCompaction> quiet;
    for (int turn = 1;; ++turn) {
        if (turn == patience) quiet.emplace(path);
        const uint64_t before = newest_past(path);
        try {
            auto result = read();
            if (newest_past(path) == before) return result;
        } catch (const Error&) {
            if (newest_past(path) == before) throw;
        }
    }
}

// Returns the sentence for a report that a compacted dump cannot give: `why` is a clause about it.
std::string refusal_of_compacted(const std::string& path, const std::string& why);

// For readers that need all events: throws Error if the dump was compacted. `why` is the end of the
// sentence.
void refuse_compacted(const DumpFile& file, const char* why);

}  // namespace memtrace::analyzer
