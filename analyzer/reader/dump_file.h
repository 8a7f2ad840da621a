// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a dump and its file header. Opening decides only whether the input is a dump that
// this program can read. Everything after the header page belongs to dump_index.h.
//
//   * A regular file is mapped read-only. A pipe ("-" is standard input) is read into memory.
//   * The process may still be writing the file. Live fields are read once, atomically. The
//     reserved space after file_end may be cut off when the process ends. It is never touched
//     through the mapping, because that would raise SIGBUS, but read with first_nonzero().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/problems.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class DumpFile {
public:
    // Throws Error if there is nothing to read. Reports damage to the header in `problems`.
    DumpFile(const std::string& path, Problems& problems);
    ~DumpFile();
    DumpFile(const DumpFile&) = delete;
    DumpFile& operator=(const DumpFile&) = delete;

    const std::string& path() const { return path_; }
    const uint8_t* data() const { return data_; }
    uint64_t size() const { return size_; }

    // Returns the header as it was when the file was opened.
    const FileHeader& header() const { return header_; }
    // The number of sections that must be there; nothing if the dump is older than this number, or
    // damaged there.
    std::optional<uint64_t> sections() const;
    // The same of rings and of the chunk about the process.
    std::optional<uint64_t> rings_and_process() const;
    // Reads file_end again, because the live half of the header may change.
    uint64_t file_end_now() const;

    // Returns the process that writes the dump, as it is numbered here, if it still runs on this
    // machine, and records; else 0.
    uint64_t writer() const;
    bool is_being_written() const { return writer() != 0; }

    // Says that the bytes [begin, end) will not be read again soon. Their pages no longer count as
    // memory of this process.
    void forget(uint64_t begin, uint64_t end) const;

    // Follows a file that has grown since it was opened. data() and size() change.
    void refresh();

    // Returns the offset of the first byte in [begin, end) that is not zero, or `end`. Safe for
    // reserved space that may disappear.
    uint64_t first_nonzero(uint64_t begin, uint64_t end) const;

private:
    void read_all();
    void map(uint64_t size);
    void unmap();
    void check_header(Problems& problems);
    void check_live(Problems& problems) const;
    void check_control(Problems& problems) const;
    void check_unused(uint64_t begin, uint64_t end, Problems& problems) const;
    bool looks_like_a_dump() const;

    std::string path_;
    int fd_ = -1;
    bool mapped_ = false;
    const uint8_t* data_ = nullptr;
    uint64_t size_ = 0;
    FileHeader header_ = {};
    std::vector<uint8_t> bytes_;  // contents of a pipe
};

// True if the part of the header that is written once is as it was written.
bool is_sound_file_header(const FileHeader& header);

// True if these section_alignment bytes are a complete and sound section header.
bool is_sound_frame_header(const uint8_t* bytes);

}  // namespace memtrace::analyzer
