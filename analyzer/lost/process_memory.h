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
};

class Memory {
public:
    virtual ~Memory() = default;

    // By address.
    virtual const std::vector<Mapping>& mappings() const = 0;

    // Copies the ranges to `to`, one behind the other. What cannot be read is zero.
    virtual void read(std::span<const LostRange> ranges, uint8_t* to) = 0;

    // Calls visit(range) for the parts of a range that may have other bytes than zeros, or than
    // those of their file, by address. They need not be distinct from each other's neighbours.
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
    // `original`: the process of which this one is a copy; 0: none. The kernel does not copy which
    // pages of shared memory there are, and leaves out what the program wants it to, so that is
    // read there; but not `own`. Throws Error if the memory of the process may not be read.
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

    uint64_t pid_;
    int memory_ = -1;   // descriptors
    int pagemap_ = -1;  // -1: all pages count
    int original_pagemap_ = -1;
    int original_memory_ = -1;
    std::vector<LostRange> in_original_;  // by address
    uint64_t bytes_of_original_ = 0, bytes_left_out_ = 0;
    bool copies_ = true;  // The system lets several ranges be copied at once.
    std::vector<Mapping> mappings_;
};

// Returns the mappings of a process, by address; empty if they cannot be read.
std::vector<Mapping> read_mappings(uint64_t pid);

// Returns those which a copy of the process lacks (MADV_DONTFORK), or has without what is in them
// (MADV_WIPEONFORK). Devices are left out.
std::vector<Mapping> read_left_out_mappings(uint64_t pid);

}  // namespace memtrace::analyzer
