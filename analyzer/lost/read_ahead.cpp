// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/read_ahead.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace memtrace::analyzer {
namespace {

constexpr uint64_t large_bytes = 64 << 10;  // A smaller piece is read before a thread wakes up.
constexpr uint64_t window_bytes = 32 << 10;

}  // namespace

ReadAhead::ReadAhead(Memory& memory, size_t piece_bytes) : memory_(memory) {
    for (MemoryPiece& piece : pieces_) piece.bytes.resize(piece_bytes);
}

ReadAhead::~ReadAhead() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void ReadAhead::run(const Next& next, const Look& look) {
    MemoryPiece* piece = &pieces_[0];
    MemoryPiece* following = &pieces_[1];
    if (!next(*piece)) return;
    start(*piece);
    for (bool has_more = true; has_more; std::swap(piece, following)) {
        wait();
        has_more = next(*following);
        if (has_more) start(*following);
        look(*piece);
    }
}

void ReadAhead::start(MemoryPiece& piece) {
    uint64_t bytes = 0;
    for (const LostRange& range : piece.ranges) bytes += range.end - range.begin;
    if (bytes >= large_bytes && can_have_thread_ && !thread_.joinable()) {
        try {
            thread_ = std::thread([this] { read_pieces(); });
        } catch (const std::system_error&) {  // a limit of threads
            can_have_thread_ = false;
        }
    }
    if (bytes < large_bytes || !can_have_thread_) {
        if (piece.ranges.size() != 1 || !read_from_window(piece.ranges.front(), piece.bytes.data()))
            memory_.read(piece.ranges, piece.bytes.data());
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        reading_ = &piece;
    }
    changed_.notify_all();
}

bool ReadAhead::read_from_window(LostRange range, uint8_t* to) {
    const uint64_t before = std::exchange(last_, range.begin);
    const bool goes_down = range.begin < before;
    const uint64_t distance = goes_down ? before - range.begin : range.begin - before;
    const bool is_inside = range.begin >= window_.begin && range.end <= window_.end;
    if (!is_inside) {
        if (distance > window_bytes || range.end - range.begin > window_bytes) return false;
        if (goes_down && range.end >= window_bytes) window_ = {range.end - window_bytes, range.end};
        else window_ = {range.begin, range.begin + window_bytes};
        bytes_of_window_.resize(window_bytes);
        memory_.read({&window_, 1}, bytes_of_window_.data());
    }
    std::copy_n(bytes_of_window_.data() + (range.begin - window_.begin), range.end - range.begin,
                to);
    return true;
}

void ReadAhead::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return reading_ == nullptr; });
}

// What the thread does.
void ReadAhead::read_pieces() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return ends_ || reading_ != nullptr; });
        if (ends_) return;
        MemoryPiece& piece = *reading_;
        lock.unlock();
        memory_.read(piece.ranges, piece.bytes.data());
        lock.lock();
        reading_ = nullptr;
        changed_.notify_all();
    }
}

}  // namespace memtrace::analyzer
