// SPDX-License-Identifier: Apache-2.0
//
// Reads the memory of a process piece by piece. The next piece is read by a second thread while the
// one before is looked through: that the kernel copies takes about as long as that we look.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "analyzer/lost/process_memory.h"

namespace memtrace::analyzer {

struct MemoryPiece {
    std::vector<LostRange> ranges;  // of the process; they come one behind the other in `bytes`
    std::vector<LostRange> words;   // of `bytes`: what is to be looked through
    std::vector<uint8_t> bytes;
};

class ReadAhead {
public:
    // Pieces are `piece_bytes` at most. The memory must outlive the object, and stay as it is.
    // Nothing else may read it while run() runs.
    ReadAhead(Memory& memory, size_t piece_bytes);
    ~ReadAhead();
    ReadAhead(const ReadAhead&) = delete;
    ReadAhead& operator=(const ReadAhead&) = delete;

    // Sets the ranges and words of a piece. Returns false if there is none left.
    using Next = std::function<bool(MemoryPiece& piece)>;
    using Look = std::function<void(const MemoryPiece& piece)>;

    // Calls look(piece) for each piece of next(piece), in order, both in this thread.
    void run(const Next& next, const Look& look);

private:
    void start(MemoryPiece& piece);
    // A list leads from block to block, often to one nearby. So the memory around such a block is
    // read with it, in the direction of the list. Returns false if the last one was far away.
    bool read_from_window(LostRange range, uint8_t* to);
    void wait();
    void read_pieces();

    Memory& memory_;
    MemoryPiece pieces_[2];
    uint64_t last_ = 0;  // where a small piece began that was read last
    LostRange window_{};
    std::vector<uint8_t> bytes_of_window_;
    std::mutex mutex_;
    std::condition_variable changed_;
    MemoryPiece* reading_ = nullptr;  // what the thread is to read; null: nothing
    bool ends_ = false;
    bool can_have_thread_ = true;
    std::thread thread_;  // from the first large piece on
};

}  // namespace memtrace::analyzer
