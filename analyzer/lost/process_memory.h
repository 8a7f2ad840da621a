// SPDX-License-Identifier: Apache-2.0
//
// The memory of a process that stands still: its mappings, which of their pages are there, and the
// bytes. Tests put a made-up memory in its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzer/lost/mappings.h"
#include "analyzer/lost/range_set.h"
#include "memtrace/dump/lost_request.h"

namespace memtrace::analyzer {

class Memory {
public:
    virtual ~Memory() = default;

    // By address.
    virtual const std::vector<Mapping>& mappings() const = 0;

    // Copies the ranges to `to`, one behind the other. What cannot be read is zero.
    virtual void read(std::span<const LostRange> ranges, uint8_t* to) = 0;

    // Calls visit(range) for the parts of a range that may have other bytes than zeros, or than
    // those of a file that the program has not changed, by address. They need not be distinct from
    // each other's neighbours.
    virtual void for_each_own_part(LostRange range,
                                   const std::function<void(LostRange)>& visit) = 0;

    // Returns the word at an address; 0 if it cannot be read.
    uint64_t word(uint64_t address) {
        const LostRange range{address, address + sizeof(uint64_t)};
        uint64_t value = 0;
        read({&range, 1}, reinterpret_cast<uint8_t*>(&value));
        return value;
    }
};

class ProcessMemory : public Memory {
public:
    // `original`: the process of which this one is a copy; 0: none. The kernel leaves out of a copy
    // what the program wants it to, so that is read there; but not `own`. Throws Error if the
    // memory of the process may not be read.
    explicit ProcessMemory(uint64_t pid, uint64_t original = 0,
                           std::span<const LostRange> own = {});
    ~ProcessMemory() override;
    ProcessMemory(const ProcessMemory&) = delete;
    ProcessMemory& operator=(const ProcessMemory&) = delete;

    const std::vector<Mapping>& mappings() const override { return mappings_; }
    void read(std::span<const LostRange> ranges, uint8_t* to) override;
    void for_each_own_part(LostRange range, const std::function<void(LostRange)>& visit) override;

    // Bytes that are read in the original, which may have gone on; and those that should be, but
    // may not.
    uint64_t bytes_of_original() const { return bytes_of_original_; }
    uint64_t bytes_left_out() const { return bytes_left_out_; }
    // Bytes of a file that were not read because there are too many.
    uint64_t bytes_of_files_not_read() const { return bytes_of_files_not_read_; }

    // Throws Error if the process has ended, because everything is zero then.
    void check_is_there() const;

private:
    void find_left_out(uint64_t original, std::span<const LostRange> own);
    // Where the bytes from an address on are read, up to the end of the range.
    struct Source {
        int memory;
        uint64_t end;
    };
    Source source_of(LostRange range) const;
    bool is_of_original(LostRange range) const;
    void read_one(LostRange range, uint8_t* to);
    void for_each_own_part_of(const Mapping& mapping, LostRange range,
                              const std::function<void(LostRange)>& visit);
    // What counts of the pages of a mapping: those that the process has of its own, and those of
    // the mapping's file as well.
    enum class Pages : uint8_t { of_process, of_file_too };
    void for_each_page_that_is_there(LostRange range, bool in_original, Pages which,
                                     const std::function<void(LostRange)>& visit) const;
    bool read_pagemaps(uint64_t first, bool in_original, std::span<uint64_t> entries) const;
    void for_each_part_with_file(const Mapping& mapping, LostRange range, bool in_original,
                                 const std::function<void(LostRange)>& visit);
    // True if a file's page may have pointers of the program although it is not its own.
    bool can_have_changed(const Mapping& mapping);
    bool may_read_of_file(LostRange part, bool counts);
    bool has_pages(const Mapping& mapping);

    uint64_t pid_;
    int memory_ = -1;   // descriptors
    int pagemap_ = -1;  // -1: all pages count
    int original_pagemap_ = -1;
    int original_memory_ = -1;
    std::vector<LostRange> in_original_;  // by address
    uint64_t bytes_of_original_ = 0, bytes_left_out_ = 0;
    int64_t began_ = 0;                              // begin_of_process()
    std::unordered_map<std::string, bool> changed_;  // can_have_changed(), by path
    RangeSet from_files_;                            // is read although no page table has it
    uint64_t bytes_of_files_ = 0, bytes_of_files_not_read_ = 0;
    std::unordered_set<uint64_t> with_pages_;  // begins of mappings that have pages
    bool knows_with_pages_ = false;
    bool copies_ = true;  // The system lets several ranges be copied at once.
    std::vector<Mapping> mappings_;
};

}  // namespace memtrace::analyzer
