// SPDX-License-Identifier: Apache-2.0
//
// The mappings of a process, as the kernel lists them, and the files behind them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "memtrace/dump/lost_request.h"

namespace memtrace::analyzer {

// A line of /proc/PID/maps.
struct Mapping {
    uint64_t begin = 0;
    uint64_t end = 0;
    bool read = false;
    bool write = false;
    bool execute = false;
    bool is_shared = false;
    std::string path = {};  // or a name in brackets; empty: none
    uint64_t offset = 0;    // in its file
    uint64_t inode = 0;
};

// Returns the mappings of a process, by address; empty if they cannot be read.
std::vector<Mapping> read_mappings(uint64_t pid);

// Returns those which a copy of the process lacks (MADV_DONTFORK), or has without what is in them
// (MADV_WIPEONFORK). Devices are left out.
std::vector<Mapping> read_left_out_mappings(uint64_t pid);

// Calls visit(mapping, kib, flags) for each mapping of a process, with the KiB that it has in
// memory or in the swap space.
void for_each_in_smaps(uint64_t pid, const std::function<void(const Mapping& mapping, uint64_t kib,
                                                              const std::string& flags)>& visit);

// The file behind a mapping, memory files and shared memory included. A page that a process has not
// in its page table yet may be in the file all the same, with pointers that the program wrote
// through another mapping, or that another process wrote.
class MappedFile {
public:
    // Opens the file behind a mapping of the process, if that is possible and reading it changes
    // nothing: a page that a file of large pages lacks would be made.
    MappedFile(uint64_t pid, const Mapping& mapping);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    bool is_open() const { return file_ >= 0; }
    // Seconds since 1970 of the last change.
    int64_t changed() const;
    // Returns the parts of the mapping for which the file has data, by address. The rest is zero.
    std::vector<LostRange> data() const;

private:
    const Mapping& mapping_;
    int file_ = -1;
};

// True if the memory has no file that outlives the program: memory files (memfd), shared memory.
bool is_nameless_memory(const std::string& path);

// Returns when a process began, in seconds since 1970, or a little earlier; 0 if nobody knows.
int64_t begin_of_process(uint64_t pid);

}  // namespace memtrace::analyzer
