// SPDX-License-Identifier: Apache-2.0
//
// What is counted of each loop and each function of the source while turns are explained
// (find_loops.h). A function counts like a loop: it goes round when it is called again.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/replay/loop_steps.h"
#include "analyzer/replay/path_moves.h"
#include "analyzer/steps/source_files.h"

namespace memtrace::analyzer {

// A frame of a node. Frames of a node are numbered from the outermost one.
struct Place {
    uint32_t node = no_stack;
    uint32_t index = 0;
};

// A place in a statement: the statement, and in Python the instruction, in their order.
struct Spot {
    BlockId block = 0;
    uint32_t instruction = 0;

    auto operator<=>(const Spot&) const = default;
};

struct UnsureTurn {
    PathTurn turn;
    Place place;           // the frame that stayed at its line
    bool is_leaf = false;  // No function whose lines are known lies inside.
};

// How often a place of a level took memory each time that the program stayed there.
enum class Stays : uint8_t {
    steady,   // as often nearly each time
    varying,  // or that is not known
    unknown,  // Lines without a statement took memory there (FramePlaces::info()).
    outlast,  // and the last time far more often than before, and nothing else came after that
};

// How often a statement of a loop that waits began: it waits for nothing itself, so that it runs
// from its beginning to its end each time that the program comes to it.
struct Arrivals {
    uint64_t count = 0;
    std::vector<uint64_t> begins;   // as in LoopTurns
    std::vector<uint32_t> entries;  // as in LoopTurns
};

struct Level {
    const ParsedSource* source = nullptr;
    BlockId block = 0;
    // A loop in which the function may be left and gone on with later (await, yield): where it is
    // entered says nothing of its rounds.
    bool waits = false;
    Place place;  // where it was first met
    uint64_t rounds = 0;
    uint64_t entries = 0;
    uint64_t ended_at_header = 0;  // times that a loop was left from its header
    bool goes_on_from_header = false;
    std::set<Spot> begins;                           // where rounds begin
    std::set<Spot> ends;                             // and where they end
    std::set<Spot> entered;                          // of a function: where calls began
    std::set<Spot> left;                             // and where they ended
    std::set<std::pair<Spot, Spot>> others;          // turns inside that are no rounds
    std::map<Spot, uint64_t> usual_stays;            // PathMoves::usual_stay
    std::map<BlockId, uint64_t> visits;              // by statement
    std::map<BlockId, Arrivals> arrivals;            // of a loop that waits, by statement
    std::map<BlockId, bool> is_plain;                // by statement: not only PathMoves::only_grows
    std::map<BlockId, uint64_t> taken_always;        // by statement: note_taken()
    std::map<BlockId, uint64_t> last_at;             // by statement: PathMoves::last_inside
    std::map<Spot, std::vector<UnsureTurn>> unsure;  // turns inside one spot
    std::set<uint32_t> anchors;        // nodes that call the allocator themselves, again and again
    std::optional<BlockId> irregular;  // a statement that takes memory some number of times
    std::set<Spot> loose;              // of a function: it may have been called again there
    std::optional<BlockId> mixed;      // a condition on one line with what it decides
    uint64_t unplaced_turns = 0;       // from a line without a statement to one of the level
    uint32_t unplaced_line = 0;
    std::set<uint32_t> threads;
    uint64_t first = ~uint64_t{0};  // time of the rounds, in ticks
    uint64_t last = 0;
    LoopTurns turns;

    bool is_loop() const { return source->tree[block].kind == BlockKind::loop; }
    // True if a round may have begun at `to` after another ended at `from`.
    bool may_turn(Spot from, Spot to) const {
        return rounds == 0 || (ends.contains(from) && begins.contains(to));
    }
    // True if the function may have been called again at `to`, as far as calls are known from
    // others that were not called one after another. Where it was called with other arguments, it
    // may have gone another way.
    bool may_be_called_again(Spot from, Spot to) const {
        return !is_loop() && (begins.contains(to) || entered.contains(to)) &&
               (ends.contains(from) || left.contains(from));
    }
    // True if a turn that counts as a round may have been another call of the function.
    bool may_be_entered_unseen() const;
    bool is_edge(Spot spot) const { return begins.contains(spot) || ends.contains(spot); }
    // True if each round may have the same number of these turns.
    bool may_have_in_each(const std::vector<UnsureTurn>& inside) const;
    // True if so many rounds more or less make no difference.
    bool are_few(uint64_t count) const;
    // True if each round may have the same number of so many turns, but for a few.
    bool may_share_evenly(uint64_t count) const;
    // True if a round of the level may begin and end at this statement unseen. What other
    // statements take may be taken now and then, also if it is in each round that was seen.
    bool may_hide_at(Spot spot) const;
    // The level may have gone round, or the function been called again, inside of this statement.
    void add_hidden(Spot spot);
    // True if turns at an edge of the rounds are inside of a round. Else they may be rounds that
    // nothing else shows, because what follows is under a condition, or takes memory only now and
    // then, as a list that grows, or only in the first of them, as a table that is made once.
    bool stays_inside(Spot spot, Stays stays) const {
        if (stays == Stays::outlast) return false;
        const bool is_steady = stays == Stays::steady;
        return has_middle_beside(spot.block) ||
               (stays != Stays::unknown && !is_under_conditions_beside(spot.block) &&
                (is_steady || !is_single_beside(spot)));
    }
    // True if no other statement takes memory after the last time that this one does.
    bool is_last(BlockId statement) const;
    // True if the statement runs in each round, and takes memory when it does, as far as one sees.
    bool is_sure(BlockId statement) const;
    // The statement took so much that is under no condition in the functions that it calls, as far
    // as they are the user's own.
    void note_taken(BlockId statement, uint64_t always) { taken_always[statement] += always; }
    // True if the statement takes memory whenever it runs, as far as one sees. What it takes but
    // once, as a function does that is called for the first time, does not count.
    bool takes_whenever_run(BlockId statement) const;
    // True if some other line takes memory in the middle of each round, so that nobody can go from
    // this statement to this statement without meeting it.
    bool has_middle_beside(BlockId statement) const;
    // True if all other lines that take memory are under conditions.
    bool is_under_conditions_beside(BlockId statement) const;
    // True if the rounds have another edge that takes memory just once nearly each time, as a
    // list that grows.
    bool is_single_beside(Spot spot) const;
    // True if only one statement of the level takes memory. Rounds then begin and end in it.
    bool is_one_statement() const { return visits.size() <= 1; }
    // True if whatever takes memory lies in the arms of one branch, and in each of these arms some
    // line does that is always reached. Only one arm runs in a round, so no round hides another.
    bool is_told_by_arms() const;
    void see(const PathTurn& turn);
    void add_unplaced(uint32_t line, const PathTurn& turn) {
        unplaced_turns += turn.count;
        unplaced_line = line;
        see(turn);
    }
    void add_round(Spot from, Spot to, const PathTurn& turn);
    // The program went on from one statement to another within the level.
    void add_visit(BlockId from, BlockId to, const PathTurn& turn);
    // The loop or function is entered at `at`. `turn`: null if the node is entered below a turn.
    void add_entry(BlockId at, uint64_t count, const PathTurn* turn, uint32_t node);
    // Returns the reason why rounds cannot be counted; empty: they can.
    std::string problem() const;
    uint64_t count() const;
    // Returns the statement whose arrivals are the iterations of a loop that waits, or nothing.
    std::optional<BlockId> counting_statement() const;

private:
    void arrive(BlockId at, uint64_t count, const PathTurn* turn, uint32_t node);
};

// Returns the turns that begin a round of their statement, or nothing if it cannot be told.
//
// A statement that calls the allocator at one place again and again, and else only turns from there
// and back, ran once for each time that it came to this place. One that goes through several places
// in one order again and again ran once for each time around.
std::vector<UnsureTurn> rounds_of(const std::vector<UnsureTurn>& turns, std::set<uint32_t> anchors);

// By file, function and block. A function's name tells functions of the same lines apart.
using LevelKey = std::tuple<const ParsedSource*, std::string, BlockId>;

}  // namespace memtrace::analyzer
