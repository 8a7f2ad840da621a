// SPDX-License-Identifier: Apache-2.0
//
// The control flow of a source file, as far as its text shows it: loops, branches and statements.
// It answers which loop two lines have in common, and if one can run after the other without
// another iteration. python_source.h and cpp_source.h make it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace memtrace::analyzer {

enum class BlockKind : uint8_t {
    root,       // the file
    function,   // a function's or class's body: loops end at it
    loop,       // for, while, do
    branch,     // if … else, switch, match: at most one of its arms runs
    arm,        // what runs under a condition
    group,      // statements that simply follow each other
    statement,  // one statement, without the blocks in it
};

struct SourceBlock {
    BlockKind kind = BlockKind::root;
    uint32_t parent = 0;    // its index; the root is its own parent
    uint32_t line = 0;      // first line, from 1
    uint32_t end_line = 0;  // last line
    bool is_header =
        false;  // the line of a loop that chooses the next element, or tests if it ends
    // A statement with a loop inside that has no line of its own: a comprehension, or a loop on the
    // line on which its function begins.
    bool has_loop = false;
    bool has_function = false;  // A lambda begins within the statement, or on one of its lines.
    // Of a block that may be a loop, or none: what follows a macro that is not known, or a label
    // that a goto goes back to.
    bool may_be_loop = false;
    bool is_exit = false;  // It also runs when the block around it is left: with.
    // The function may be left within the statement, and go on there later, when others had their
    // turn: await, yield.
    bool waits = false;
    bool is_mixed = false;  // a condition, and what it decides on the same line
    // All calls of the statement may be under a condition within it: a and b(), b() if a else c.
    bool has_condition = false;
    // Of a loop or a function: its first statement that may end a round or a call of it before what
    // follows. 0: there is none.
    uint32_t leaving = 0;
    // Of the header of a loop over elements: statements outside of the loop that are on the same
    // line. One makes what is gone through, the other lets go of it. 0: there is none.
    uint32_t setup = 0;
    uint32_t cleanup = 0;
    // Of a def: the first statement of its function, if that is on the same line. 0: it is not.
    uint32_t body = 0;
};

using BlockId = uint32_t;

class SourceTree {
public:
    SourceTree() : blocks_(1) {}

    // For the makers. Blocks begin in the order of their text.
    BlockId begin(BlockKind kind, BlockId parent, uint32_t line);
    void end(BlockId block, uint32_t line);
    BlockId add_statement(BlockId parent, uint32_t line, uint32_t end_line, bool is_header = false);
    // The statement ends a round of the loop around it (continue), or a call of the function
    // (return).
    void add_continue(BlockId statement);
    void add_return(BlockId statement);
    // Extends a statement to lines that no other statement has.
    void cover(BlockId statement, uint32_t line, uint32_t end_line);
    SourceBlock& block(BlockId id) { return blocks_[id]; }
    // The line has a part of the statement, a loop that is not seen, or the beginning of a lambda.
    void add_part(BlockId statement, uint32_t line);
    void add_loop(uint32_t line) { mixed_lines_.push_back(line); }
    void add_function(BlockId function, uint32_t line) { functions_.push_back({function, line}); }
    // Call last. One line is one statement, so what else it has is noted there.
    void finish();
    void add_word(BlockId statement, std::string_view word) {
        words_.insert(key_of(statement, word));
    }

    const SourceBlock& operator[](BlockId id) const { return blocks_[id]; }
    size_t size() const { return blocks_.size(); }

    // Returns the statement at the line, or nothing.
    std::optional<BlockId> at(uint32_t line) const;
    // True if the text of the statement has the word. Of Python, only the
    // names of functions with SourceBlock::body are kept.
    bool has_word(BlockId statement, std::string_view word) const {
        return words_.contains(key_of(statement, word));
    }
    // Returns the innermost loop around the block in the same function, or nothing.
    std::optional<BlockId> loop_of(BlockId block) const;
    // Returns the innermost loop or function around the block; the root if there is none.
    BlockId level_of(BlockId block) const;
    // Calls each(level) for the loops around the block, innermost first, and then for the function.
    // Stops if each() returns false.
    template <class Each>
    void for_each_level(BlockId block, Each&& each) const {
        for (BlockId level = level_of(block);; level = level_of(blocks_[level].parent)) {
            if (!each(level) || blocks_[level].kind != BlockKind::loop) return;
        }
    }
    bool is_in(BlockId block, BlockId outer) const;
    // True if a statement of the block waits, and none of a function within.
    bool waits_within(BlockId block) const;
    // True if `b` is behind `a` and not in another arm of the same branch.
    bool can_follow(BlockId a, BlockId b) const;
    // True if the block runs in each iteration of the loop around it that is not left early.
    bool is_certain(BlockId block, BlockId loop) const;
    // True if the block runs whenever the block around it does, provided that each loop within goes
    // round at least once.
    bool is_reached(BlockId block, BlockId outer) const;

private:
    void add_leaving(BlockId statement, BlockId level);
    BlockId any_loop_of(BlockId block) const;
    // True if a round of the level may end before it comes to the block.
    bool may_be_skipped(BlockId block, BlockId level) const {
        const uint32_t leaving = blocks_[level].leaving;
        return leaving != 0 && block > leaving && !blocks_[block].is_header;
    }

    static size_t key_of(BlockId statement, std::string_view word) {
        return std::hash<std::string_view>()(word) ^ statement * 0x9e3779b97f4a7c15u;
    }

    std::vector<SourceBlock> blocks_;
    std::vector<BlockId> at_line_;                         // 0: none
    std::vector<BlockId> loop_of_line_;                    // of its first part; unknown_loop: none
    std::vector<uint32_t> mixed_lines_;                    // whose parts are not all in one loop
    std::vector<std::pair<BlockId, uint32_t>> functions_;  // lambdas, and their lines
    std::unordered_set<size_t> words_;
};

}  // namespace memtrace::analyzer
