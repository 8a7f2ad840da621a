// SPDX-License-Identifier: Apache-2.0
//
// Counts how many of the blocks acquired since some moment are alive, for moments that were
// announced. Its memory grows with the live blocks and not with the moments.
//
//   acquisitions   1 2 3 | 4 5 | | 6 7 8       begin(3), begin(5), begin(5)
//   pieces         of 0     of 3     of 5      each is named by the acquisition before it
//
// A piece without live blocks can be dropped, because no later query needs it.
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

    // Announces a moment. `newest` is the number of the last acquisition before it.
    void begin(uint64_t newest);

    void acquire(uint64_t blocks, uint64_t bytes);
    void release(uint64_t number, uint64_t blocks, uint64_t bytes);

    // Returns the live blocks among the acquisitions after `first` up to `last`. Both must be
    // numbers that were passed to begin().
    Sum between(uint64_t first, uint64_t last) const;
    Sum since(uint64_t first) const { return between(first, ~uint64_t{0}); }

    size_t piece_count() const { return pieces_.size(); }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.pieces_, self.swept_);
        each.check([&] { return !self.pieces_.empty(); }, "a phase in it has no beginning");
    }

private:
    struct Piece {
        uint64_t before = 0;  // The acquisitions of the piece have higher numbers.
        Sum alive;
        bool is_empty() const { return alive.blocks == 0 && alive.bytes == 0; }
    };
    void drop_empty_pieces();

    std::vector<Piece> pieces_{1};
    size_t swept_ = 0;  // number of pieces left when the empty pieces were last dropped
};

}  // namespace memtrace::analyzer
