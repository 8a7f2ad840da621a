// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/source_tree.h"

#include <algorithm>

namespace memtrace::analyzer {
namespace {

constexpr uint32_t lines_max = 1 << 20;
constexpr BlockId unknown_loop = ~BlockId{0};

}  // namespace

BlockId SourceTree::begin(BlockKind kind, BlockId parent, uint32_t line) {
    SourceBlock block;
    block.kind = kind;
    block.parent = parent;
    block.line = block.end_line = line;
    blocks_.push_back(block);
    return static_cast<BlockId>(blocks_.size() - 1);
}

void SourceTree::end(BlockId block, uint32_t line) {
    blocks_[block].end_line = std::max(blocks_[block].line, line);
}

BlockId SourceTree::add_statement(BlockId parent, uint32_t line, uint32_t end_line,
                                  bool is_header) {
    const BlockId id = begin(BlockKind::statement, parent, line);
    blocks_[id].is_header = is_header;
    cover(id, line, end_line);
    return id;
}

void SourceTree::add_part(BlockId statement, uint32_t line) {
    if (line >= lines_max) return;
    if (loop_of_line_.size() <= line) loop_of_line_.resize(line + 1, unknown_loop);
    const BlockId loop = any_loop_of(statement);
    BlockId& known = loop_of_line_[line];
    if (known == unknown_loop) known = loop;
    else if (known != loop) add_loop(line);
}

void SourceTree::finish() {
    for (const uint32_t line : mixed_lines_) {
        if (const auto statement = at(line)) blocks_[*statement].has_loop = true;
    }
    for (const auto& [function, line] : functions_) {
        const auto statement = at(line);
        if (statement && !is_in(*statement, function)) blocks_[*statement].has_function = true;
    }
}

// Returns the innermost loop around the block, also if that is around its function.
BlockId SourceTree::any_loop_of(BlockId block) const {
    while (block != 0 && blocks_[block].kind != BlockKind::loop) block = blocks_[block].parent;
    return block;
}

void SourceTree::cover(BlockId statement, uint32_t line, uint32_t end_line) {
    end(statement, end_line);
    if (end_line >= lines_max) return;
    if (at_line_.size() <= end_line) at_line_.resize(end_line + 1);
    const auto is_body_of = [&](BlockId header) {
        return blocks_[header].is_header && !is_in(statement, header) &&
               is_in(statement, blocks_[header].parent);
    };
    for (uint32_t i = line; i <= end_line; ++i) {
        // A loop on one line is all body.
        if (at_line_[i] == 0 || is_body_of(at_line_[i])) at_line_[i] = statement;
    }
}

void SourceTree::add_continue(BlockId statement) {
    if (const auto loop = loop_of(statement)) add_leaving(statement, *loop);
}

void SourceTree::add_return(BlockId statement) {
    BlockId function = blocks_[statement].parent;
    while (function != 0 && blocks_[function].kind != BlockKind::function)
        function = blocks_[function].parent;
    add_leaving(statement, function);
}

// What is under no condition has nothing behind it.
void SourceTree::add_leaving(BlockId statement, BlockId level) {
    uint32_t& leaving = blocks_[level].leaving;
    if (leaving == 0) leaving = statement;
}

std::optional<BlockId> SourceTree::at(uint32_t line) const {
    if (line >= at_line_.size() || at_line_[line] == 0) return std::nullopt;
    return at_line_[line];
}

std::optional<BlockId> SourceTree::loop_of(BlockId block) const {
    for (; block != 0; block = blocks_[block].parent) {
        if (blocks_[block].kind == BlockKind::function) return std::nullopt;
        if (blocks_[block].kind == BlockKind::loop) return block;
    }
    return std::nullopt;
}

bool SourceTree::is_in(BlockId block, BlockId outer) const {
    while (block > outer) block = blocks_[block].parent;
    return block == outer;
}

BlockId SourceTree::level_of(BlockId block) const {
    while (block != 0) {
        const BlockKind kind = blocks_[block].kind;
        if (kind == BlockKind::loop || kind == BlockKind::function) break;
        block = blocks_[block].parent;
    }
    return block;
}

bool SourceTree::waits_within(BlockId block) const {
    BlockId function = 0;  // within, the last that begins
    for (BlockId id = block + 1; id < blocks_.size() && is_in(id, block); ++id) {
        if (function != 0 && is_in(id, function)) continue;
        if (blocks_[id].kind == BlockKind::function) function = id;
        if (blocks_[id].waits) return true;
    }
    return false;
}

bool SourceTree::can_follow(BlockId a, BlockId b) const {
    if (blocks_[b].is_exit && b < a && is_in(a, blocks_[b].parent)) return true;
    if (b <= a) return false;
    // Goes out from both to the children of their common block.
    const auto depth_of = [this](BlockId block) {
        size_t depth = 0;
        for (; block != 0; block = blocks_[block].parent) depth += 1;
        return depth;
    };
    BlockId inner_a = a, inner_b = b;
    size_t depth_a = depth_of(a), depth_b = depth_of(b);
    for (; depth_a > depth_b; --depth_a) inner_a = blocks_[inner_a].parent;
    for (; depth_b > depth_a; --depth_b) inner_b = blocks_[inner_b].parent;
    if (inner_a == inner_b) return true;
    while (blocks_[inner_a].parent != blocks_[inner_b].parent) {
        inner_a = blocks_[inner_a].parent;
        inner_b = blocks_[inner_b].parent;
    }
    const bool both_arms =
        blocks_[inner_a].kind == BlockKind::arm && blocks_[inner_b].kind == BlockKind::arm;
    const BlockId common = blocks_[inner_a].parent;
    return !(both_arms && inner_a != inner_b && blocks_[common].kind == BlockKind::branch);
}

bool SourceTree::is_certain(BlockId block, BlockId loop) const {
    for (; block > loop; block = blocks_[block].parent) {
        const BlockKind kind = blocks_[block].kind;
        if (kind == BlockKind::arm || kind == BlockKind::loop || kind == BlockKind::function) {
            return false;
        }
    }
    return block == loop;
}

bool SourceTree::is_reached(BlockId block, BlockId outer) const {
    if (may_be_skipped(block, outer)) return false;
    for (BlockId at = block; at > outer; at = blocks_[at].parent) {
        const SourceBlock& around = blocks_[at];
        if (around.kind == BlockKind::arm || around.is_mixed || around.has_condition) return false;
        if (around.kind == BlockKind::loop && may_be_skipped(block, at)) return false;
    }
    return is_in(block, outer);
}

}  // namespace memtrace::analyzer
