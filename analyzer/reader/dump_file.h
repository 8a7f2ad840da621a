// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a dump, and its header. Opening answers one question, whether this is a dump that
// this program can read; everything behind the header is dump_index.h's.
//
//   * A regular file is mapped read-only; a pipe ("-" is standard input) is read into memory.
//   * The process may still be writing the file: live fields are read once, atomically, and the
//     room behind file_end, which the process may cut off at its end, is never touched through the
//     mapping (that would be SIGBUS) but read with room_is_zero().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/model/problems.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class DumpFile {
public:
    // Throws Error if there is nothing to read here. Damage to the header goes to `problems`.
    DumpFile(const std::string& path, Problems& problems);
    ~DumpFile();
    DumpFile(const DumpFile&) = delete;
    DumpFile& operator=(const DumpFile&) = delete;

    const std::string& path() const { return path_; }
    const uint8_t* data() const { return data_; }
    uint64_t size() const { return size_; }

    // The header as it was when the file was opened.
    const FileHeader& header() const { return header_; }
    // The live half of the header may move on; this reads file_end again.
    uint64_t file_end_now() const;

    // Follows a file that has grown since it was opened: data() and size() change.
    void refresh();

    // The first byte in [begin, end) that is not zero, or `end`. Safe for room that may vanish.
    uint64_t first_nonzero(uint64_t begin, uint64_t end) const;

private:
    void read_all();
    void map(uint64_t size);
    void unmap();
    void check_header(Problems& problems);
    bool looks_like_a_dump() const;

    std::string path_;
    int fd_ = -1;
    bool mapped_ = false;
    const uint8_t* data_ = nullptr;
    uint64_t size_ = 0;
    FileHeader header_ = {};
    std::vector<uint8_t> bytes_;  // of a pipe
};

// Whether a frame header stands in full and sound at these section_alignment bytes.
bool is_sound_frame_header(const uint8_t* bytes);

}  // namespace memtrace::analyzer
