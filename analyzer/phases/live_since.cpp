// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/live_since.h"

#include <algorithm>

namespace memtrace::analyzer {
namespace {

constexpr size_t pieces_unswept = 1024;

}  // namespace

void LiveSince::begin(uint64_t newest) {
    while (!pieces_.empty() && pieces_.back().is_empty()) pieces_.pop_back();
    if (pieces_.size() > 2 * swept_ + pieces_unswept) drop_empty_pieces();
    pieces_.push_back({newest, {}});
}

void LiveSince::drop_empty_pieces() {
    std::erase_if(pieces_, [](const Piece& piece) { return piece.is_empty(); });
    swept_ = pieces_.size();
}

void LiveSince::acquire(uint64_t blocks, uint64_t bytes) {
    pieces_.back().alive.blocks += blocks;
    pieces_.back().alive.bytes += bytes;
}

void LiveSince::release(uint64_t number, uint64_t blocks, uint64_t bytes) {
    const auto behind = std::partition_point(
        pieces_.begin(), pieces_.end(), [&](const Piece& piece) { return piece.before < number; });
    if (behind == pieces_.begin()) return;
    Sum& alive = (behind - 1)->alive;
    alive.blocks -= blocks;
    alive.bytes -= bytes;
}

LiveSince::Sum LiveSince::between(uint64_t first, uint64_t last) const {
    Sum sum;
    auto piece = std::partition_point(pieces_.begin(), pieces_.end(),
                                      [&](const Piece& one) { return one.before < first; });
    for (; piece != pieces_.end() && piece->before < last; ++piece) {
        sum.blocks += piece->alive.blocks;
        sum.bytes += piece->alive.bytes;
    }
    return sum;
}

}  // namespace memtrace::analyzer
