// SPDX-License-Identifier: Apache-2.0
//
// Reads /proc/self/smaps, one mapping after another, in a buffer of the caller's:
//
//   7f1c2a000000-7f1c2a021000 rw-p 00000000 00:00 0          [name or path]
//   Rss:                 132 kB
//   ...
//
// The kernel walks all pages of a mapping for it, which takes about a millisecond for each 100 MiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "preload/base/fixed_text.h"

namespace memtrace::preload {

// Sizes in bytes.
struct SmapsEntry {
    uint64_t begin = 0;
    uint64_t end = 0;
    bool read = false;
    bool write = false;
    bool execute = false;
    bool is_shared = false;
    uint64_t rss = 0;
    uint64_t anonymous = 0;  // part of rss that belongs to no file
    uint64_t shared = 0;     // part of rss that other processes have mapped as well
    uint64_t swap = 0;
    Path path;  // empty: none
};

class SmapsReader {
public:
    // `buffer` must hold the longest line.
    SmapsReader(char* buffer, size_t size) : buffer_(buffer), size_(size) {}
    ~SmapsReader();
    SmapsReader(const SmapsReader&) = delete;
    SmapsReader& operator=(const SmapsReader&) = delete;

    // Returns false if the file cannot be read.
    bool open(const char* path = "/proc/self/smaps");

    // Reads the next mapping into `entry`. Returns false after the last.
    bool next(SmapsEntry& entry);

private:
    // Returns false at the end of the file.
    bool next_line(std::string_view& line);
    bool fill();

    char* buffer_;
    size_t size_;
    size_t begin_ = 0;  // [begin_, end_) is not yet used
    size_t end_ = 0;
    int fd_ = -1;
    bool has_head_ = false;  // The first line of the next mapping has been read.
    std::string_view head_;
};

}  // namespace memtrace::preload
