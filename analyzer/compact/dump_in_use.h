// SPDX-License-Identifier: Apache-2.0
//
// The file of a dump that a program writes at this moment, for another process that adds a section
// and gives room back. Every step leaves a dump that can be read, so the process may be killed at
// any instruction:
//
//   1. reserve   file_end moves, as for a chunk of the program
//   2. write     the section `past`; nobody looks at it yet
//   3. count     it in the header
//   4. announce  Control::newest_past: from here on, what it says is gone is not looked at
//   5. punch     what is gone becomes a hole
//
//   file_end ──────────────────────────────────────────┐
//   |hdr|process|ring 0|▒▒▒▒▒ gone ▒▒▒▒▒|chunk|ring 1|past|
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "memtrace/dump/control.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class DumpInUse {
public:
    // Throws Error if the file cannot be opened for writing, or is no dump.
    explicit DumpInUse(const std::string& path);
    ~DumpInUse();
    DumpInUse(const DumpInUse&) = delete;
    DumpInUse& operator=(const DumpInUse&) = delete;

    // Bytes that the dump takes on the disk.
    uint64_t bytes() const;

    // True if somebody reads the dump, and wants nothing of it to go.
    bool is_read() const;

    // Steps 1 to 3. Returns the section's offset, a multiple of page_bytes. Throws Error if there
    // is no room, or if the file system cannot make holes. Until give_back(), the program is told
    // that these bytes are given back already, because more than they will be: it shall not take
    // the dump for larger than it stays.
    uint64_t append(std::string_view section);

    // Step 4. `before` is the section that the new one was made from, 0 if none. Returns false if
    // another process has announced one meanwhile; then nothing has changed.
    bool announce(uint64_t offset, uint64_t before);

    // Step 5. The whole pages of these parts become holes, and the program is told how many there
    // are in all.
    void give_back(std::span<const PastGone> gone);

    // ---- the helper of the program (compact_helper.h)

    int descriptor() const { return fd_; }
    // Takes the lock by which the program sees that it has a helper. False if it has one.
    bool become_helper();
    // Returns the newest request that was not answered; 0: there is none.
    uint32_t compaction_asked() const;
    void end_compaction(uint32_t asked);
    // Counts one that has failed. `why`: Control::compaction_failure.
    void count_failure(uint32_t why);
    // Returns when there may be one, and after so many milliseconds at the latest.
    void wait_for_request(long milliseconds) const;

private:
    [[noreturn]] void fail(const char* what) const;
    uint64_t append_now(std::string_view section);
    void tell_given_back(uint64_t pages);
    void require_holes(uint64_t offset, uint64_t bytes) const;

    std::string path_;
    int fd_ = -1;
    FileHeader* header_ = nullptr;
    Control* control_ = nullptr;
};

}  // namespace memtrace::analyzer
