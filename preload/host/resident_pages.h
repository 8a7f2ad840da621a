// SPDX-License-Identifier: Apache-2.0
//
// Reads from /proc/self/pagemap which pages are resident, and packs them as HostPages of the dump
// has them: varints of pages that are, pages that are not, pages that are, ...
#pragma once

#include <cstddef>
#include <cstdint>

namespace memtrace::preload {

class ResidentPages {
public:
    // The kernel writes the words of so many pages at a time into `words`.
    ResidentPages(uint64_t* words, size_t words_max) : words_(words), words_max_(words_max) {}
    ~ResidentPages();
    ResidentPages(const ResidentPages&) = delete;
    ResidentPages& operator=(const ResidentPages&) = delete;

    // Returns false if the file cannot be read.
    bool open(const char* path = "/proc/self/pagemap");

    // A page that was read and never written is the kernel's one page of zeros. It is in the table
    // of pages, and no part of the resident set. It is told by belonging to more than this process,
    // as pages also do that a fork has left to both.
    enum class Pages : bool { all_present, own };

    // Packs the pages from `at` on, at most up to `end`, into `out`. Returns the bytes written, and
    // advances `at` by the pages that they stand for. Returns 0 if nothing could be read. `size`
    // must be at least 64.
    size_t pack(uint64_t& at, uint64_t end, uint8_t* out, size_t size, Pages pages = Pages::own);

private:
    uint64_t* words_;
    size_t words_max_;
    int fd_ = -1;
};

}  // namespace memtrace::preload
