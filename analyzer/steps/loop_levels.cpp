// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/loop_levels.h"

#include <fmt/format.h>

#include <algorithm>

namespace memtrace::analyzer {
namespace {

uint64_t key_of(const PathTurn& turn) { return uint64_t{turn.from} << 32 | turn.to; }

// Returns the turn from the last of several places to the first, if the statement goes through them
// in one order again and again: a, b, a, b, … It ran once for each time around.
std::vector<UnsureTurn> once_around(const std::vector<UnsureTurn>& turns) {
    std::map<uint32_t, const UnsureTurn*> by_from;
    const UnsureTurn* closing = nullptr;
    for (const UnsureTurn& unsure : turns) {
        if (unsure.turn.from == no_stack || unsure.turn.to == no_stack) return {};
        if (!by_from.emplace(unsure.turn.from, &unsure).second) return {};
        // What is inside of the last round may be missing at its end.
        if (closing == nullptr || unsure.turn.count < closing->turn.count) closing = &unsure;
    }
    if (closing == nullptr) return {};
    uint32_t at = closing->turn.to;
    for (size_t i = 1; i < by_from.size(); ++i) {
        const auto next = by_from.find(at);
        if (next == by_from.end() || next->second == closing) return {};
        at = next->second->turn.to;
    }
    if (at != closing->turn.from) return {};
    return {*closing};
}

}  // namespace

void Level::see(const PathTurn& turn) {
    threads.insert(turn.thread);
    for (uint32_t i = 0; turn.threads != nullptr && i < turn.threads->size(); ++i) {
        if ((*turn.threads)[i] != 0) threads.insert(i);
    }
    first = std::min(first, turn.first);
    last = std::max(last, turn.last);
}

void Level::add_round(Spot from, Spot to, const PathTurn& turn) {
    rounds += turn.count;
    begins.insert(to);
    ends.insert(from);
    visits[to.block] += turn.count;
    see(turn);
    turns.begins.push_back(key_of(turn));
    arrive(to.block, turn.count, &turn, turn.to);
}

void Level::add_visit(BlockId from, BlockId to, const PathTurn& turn) {
    visits[to] += turn.count;
    if (from != to) arrive(to, turn.count, &turn, turn.to);
}

void Level::arrive(BlockId at, uint64_t count, const PathTurn* turn, uint32_t node) {
    const SourceBlock& statement = source->tree[at];
    const bool runs_through = !statement.waits && !statement.is_exit && !statement.is_header;
    if (!waits || !runs_through || source->tree.level_of(at) != block) return;
    Arrivals& here = arrivals[at];
    here.count += count;
    if (turn == nullptr) here.entries.push_back(node);
    else here.begins.push_back(key_of(*turn));
}

void Level::add_entry(BlockId at, uint64_t count, const PathTurn* turn, uint32_t node) {
    entries += count;
    visits[at] += count;
    arrive(at, count, turn, node);
    if (turn == nullptr) {
        turns.entries.push_back(node);
        return;
    }
    see(*turn);
    turns.begins.push_back(key_of(*turn));
}

bool Level::may_be_entered_unseen() const {
    const auto has_common = [](const std::set<Spot>& a, const std::set<Spot>& b) {
        return std::any_of(a.begin(), a.end(), [&](Spot spot) { return b.contains(spot); });
    };
    return has_common(begins, entered) && has_common(ends, left);
}

bool Level::may_have_in_each(const std::vector<UnsureTurn>& inside) const {
    uint64_t count = 0;
    for (const UnsureTurn& one : inside) count += one.turn.count;
    // The first round has no turn before it.
    return rounds == 0 || count % rounds == 0 || count % (rounds + 1) == 0;
}

bool Level::are_few(uint64_t count) const {
    constexpr uint64_t part = 50;
    return count <= std::max<uint64_t>(2, (rounds + entries) / part);
}

bool Level::may_share_evenly(uint64_t count) const {
    const auto over = [count](uint64_t all) {
        return all == 0 ? count : std::min(count % all, all - count % all);
    };
    // What turns of one round to the next is there once less than rounds are.
    return are_few(std::min(over(rounds + entries), over(rounds)));
}

bool Level::may_hide_at(Spot spot) const {
    return !source->tree[spot.block].has_loop && (rounds == 0 || is_edge(spot));
}

void Level::add_hidden(Spot spot) {
    if (is_loop()) irregular = spot.block;
    else loose.insert(spot);
}

bool Level::is_last(BlockId statement) const {
    const auto own = last_at.find(statement);
    return own != last_at.end() &&
           std::all_of(last_at.begin(), last_at.end(),
                       [&](const auto& other) { return other.second <= own->second; });
}

bool Level::is_sure(BlockId statement) const {
    const auto plain = is_plain.find(statement);
    const SourceBlock& at = source->tree[statement];
    return source->tree.is_certain(statement, block) && !at.is_mixed && !at.has_condition &&
           (plain == is_plain.end() || plain->second);
}

bool Level::takes_whenever_run(BlockId statement) const {
    const auto always = taken_always.find(statement);
    const auto visited = visits.find(statement);
    return always == taken_always.end() || visited == visits.end() ||
           2 * always->second >= visited->second;
}

bool Level::has_middle_beside(BlockId statement) const {
    const auto is_end = [&](BlockId at) {
        const auto in = [&](const std::set<Spot>& spots) {
            const auto found = spots.lower_bound({at, 0});
            return found != spots.end() && found->block == at;
        };
        return in(begins) || in(ends);
    };
    return std::any_of(visits.begin(), visits.end(), [&](const auto& visit) {
        return visit.first != statement && !is_end(visit.first) && is_sure(visit.first) &&
               source->tree.is_reached(visit.first, block) && takes_whenever_run(visit.first) &&
               visit.second >= rounds;
    });
}

bool Level::is_under_conditions_beside(BlockId statement) const {
    // A loop inside goes round at least once, or so one may assume.
    const auto is_reached = [&](BlockId at) {
        return source->tree.is_reached(at, block) && takes_whenever_run(at);
    };
    return visits.size() > 1 && std::none_of(visits.begin(), visits.end(), [&](const auto& visit) {
               return visit.first != statement && is_reached(visit.first);
           });
}

bool Level::is_single_beside(Spot spot) const {
    const auto has_single = [&](const std::set<Spot>& edge) {
        return std::any_of(edge.begin(), edge.end(), [&](Spot at) {
            const auto stay = usual_stays.find(at);
            return at != spot && stay != usual_stays.end() && stay->second == 1;
        });
    };
    return (begins.contains(spot) && has_single(ends)) ||
           (ends.contains(spot) && has_single(begins));
}

bool Level::is_told_by_arms() const {
    const SourceTree& tree = source->tree;
    std::map<BlockId, uint64_t> most;  // by arm: visits of its statement that has most
    std::map<BlockId, BlockId> arm_of;
    std::optional<BlockId> branch;
    for (const auto& [at, visited] : visits) {
        BlockId arm = block;
        for (BlockId i = at; i > block; i = tree[i].parent) {
            if (tree[i].kind == BlockKind::arm) arm = i;
        }
        if (arm == block || tree[tree[arm].parent].kind != BlockKind::branch) return false;
        if (branch && *branch != tree[arm].parent) return false;
        branch = tree[arm].parent;
        arm_of[at] = arm;
        most[arm] = std::max(most[arm], visited);
    }
    if (!branch || !tree.is_certain(*branch, block)) return false;
    std::set<BlockId> sure;
    for (const auto& [at, visited] : visits) {
        const BlockId arm = arm_of[at];
        if (tree.is_certain(at, arm) && visited * 2 >= most[arm]) sure.insert(arm);
    }
    return sure.size() == most.size();
}

std::optional<BlockId> Level::counting_statement() const {
    std::optional<BlockId> found;
    for (const auto& [at, here] : arrivals) {
        const auto next = unsure.lower_bound({at, 0});
        const bool is_unsure = next != unsure.end() && next->first.block == at;
        if (is_unsure || irregular == at || !is_sure(at) || !takes_whenever_run(at)) continue;
        if (!found || here.count > arrivals.at(*found).count) found = at;
    }
    return found;
}

uint64_t Level::count() const {
    if (waits) {
        const std::optional<BlockId> at = counting_statement();
        return at ? arrivals.at(*at).count : 0;
    }
    const uint64_t all = rounds + entries;
    // The header runs once more than the body, at the end.
    return goes_on_from_header ? all - std::min(all, ended_at_header) : all;
}

std::string Level::problem() const {
    const SourceTree& tree = source->tree;
    if (waits) {
        if (counting_statement()) return {};
        return "its iterations wait (await, yield) in each line that takes memory each time, and "
               "one that goes on looks like one that begins";
    }
    if (unplaced_turns > 0) {
        return fmt::format("for which statement line {} takes memory is not known", unplaced_line);
    }
    if (rounds == 0) return "no iteration can be told from the next";
    if (source->tree[block].may_be_loop) {
        return fmt::format("a macro or a goto at line {} may go round, or may not",
                           tree[block].line);
    }
    if (mixed) {
        return fmt::format("line {} has a condition and what it decides", tree[*mixed].line);
    }
    for (const auto& [from, to] : others) {
        if (!may_turn(from, to)) continue;
        return fmt::format("line {} may be met twice in one iteration, or once in two",
                           tree[to.block].line);
    }
    if (irregular) {
        return fmt::format("line {} takes memory at irregular times", tree[*irregular].line);
    }
    for (const auto& [at, turns_at] : unsure) {
        if (!may_turn(at, at) && !(is_one_statement() && is_edge(at))) continue;
        return fmt::format("line {} may take memory several times in one iteration",
                           tree[at.block].line);
    }
    const bool only_header = !goes_on_from_header && ended_at_header > 0;
    if (only_header && begins.size() == 1 && tree[begins.begin()->block].is_header) {
        return "only its header takes memory, once more than it goes round";
    }
    for (const auto& [at, visited] : visits) {
        if (is_sure(at) && visited * 2 >= rounds + entries) return {};
    }
    if (is_told_by_arms()) return {};
    const bool has_certain = std::any_of(visits.begin(), visits.end(), [&](const auto& visit) {
        return tree.is_certain(visit.first, block) && !tree[visit.first].is_mixed;
    });
    return has_certain ? "its lines take memory only now and then, to make something larger"
                       : "each of its lines that takes memory is under a condition";
}

std::vector<UnsureTurn> rounds_of(const std::vector<UnsureTurn>& turns,
                                  std::set<uint32_t> anchors) {
    std::set<uint32_t> places;
    for (const UnsureTurn& unsure : turns) {
        if (!unsure.is_leaf) return {};
        if (unsure.turn.from != unsure.turn.to) continue;
        if (!places.insert(unsure.place.node).second) return {};
        anchors.insert(unsure.turn.to);
    }
    if (anchors.empty()) return once_around(turns);
    std::vector<UnsureTurn> rounds;
    for (const UnsureTurn& unsure : turns) {
        if (anchors.contains(unsure.turn.to)) rounds.push_back(unsure);
        else if (!anchors.contains(unsure.turn.from)) return {};
    }
    return rounds;
}

}  // namespace memtrace::analyzer
