// SPDX-License-Identifier: Apache-2.0
//
// The state in a section `past`, packed and unpacked piece by piece: a run of PyTorch has 200 MB of
// it, and whoever compacts while a program trains has no business with twice as much.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/reader/dump_file.h"
#include "analyzer/reader/past.h"

namespace memtrace::analyzer {

struct PackedState {
    std::string bytes;
    uint64_t raw_bytes = 0;
};

class StatePacker {
public:
    StatePacker();
    ~StatePacker();
    StatePacker(const StatePacker&) = delete;
    StatePacker& operator=(const StatePacker&) = delete;

    void add(std::string_view piece);
    // Returns all of it. Call it once, at the end.
    PackedState finish();

private:
    struct Stream;
    std::unique_ptr<Stream> stream_;
    PackedState state_;
};

class StateUnpacker {
public:
    // `file` must outlive the object.
    StateUnpacker(const Past& past, const DumpFile& file);
    ~StateUnpacker();
    StateUnpacker(const StateUnpacker&) = delete;
    StateUnpacker& operator=(const StateUnpacker&) = delete;

    // Returns the next piece, which is not empty, and valid until the next call. Throws Error, with
    // the path, if it cannot be unpacked or there is none.
    std::string_view next();
    // Throws the same if there is more, or its end is not there. Call it after the last piece.
    void end();

private:
    struct Stream;
    std::string_view unpack();
    [[noreturn]] void refuse() const;
    const DumpFile& file_;
    std::unique_ptr<Stream> stream_;
    std::string piece_;
};

}  // namespace memtrace::analyzer
