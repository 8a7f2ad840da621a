// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/loop_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analyzer/base/paths.h"
#include "analyzer/base/units.h"
#include "analyzer/replay/step_marks.h"

namespace memtrace::analyzer {
namespace {

template <class Value>
void sort_unique(std::vector<Value>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

std::string thread_text(const Level& level, const PathLook& look) {
    if (level.threads.size() != 1) return counted(level.threads.size(), "thread");
    const uint32_t number = *level.threads.begin();
    if (number >= look.threads.size()) return {};
    const ThreadInfo& thread = look.threads[number];
    return thread.name.empty() ? std::to_string(thread.tid) : thread.name;
}

class Lister {
public:
    Lister(const std::map<LevelKey, Level>& levels, const PathLook& look, const Symbols& symbols,
           const CodePatterns& code)
        : levels_(levels), look_(look), symbols_(symbols), code_(code) {
        for (const auto& [key, level] : levels) {
            const Frame& inside = frame(level.place);
            sources_.emplace(std::pair(inside.function, inside.file), level.source);
        }
    }

    FoundLoops list() {
        std::vector<const Level*> loops;
        for (const auto& [key, level] : levels_) {
            // A generator may be met only below what goes through it, which is counted then.
            const bool is_counted = level.counting_statement() && !level.threads.empty();
            const bool goes_round = level.rounds > 0 || level.unplaced_turns > 1 || is_counted;
            if (level.is_loop() && goes_round) loops.push_back(&level);
        }
        // A loop that calls the function of another one may be the one that goes round.
        for (size_t i = loops.size(); i-- > 0;) {
            if (!may_be_called_unseen(*loops[i])) continue;
            any_caller(*loops[i], [&](const Level& outer) {
                const bool is_new = std::find(loops.begin(), loops.end(), &outer) == loops.end();
                if (is_new) loops.push_back(&outer);
                if (is_new) times_.emplace(&outer, loops[i]);
                return false;
            });
        }
        // Outer loops are met at outer nodes, or at earlier blocks of one function.
        std::sort(loops.begin(), loops.end(), [this](const Level* a, const Level* b) {
            const size_t depth_a = depth_of(a->place), depth_b = depth_of(b->place);
            if (depth_a != depth_b) return depth_a < depth_b;
            return std::pair(frame(a->place).file, a->block) <
                   std::pair(frame(b->place).file, b->block);
        });
        FoundLoops result;
        for (const Level* level : loops) add(*level, result);
        return result;
    }

private:
    const Frame& frame(Place place) const {
        const std::span<const FrameId> all = symbols_.frames_of(place.node);
        return symbols_.frames[all[all.size() - 1 - place.index]];
    }

    size_t depth_of(Place place) const {
        size_t depth = 0;
        for (uint32_t node = place.node; node != no_stack; node = symbols_.nodes.parent(node)) {
            depth += symbols_.frames_of(node).size();
        }
        return depth - symbols_.frames_of(place.node).size() + place.index;
    }

    void add(const Level& level, FoundLoops& result) {
        const Frame& inside = frame(level.place);
        SourceLoop loop;
        loop.function = inside.function;
        loop.file = inside.file;
        loop.line = level.source->tree[level.block].line;
        loop.thread = thread_text(level, look_);
        loop.threads = static_cast<uint32_t>(level.threads.size());
        loop.is_own = is_user_code(inside, code_);
        loop.parent = parent_of(level, result);
        const auto inner = times_.find(&level);
        const Level& timed = inner == times_.end() ? level : *inner->second;
        loop.begin_ns = look_.clock.ns(timed.first);
        loop.end_ns = look_.clock.ns(timed.last);
        loop.entries = level.entries;
        if (may_be_called_unseen(level) && is_in_unclear(level, result))
            loop.entries = std::max(loop.entries, steps_min);
        LoopTurns turns = level.turns;
        if (level.waits) {
            take_arrivals(level, turns);
            // How often it was begun is not known. In a loop that cannot be counted, it may be
            // often.
            const bool is_unclear = loop.parent && !result.found.loops[*loop.parent].count;
            loop.entries = is_unclear ? steps_min : 1;
        }
        sort_unique(turns.begins);
        sort_unique(turns.entries);
        sort_unique(turns.inside);
        loop.why_not = level.problem();
        if (loop.why_not.empty()) loop.why_not = problem_at_end(level, turns);
        if (loop.why_not.empty()) loop.count = level.count();
        turns.name = fmt::format("{}:{}", base_name(loop.file), loop.line);
        turns.count = loop.count.value_or(0);
        numbers_[&level] = result.found.loops.size();
        result.found.loops.push_back(std::move(loop));
        result.turns.push_back(std::move(turns));
    }

    // The iterations of a loop that waits begin at one statement.
    static void take_arrivals(const Level& level, LoopTurns& turns) {
        const std::optional<BlockId> at = level.counting_statement();
        if (!at) return;
        turns.begins = level.arrivals.at(*at).begins;
        turns.entries = level.arrivals.at(*at).entries;
    }

    // What a loop does after the last turn that begins a round is its last round. If that lasts as
    // long as many others, they may hide in it.
    std::string problem_at_end(const Level& level, const LoopTurns& turns) const {
        constexpr uint64_t long_part = 2;
        uint64_t last = level.last;
        for (const uint32_t node : turns.inside)
            last = std::max(last, look_.moves.last_inside(node));
        const bool is_long = (last - level.last) * long_part > level.last - level.first;
        if (level.count() < steps_min || !is_long) return {};
        return "its last iteration lasts longer than half of all others, and more may hide in it";
    }

    // Returns the loop around this one that is listed already.
    std::optional<size_t> parent_of(const Level& level, const FoundLoops&) const {
        Place place = level.place;
        BlockId block = level.source->tree[level.block].parent;
        const ParsedSource* source = level.source;
        while (true) {
            if (source != nullptr) {
                std::optional<BlockId> loop = source->tree.loop_of(block);
                for (; loop; loop = source->tree.loop_of(source->tree[*loop].parent)) {
                    const auto found = levels_.find({source, frame(place).function, *loop});
                    if (found == levels_.end()) continue;
                    const auto number = numbers_.find(&found->second);
                    if (number != numbers_.end()) return number->second;
                }
            }
            while (place.index == 0) {
                place.node = symbols_.nodes.parent(place.node);
                if (place.node == no_stack) return std::nullopt;
                place.index = static_cast<uint32_t>(symbols_.frames_of(place.node).size());
            }
            place.index -= 1;
            std::tie(source, block) = source_of(frame(place));
        }
    }

    bool may_be_called_unseen(const Level& level) const {
        return level.may_be_entered_unseen() && is_user_code(frame(level.place), code_);
    }

    // Calls each(level) for the loops of the user's own in which the loop's function is called,
    // innermost first. Stops if each() returns true, and returns that.
    template <class Each>
    bool any_caller(const Level& level, Each&& each) const {
        for (Place place = level.place;;) {
            while (place.index == 0) {
                place.node = symbols_.nodes.parent(place.node);
                if (place.node == no_stack) return false;
                place.index = static_cast<uint32_t>(symbols_.frames_of(place.node).size());
            }
            place.index -= 1;
            const auto [source, block] = source_of(frame(place));
            if (source == nullptr || !is_user_code(frame(place), code_)) continue;
            std::optional<BlockId> loop = source->tree.loop_of(block);
            for (; loop; loop = source->tree.loop_of(source->tree[*loop].parent)) {
                const auto found = levels_.find({source, frame(place).function, *loop});
                if (found != levels_.end() && each(found->second)) return true;
            }
        }
    }

    // True if the loop's function is called within a loop of the user's own that is not counted.
    bool is_in_unclear(const Level& level, const FoundLoops& result) const {
        return any_caller(level, [&](const Level& outer) {
            const auto number = numbers_.find(&outer);
            return number != numbers_.end() && !result.found.loops[number->second].count;
        });
    }

    // Returns the source and the statement of a frame, as far as levels tell.
    std::pair<const ParsedSource*, BlockId> source_of(const Frame& frame) const {
        const auto found = sources_.find({frame.function, frame.file});
        if (found == sources_.end()) return {nullptr, 0};
        const std::optional<BlockId> block = found->second->tree.at(frame.line);
        if (!block) return {nullptr, 0};
        return {found->second, *block};
    }

    const std::map<LevelKey, Level>& levels_;
    const PathLook& look_;
    const Symbols& symbols_;
    const CodePatterns& code_;
    std::map<const Level*, size_t> numbers_;
    std::map<const Level*, const Level*> times_;  // of one that was not seen to go round: inside
    std::map<std::pair<std::string, std::string>, const ParsedSource*> sources_;  // of functions
};

// The steps' loop lasts for at least this part of the time in which loops went round.
constexpr uint64_t own_part = 5;
constexpr uint64_t library_part = 20;
// Or at least for this part of the time that was left when it began.
constexpr uint64_t late_part = 2;
// After a loop of a library, at most this part of that time may be left.
constexpr uint64_t end_part = 5;

// Returns the time of the last acquisition; in Python, of the last one in a function, because what
// the interpreter does when it ends is no work.
uint64_t end_of(const PathLook& look) {
    const StackNodes& nodes = look.stacks.nodes;
    uint64_t last = 0, last_in_python = 0;
    for (uint32_t node = 1; node < nodes.size(); ++node) {
        const uint64_t time = look.moves.last_inside(node);
        if (nodes.parent(node) == no_stack) last = std::max(last, time);
        if (nodes.location(nodes.location_of(node)).kind == NodeKind::python)
            last_in_python = std::max(last_in_python, time);
    }
    if (last_in_python != 0) last = last_in_python;
    return last == 0 ? 0 : look.clock.ns(last);
}

// Returns a sentence about the line of the user's own code that goes round most often in a loop
// without a line of its own, or may do so in what it calls. Empty: there is none.
std::string hidden_loop(const std::map<LevelKey, Level>& levels, const Symbols& symbols,
                        const CodePatterns& code) {
    std::string hidden;
    uint64_t most = steps_min;
    for (const auto& [key, level] : levels) {
        for (const auto& [spot, turns] : level.unsure) {
            const SourceBlock& statement = level.source->tree[spot.block];
            const bool may_hide = statement.has_loop || (level.is_loop() && level.rounds == 0);
            if (!may_hide || turns.empty()) continue;
            const Place place = turns.front().place;
            const std::span<const FrameId> all = symbols.frames_of(place.node);
            const Frame& inside = symbols.frames[all[all.size() - 1 - place.index]];
            uint64_t count = 0;
            for (const UnsureTurn& unsure : turns) count += unsure.turn.count;
            if (count <= most || !is_user_code(inside, code)) continue;
            most = count;
            hidden = fmt::format(
                "{}:{} {}, so iterations around it cannot be told apart", base_name(inside.file),
                inside.line,
                statement.has_loop ? "has a loop without a line of its own"
                                   : "may take memory several times, in a function that it calls");
        }
    }
    return hidden;
}

bool has_steps(const SourceLoop& loop) { return loop.count && *loop.count >= steps_min; }

// True if the loop goes round a few times whenever somebody calls it, and nobody's own loop is
// around it: it is a part of other work, wherever that begins and ends.
bool is_helper(const SourceLoop& loop, const SourceLoops& loops) {
    const uint64_t iterations_min = loop.is_own ? 4 : 8;  // of each time that it is begun
    if (loop.entries < 3 || loop.entries * iterations_min <= *loop.count) return false;
    for (auto outer = loop.parent; outer; outer = loops.loops[*outer].parent) {
        if (loop.is_own && loops.loops[*outer].is_own) return false;
    }
    return true;
}

}  // namespace

void choose_steps(SourceLoops& loops, uint64_t run_end_ns) {
    loops.steps.reset();
    uint64_t begin = UINT64_MAX, end = 0;
    for (const SourceLoop& loop : loops.loops) {
        begin = std::min(begin, loop.begin_ns);
        end = std::max(end, loop.end_ns);
    }
    // Loops of imports say nothing of what comes after them. A loop that began late, after imports
    // that took most of the time, may be what the program does from there on.
    const auto is_short = [&](const SourceLoop& loop) {
        const uint64_t lasts = loop.end_ns - loop.begin_ns;
        const bool goes_on = lasts * late_part >= end - loop.begin_ns;
        if (loop.is_own) return lasts * own_part < end - begin && !goes_on;
        // What a library does at first, as a compiler that is called once, is no work of the
        // program.
        const uint64_t run_end = std::max(end, run_end_ns);
        const bool is_to_the_end = (run_end - loop.end_ns) * end_part <= run_end - loop.begin_ns;
        return lasts * library_part < end - begin || !is_to_the_end;
    };
    // The user's own loop is the one of the steps, and if its iterations cannot be told apart,
    // those of a library inside of it are none.
    const bool is_own_unclear = std::any_of(
        loops.loops.begin(), loops.loops.end(),
        [&](const SourceLoop& loop) { return loop.is_own && !loop.count && !is_short(loop); });
    const auto worth = [](const SourceLoop& loop) {
        return std::pair(loop.is_own, loop.end_ns - loop.begin_ns);
    };
    for (size_t i = 0; i < loops.loops.size(); ++i) {
        const SourceLoop& loop = loops.loops[i];
        if (!has_steps(loop) || is_short(loop) || is_helper(loop, loops)) continue;
        if (!loop.is_own && is_own_unclear) continue;
        bool is_inner = false;
        for (auto outer = loop.parent; outer; outer = loops.loops[*outer].parent) {
            const SourceLoop& around = loops.loops[*outer];
            if (around.is_own != loop.is_own) continue;
            // A loop that is begun as often as that is inside of many iterations of another one.
            is_inner |= around.count ? has_steps(around) : loop.entries >= steps_min;
        }
        if (is_inner) continue;
        if (!loops.steps || worth(loop) > worth(loops.loops[*loops.steps])) loops.steps = i;
    }
    if (loops.steps || !loops.why_none.empty()) return;
    for (const SourceLoop& loop : loops.loops) {
        if (!loop.is_own || loop.why_not.empty()) continue;
        loops.why_none = fmt::format("the loop at {}:{} goes round, but {}", base_name(loop.file),
                                     loop.line, loop.why_not);
        return;
    }
    loops.why_none = "no loop with enough iterations takes memory in each of them";
}

FoundLoops list_loops(const std::map<LevelKey, Level>& levels, const PathLook& look,
                      const Symbols& symbols, const CodePatterns& code,
                      const std::set<std::string>& unreadable) {
    FoundLoops result = Lister(levels, look, symbols, code).list();
    choose_steps(result.found, end_of(look));
    // Without its own source, the program's own loop may be around those of libraries.
    const std::optional<size_t> steps = result.found.steps;
    if (steps && !result.found.loops[*steps].is_own && !unreadable.empty()) {
        result.found.steps.reset();
    }
    const bool is_told = std::any_of(result.found.loops.begin(), result.found.loops.end(),
                                     [](const SourceLoop& loop) { return loop.is_own; });
    if (!result.found.steps && !is_told) {
        const std::string why = hidden_loop(levels, symbols, code);
        if (!why.empty()) result.found.why_none = why;
    }
    if (!result.found.steps && !is_told && !unreadable.empty()) {
        result.found.why_none = fmt::format(
            "loops are told by source lines, and {}{}", *unreadable.begin(),
            unreadable.size() > 1 ? fmt::format(" (and {} more)", unreadable.size() - 1) : "");
    }
    return result;
}

}  // namespace memtrace::analyzer
