// SPDX-License-Identifier: Apache-2.0
//
// Which loaded object contains an address, without the loader: /proc/self/maps names the mappings
// of a file, and the file's header in memory says how far the object reaches. Objects that were
// found are remembered. Because an object may be unloaded without our knowledge, each answer is
// compared with what is in memory now, by reads that fail where nothing is (/proc/self/mem).
//
// Objects of other link namespaces (dlmopen) are not found: their link_map is in no list that can
// be read without the loader's lock.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <string_view>

namespace memtrace::preload {

// The same as find_loaded_object(). It takes some microseconds, and milliseconds where the object
// was not remembered.
bool find_mapped_object(const void* address, dl_find_object& found);

// Reads the lines of /proc/self/maps, in pieces that may end anywhere, and keeps the last begin of
// a file that lies at or below `address`.
class FileBegin {
public:
    // `vdso` is where the kernel has mapped its own object, which belongs to no file.
    explicit FileBegin(uint64_t address, uint64_t vdso = 0) : address_(address), vdso_(vdso) {}

    // Returns false when no further line can matter.
    bool read(std::string_view piece);
    // Returns the address, or 0 if there was none.
    uint64_t get() const { return begin_; }

private:
    // The fields of a line, in their order; `rest` is not read.
    enum Field : unsigned { from, to, access, offset, device, inode, rest };

    bool end_line();

    uint64_t address_;
    uint64_t vdso_;
    uint64_t begin_ = 0;
    unsigned field_ = from;
    uint64_t numbers_[rest + 1] = {};
    bool is_readable_ = false;
    bool is_first_ = true;  // the next character of `access` is its first
};

}  // namespace memtrace::preload
