// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/kept_turns.h"

#include <cstdint>
#include <unordered_set>

#include "analyzer/base/long_list.h"

namespace memtrace::analyzer {

std::vector<PathTurn> kept_turns(const PathLook& look) {
    std::vector<PathTurn> turns = look.moves.turns();
    const StackNodes& nodes = look.stacks.nodes;
    LongList<uint8_t> is_kept(nodes.size());
    const auto caller_of = [&](const PathTurn& turn) { return look.moves.caller_of(turn); };
    for (const PathTurn& turn : turns) {
        if (turn.count > 1 || turn.from == turn.to) is_kept[caller_of(turn)] = 1;
    }
    // A function is kept in all of its contexts, or else its iterations would be too few.
    std::unordered_set<uint64_t> codes;
    std::vector<uint8_t> locations(nodes.location_count());
    const auto code_of = [&](uint32_t node) {
        const Location& location = nodes.location(nodes.location_of(node));
        return location.kind == NodeKind::python ? python_code_of(location.address) : 0;
    };
    LongList<uint8_t> is_seen(nodes.size());
    const auto keep_code = [&](uint32_t node) {
        for (; node != no_stack && is_seen[node] == 0; node = nodes.parent(node)) {
            is_seen[node] = 1;
            locations[nodes.location_of(node)] = 1;
            codes.insert(code_of(node));
        }
    };
    for (const PathTurn& turn : turns) {
        if (is_kept[caller_of(turn)] == 0) continue;
        keep_code(turn.from);
        keep_code(turn.to);
    }
    codes.erase(0);
    std::erase_if(turns, [&](const PathTurn& turn) {
        if (is_kept[caller_of(turn)] != 0) return false;
        for (const uint32_t node : {turn.from, turn.to}) {
            if (node == no_stack) continue;
            const uint64_t code = code_of(node);
            if (code != 0 ? codes.contains(code) : locations[nodes.location_of(node)] != 0) {
                return false;
            }
        }
        return true;
    });
    return turns;
}

}  // namespace memtrace::analyzer
