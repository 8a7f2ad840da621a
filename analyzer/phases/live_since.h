// SPDX-License-Identifier: Apache-2.0
//
// How much of what was acquired since some moment is alive, for moments that were announced, in
// memory that grows with what is alive and not with the moments.
//
//   acquisitions   1 2 3 | 4 5 | | 6 7 8       begin(3), begin(5), begin(5)
//   pieces         of 0     of 3     of 5      each is known by what came before it
//
// A piece of which nothing is alive any more can go: nobody will ask for its blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memtrace::analyzer {

class LiveSince {
public:
    struct Sum {
        uint64_t blocks = 0;
        uint64_t bytes = 0;
    };

    // A moment, and the number of the last acquisition before it.
    void begin(uint64_t newest);

    void acquire(uint64_t blocks, uint64_t bytes);
    void release(uint64_t number, uint64_t blocks, uint64_t bytes);

    // Of what was acquired behind `first`, up to `last`: numbers that begin() was told.
    Sum between(uint64_t first, uint64_t last) const;
    Sum since(uint64_t first) const { return between(first, ~uint64_t{0}); }

    size_t piece_count() const { return pieces_.size(); }

private:
    struct Piece {
        uint64_t before = 0;  // Its acquisitions have higher numbers.
        Sum alive;
        bool is_empty() const { return alive.blocks == 0 && alive.bytes == 0; }
    };
    void drop_empty_pieces();

    std::vector<Piece> pieces_{1};
    size_t swept_ = 0;  // pieces that were left when the empty ones were last dropped
};

}  // namespace memtrace::analyzer
