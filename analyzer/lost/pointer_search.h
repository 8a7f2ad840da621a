// SPDX-License-Identifier: Apache-2.0
//
// Follows pointers from the roots of a process through its blocks, and says of each block what
// memcheck would: still reachable, possibly, definitely or indirectly lost.
//
// Every aligned word that lies in a block is taken for a pointer to it. So a block may be called
// reachable because of a number that looks like its address, but none is called lost that has a
// pointer somewhere. The steps:
//
//   1. From the roots, through pointers to the beginnings of blocks: these are reachable. A pointer
//      into the middle of a block counts as well where a language makes such pointers
//      (interior_pointers.h).
//   2. Through pointers into the middle of what is left, and on from there: possibly lost.
//   3. What is left has no pointer from outside. In the order of addresses, each block that is not
//      yet reached from another one is definitely lost, and what is reached from it is indirectly
//      lost. A later block that reaches an earlier one takes it over.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "analyzer/lost/block_index.h"
#include "analyzer/lost/process_memory.h"
#include "analyzer/lost/read_ahead.h"

namespace memtrace::analyzer {

class PointerSearch {
public:
    enum class State : uint8_t { unreached, indirectly, definitely, possibly, reachable };

    // True if a pointer to `address`, in the middle of `block` or at its end, is as good as one to
    // its beginning.
    using IsAsGood = std::function<bool(const SearchedBlock& block, uint64_t address)>;

    static constexpr uint16_t at_begin = UINT16_MAX;

    // `pointed_from`, by block: a pointer to the byte of this number or a later one is as good as
    // one to the beginning, and one to an earlier byte is none; `at_begin`: neither. Empty: of no
    // block.
    PointerSearch(const BlockIndex& blocks, Memory& memory, IsAsGood is_as_good,
                  std::vector<uint16_t> pointed_from = {});

    // Looks for pointers in the range. All roots come before finish().
    void add_root(LostRange range);
    // The same, but a pointer to the middle of a block is as good as one to its beginning.
    void add_root_by_any(LostRange range);
    // The same as add_root(), but what lies in blocks is left out.
    void add_root_around_blocks(LostRange range);
    // Takes a word for a pointer of a root.
    void add_word(uint64_t word);
    // Treats the block as one that a root points to.
    void add_held(uint32_t block);

    // Tells what is reachable and what is possibly lost. The rest stays `unreached`.
    const std::vector<State>& follow();
    // The same, and what is lost. No state is `unreached` then.
    const std::vector<State>& finish();
    // By block.
    const std::vector<State>& states() const { return states_; }

    // Takes back that these blocks are lost, after finish(): they are possibly lost, and so is what
    // only they point to.
    const std::vector<State>& doubt(const std::vector<uint32_t>& blocks);

private:
    struct Found {
        uint32_t block;
        uint64_t address;
        bool operator==(const Found&) const = default;
    };

    void scan(LostRange range);
    void scan_words(const uint8_t* bytes, size_t size);
    void scan_piece(const MemoryPiece& piece);
    void scan_pending();
    bool take_neighbours(const std::vector<uint32_t>& blocks, size_t& first,
                         MemoryPiece& piece) const;
    void meet(uint64_t word);
    uint32_t block_of(uint64_t word) const;
    bool is_empty_array(uint32_t block, uint64_t word) const;
    void meet_end(uint64_t word);
    void push(uint32_t block, State state);
    void keep_middle(uint32_t block, uint64_t address);
    void drop_settled();
    void follow_as_good();
    void find_cliques();

    const BlockIndex& blocks_;
    Memory& memory_;
    IsAsGood is_as_good_;
    std::vector<uint16_t> pointed_from_;
    std::vector<State> states_;
    std::vector<uint32_t> pending_;     // reached, and not yet looked through
    std::vector<Found> middles_;        // pointers into the middle of blocks that are not reachable
    size_t middles_max_ = 1 << 16;      // before those that are settled are dropped
    State reached_ = State::reachable;  // what blocks become that are met now
    bool counts_middles_ = false;       // add_root_by_any()
    uint32_t leader_ = BlockIndex::none;  // of the clique that is looked through
    ReadAhead ahead_;
};

}  // namespace memtrace::analyzer
