// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/find_loops.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "analyzer/steps/call_plumbing.h"
#include "analyzer/steps/hidden_rounds.h"
#include "analyzer/steps/level_places.h"
#include "analyzer/steps/loop_list.h"

namespace memtrace::analyzer {
namespace {

class Finder : LevelPlaces {
public:
    Finder(const PathLook& look, const Symbols& symbols, const CodePatterns& code,
           SourceFiles& files)
        : LevelPlaces(look, symbols, code, files),
          look_(look),
          symbols_(symbols),
          nodes_(symbols.nodes),
          code_(code) {}

    FoundLoops run(const std::vector<PathTurn>& turns) {
        for (const PathTurn& turn : turns) look_at(turn);
        for (const PathTurn& turn : turns) take(turn);
        add_entries();
        note_conditions(turns);
        explain_unsure();
        HiddenRounds(*this).find(within_);
        for (const PathTurn& turn : turns) {
            for (const uint32_t node : {turn.from, turn.to}) add_insides(node);
        }
        return list_loops(levels().all(), look_, symbols_, code_, unreadable());
    }

private:
    struct Parting {
        uint32_t index = 0;    // where the two stacks part, from the outermost frame on
        bool is_move = false;  // It is the same function, at another line.
    };
    Parting parting_of(const PathTurn& turn) {
        const size_t common = std::min(frame_count(turn.from), frame_count(turn.to));
        uint32_t i = 0;
        // One line of Python can be several statements.
        while (i < common && frame_id({turn.from, i}) == frame_id({turn.to, i}) &&
               info({turn.from, i}).block == info({turn.to, i}).block) {
            ++i;
        }
        return {i, i < common && is_same_function({turn.from, i}, {turn.to, i})};
    }

    void look_at(const PathTurn& turn) {
        const auto [i, is_move] = parting_of(turn);
        if (is_move) look_at_turn({turn.from, i}, {turn.to, i}, turn.count);
    }

    void take(const PathTurn& turn) {
        if (turn.from == turn.to) {
            if (turn.to == no_stack) return;
            note_unplaced({turn.to, static_cast<uint32_t>(frame_count(turn.to) - 1)});
            return go_out({turn.to, static_cast<uint32_t>(frame_count(turn.to))}, true, turn, true);
        }
        const auto [i, is_move] = parting_of(turn);
        const Place from{turn.from, i}, to{turn.to, i};
        for (uint32_t inner = is_move ? i + 1 : i; inner < frame_count(turn.to); ++inner) {
            enter({turn.to, inner}, turn.count, &turn);
        }
        for (uint32_t inner = is_move ? i + 1 : i; inner < frame_count(turn.from); ++inner) {
            leave({turn.from, inner}, turn.count);
        }
        if (is_move) {
            const FrameInfo a = info(from), b = info(to);
            if (a.source != nullptr && a.source == b.source) return move(from, to, a, b, turn);
            go_unplaced(from, to, turn);
            return go_out(to, false, turn);
        }
        const bool is_line = i > 0 && i == frame_count(turn.from) && i == frame_count(turn.to);
        if (is_line && frame({turn.to, i - 1}).kind == FrameKind::python) {
            // Two instructions of one line.
            const Place before{turn.from, i - 1}, after{turn.to, i - 1};
            const FrameInfo known = info(after);
            if (known.source != nullptr) return move(before, after, known, known, turn);
        }
        go_out({turn.to != no_stack ? turn.to : turn.from, i}, false, turn, true);
    }

    // `turn`: null if the node is entered below a turn.
    void enter(Place place, uint64_t count, const PathTurn* turn) {
        const FrameInfo known = info(place);
        if (known.source == nullptr) return;
        known.source->tree.for_each_level(known.block, [&](BlockId block) {
            Level& level = level_at(known, block, place);
            level.turns.inside.push_back(place.node);
            if (count == 0) return true;
            level.add_entry(known.block, count, turn, place.node);
            level.entered.insert(spot_of(place, known.block));
            return true;
        });
    }

    void leave(Place place, uint64_t count) {
        const FrameInfo known = info(place);
        if (known.source == nullptr) return;
        leave_header(known, place, count);
        known.source->tree.for_each_level(known.block, [&](BlockId block) {
            level_at(known, block, place).left.insert(spot_of(place, known.block));
            return true;
        });
    }

    void leave_header(const FrameInfo& known, Place place, uint64_t count) {
        const SourceTree& tree = known.source->tree;
        if (!tree[known.block].is_header) return;
        level_at(known, tree.level_of(known.block), place).ended_at_header += count;
    }

    // A function went on from one of its lines to another, or round a loop, or was called again.
    void move(Place from, Place to, const FrameInfo& a, const FrameInfo& b, const PathTurn& turn) {
        const SourceTree& tree = a.source->tree;
        if (a.block == b.block && !a.source->is_python) {
            return go_out({to.node, to.index + 1}, false, turn, true);
        }
        const bool is_same = a.block == b.block;
        const bool is_forward = is_same
                                    ? location_of(to.node).address > location_of(from.node).address
                                    : tree.can_follow(a.block, b.block);
        if (tree[a.block].is_header && !tree.is_in(b.block, tree.level_of(a.block))) {
            leave_header(a, from, turn.count);
        }
        // A condition on one line with what it decides can be before the other arm, or be it.
        const bool is_mixed = !is_same && b.block > a.block && !is_forward &&
                              (tree[a.block].is_mixed || tree[b.block].is_mixed);
        const Spot spot_a = spot_of(from, a.block), spot_b = spot_of(to, b.block);
        bool is_counted = is_forward;  // as a round of a level
        bool is_again = false;         // The function was called again.
        std::optional<BlockId> round_of;
        tree.for_each_level(b.block, [&](BlockId block) {
            Level& level = level_at(b, block, to);
            level.turns.inside.push_back(to.node);
            level.turns.inside.push_back(from.node);
            if (!tree.is_in(a.block, block)) {
                level.add_entry(b.block, turn.count, &turn, to.node);
                return true;
            }
            level.goes_on_from_header |= tree[a.block].is_header && !tree[b.block].is_header;
            if (is_counted) {
                level.others.insert({spot_a, spot_b});
                level.add_visit(a.block, b.block, turn);
                return true;
            }
            is_counted = true;
            // A comprehension goes round by itself.
            if (is_mixed) level.mixed = a.block;
            if (is_same && tree[a.block].has_loop)
                level.unsure[spot_b].push_back({turn, to, false});
            else level.add_round(spot_a, spot_b, turn);
            round_of = block;
            is_again = tree[block].kind != BlockKind::loop;
            return true;
        });
        // Nobody calls main() again, so one of the two lines is not the one that took memory.
        if (is_again && is_main(frame(to))) go_unplaced(from, to, turn);
        if (is_again) go_out(to, true, turn);
        else within_.push_back({spot_a, spot_b, to, round_of});
    }

    // A function went on from one line to another, and one of them has no statement that is known.
    void go_unplaced(Place from, Place to, const PathTurn& turn) {
        const FrameInfo a = info(from), b = info(to);
        if (frame(to).kind == FrameKind::python) return;
        if (a.source != nullptr || b.source != nullptr) {
            add_unplaced(from.node);
            add_unplaced(to.node);
        }
        note_unplaced(from);
        note_unplaced(to);
        if (b.source == nullptr) return;
        b.source->tree.for_each_level(b.block, [&](BlockId block) {
            level_at(b, block, to).add_unplaced(frame(from).line, turn);
            return true;
        });
    }

    void note_unplaced(Place place) {
        if (frame_count(place.node) != 0 && info(place).is_unplaced) add_unplaced(place.node);
    }

    // What happens inside the frame just outside `place` leaves it at its line. `is_sure`: what is
    // inside was called again. `is_leaf`: no function whose lines are known lies inside, or only
    // such that took memory at one place.
    void go_out(Place place, bool is_sure, const PathTurn& turn, bool is_leaf = false,
                bool is_function = false) {
        for (;;) {
            while (place.index == 0) {
                place.node = nodes_.parent(place.node);
                if (place.node == no_stack) return;
                const Dull dull = dull_of(place.node);
                if (!dull.is_dull) place.index = static_cast<uint32_t>(frame_count(place.node));
                else is_sure &= dull.is_plumbing;
                if (dull.is_dull) is_leaf &= (dull.is_plumbing || !is_function) && !dull.may_loop;
            }
            place.index -= 1;
            const FrameInfo known = info(place);
            if (known.source == nullptr) {
                is_sure &= known.is_plumbing;
                is_leaf &= (known.is_plumbing || !is_function) && !known.may_loop;
                continue;
            }
            const SourceTree& tree = known.source->tree;
            const BlockId block = tree.level_of(known.block);
            Level& level = level_at(known, block, place);
            level.turns.inside.push_back(place.node);
            const Spot spot = spot_of(place, known.block);
            if (!is_sure || tree[known.block].has_loop) {
                level.unsure[spot].push_back({turn, place, is_leaf});
                return;
            }
            if (is_leaf && turn.from == turn.to) level.anchors.insert(place.node);
            is_leaf = false;
            level.add_round(spot, spot, turn);
            if (tree[block].kind == BlockKind::loop) {
                within_.push_back({spot, spot, place, block});
                return;
            }
        }
    }

    // Frames that were entered or left below turns.
    void add_entries() {
        for (uint32_t node = 1; node < nodes_.size(); ++node) {
            const uint64_t entered = look_.moves.entered(node), left = look_.moves.left(node);
            if ((entered == 0 && left == 0) || dull_of(node).is_dull) continue;
            for (uint32_t i = 0; i < frame_count(node); ++i) {
                enter({node, i}, entered, nullptr);
                if (left > 0) leave({node, i}, left);
            }
        }
    }

    // Notes what statements take that is under no condition in the functions that they call.
    void note_conditions(const std::vector<PathTurn>& turns) {
        PathFrames& path_frames = *look_.moves.frames();
        std::vector<std::vector<uint32_t>> by_depth;  // a node for each frame
        LongList<uint8_t> is_inside(nodes_.size());
        for (const PathTurn& turn : turns) {
            if (turn.count < 2) continue;  // as the imports of a start
            for (const uint32_t node : {turn.from, turn.to}) is_inside[node] |= is_own(node);
        }
        for (uint32_t node = 1; node < nodes_.size(); ++node) {
            is_inside[node] |= is_inside[nodes_.parent(node)];
            if (is_inside[node] == 0 || look_.moves.count_inside(node) == 0) continue;
            if (path_frames.of(node) != node) continue;
            const size_t depth = path_frames.depth(node);
            if (by_depth.size() <= depth) by_depth.resize(depth + 1);
            by_depth[depth].push_back(node);
        }
        std::unordered_map<uint32_t, Taken> inside;  // by node
        for (; !by_depth.empty(); by_depth.pop_back()) {
            for (const uint32_t node : by_depth.back()) {
                const auto found = inside.find(node);
                Taken taken =
                    found == inside.end() ? Taken{look_.moves.count_inside(node)} : found->second;
                const bool is_dull = dull_of(node).is_dull && !taken.has_own;
                for (size_t i = is_dull ? 0 : frame_count(node); i-- > 0;)
                    note_taken({node, static_cast<uint32_t>(i)}, taken);
                const uint32_t outer = path_frames.outer(node);
                if (outer == no_stack) continue;
                if (calls_unseen(outer, node)) taken = {0, true, taken.has_own};
                inside[outer].always += taken.always;
                inside[outer].has_more |= taken.has_more;
                inside[outer].has_own |= taken.has_own;
            }
        }
    }

    // What was taken inside of a frame.
    struct Taken {
        uint64_t always = 0;
        bool has_more = false;  // under conditions
        bool has_own = false;   // in the user's own code
    };

    // Inside of the frame, so much was taken. Outside of it, all of it is under the conditions of
    // its function.
    void note_taken(Place place, Taken& taken) {
        const FrameInfo known = info(place);
        if (taken.has_own && !known.is_own && may_know_the_answer(frame(place)))
            taken = {0, true, true};
        taken.has_own |= known.is_own;
        if (known.source == nullptr) return;
        const SourceTree& tree = known.source->tree;
        BlockId outermost = 0;
        tree.for_each_level(known.block, [&](BlockId block) {
            outermost = block;
            Level* const level = find_level(known, block, place);
            if (level != nullptr) level->note_taken(known.block, taken.always);
            return true;
        });
        if (!known.is_own || tree.is_reached(known.block, outermost)) return;
        taken.always = 0;
        taken.has_more = true;
    }

    // A line of a loop may have been told apart only by functions that were inlined into it.
    void add_insides(uint32_t node) {
        if (node == no_stack || dull_of(node).is_dull) return;
        for (uint32_t i = 0; i < frame_count(node); ++i) {
            const Place place{node, i};
            const FrameInfo known = info(place);
            if (known.source == nullptr) continue;
            known.source->tree.for_each_level(known.block, [&](BlockId block) {
                Level* const level = find_level(known, block, place);
                if (level != nullptr) level->turns.inside.push_back(node);
                return true;
            });
        }
    }

    void explain_unsure() {
        std::vector<UnsureTurn> explained;
        do {
            explained.clear();
            for (auto& [key, level] : levels().all()) explain(level, explained);
            for (const UnsureTurn& turn : explained) {
                go_out(turn.place, false, turn.turn, true, true);
            }
        } while (!explained.empty());
    }

    // Appends the turns that call a function again.
    void explain(Level& level, std::vector<UnsureTurn>& explained) {
        for (auto at = level.unsure.begin(); at != level.unsure.end();) {
            const Spot spot = at->first;
            const bool may_be = !level.source->tree[spot.block].has_loop &&
                                (level.rounds == 0 || level.is_edge(spot));
            const std::vector<UnsureTurn> rounds =
                may_be ? rounds_of(at->second, level.anchors) : std::vector<UnsureTurn>{};
            const bool is_whole = level.is_loop()
                                      ? level.may_turn(spot, spot) || level.is_one_statement()
                                      : level.may_turn(spot, spot) && level.is_one_statement();
            if (may_be && !is_whole) judge_inside(level, spot, at->second, rounds);
            if (rounds.empty() || !is_whole) {
                ++at;
                continue;
            }
            if (!level.is_loop()) {
                // It may have been called again, or its line took memory twice: the caller tells.
                explained.insert(explained.end(), at->second.begin(), at->second.end());
                at = level.unsure.erase(at);
                continue;
            }
            for (const UnsureTurn& turn : rounds) {
                level.add_round(spot, spot, turn.turn);
                within_.push_back({spot, spot, turn.place, level.block});
            }
            at = level.unsure.erase(at);
        }
    }

    void judge_inside(Level& level, Spot spot, const std::vector<UnsureTurn>& turns,
                      const std::vector<UnsureTurn>& rounds) const {
        Stays stays = Stays::steady;
        for (const UnsureTurn& unsure : turns) {
            stays = std::max(stays, stays_at(level, spot.block, unsure.place));
        }
        const bool is_inside = level.stays_inside(spot, stays);
        if (!level.is_loop()) {
            if (!is_inside) level.loose.insert(spot);
        } else if (!is_inside || !level.may_have_in_each(rounds)) {
            level.irregular = spot.block;
        }
    }

    const PathLook& look_;
    const Symbols& symbols_;
    const StackNodes& nodes_;
    const CodePatterns& code_;
    std::vector<Within> within_;  // turns that are no new calls of their functions
};

}  // namespace

FoundLoops find_loops(const PathLook& look, const std::vector<PathTurn>& turns,
                      const Symbols& symbols, const CodePatterns& code, SourceFiles& files) {
    return Finder(look, symbols, code, files).run(turns);
}

}  // namespace memtrace::analyzer
