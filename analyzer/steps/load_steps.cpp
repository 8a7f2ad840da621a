// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/load_steps.h"

#include <filesystem>
#include <map>
#include <memory>
#include <unordered_set>
#include <utility>

#include "analyzer/steps/find_loops.h"
#include "analyzer/steps/kept_turns.h"
#include "analyzer/symbolise/symbolise.h"

namespace memtrace::analyzer {
namespace {

bool is_own(const Location& location, const StackTree& stacks, const CodePatterns& patterns) {
    Frame frame;
    if (location.kind == NodeKind::python) {
        const auto code =
            stacks.codes.find(static_cast<uint32_t>(python_code_of(location.address)));
        if (code == stacks.codes.end()) return false;
        frame.kind = FrameKind::python;
        frame.file = code->second.file;
    } else {
        const auto module = stacks.modules.find(location.module);
        if (module == stacks.modules.end()) return false;
        frame.module = module->second.path;
    }
    return is_user_code(frame, patterns);
}

// Adds what the user's own code does inside of what it does again and again: its conditions count.
void add_own_insides(std::vector<uint8_t>& stacks, const PathLook& look,
                     const std::vector<PathTurn>& turns, const CodePatterns& patterns) {
    const StackNodes& nodes = look.stacks.nodes;
    std::vector<uint8_t> own(nodes.location_count());
    for (uint32_t i = 0; i < own.size(); ++i)
        own[i] = is_own(nodes.location(i), look.stacks, patterns);
    std::vector<uint8_t> is_inside(nodes.size());
    for (const PathTurn& turn : turns) {
        if (turn.count < 2) continue;
        for (const uint32_t node : {turn.from, turn.to}) {
            if (node != no_stack) is_inside[node] = own[nodes.location_of(node)];
        }
    }
    for (uint32_t node = 1; node < nodes.size(); ++node) {
        is_inside[node] |= is_inside[nodes.parent(node)];
        if (is_inside[node] == 0 || own[nodes.location_of(node)] == 0) continue;
        if (look.moves.count_inside(node) > 0) stacks[node] = 1;
    }
}

// Returns 1 for each stack that needs names, by node.
std::vector<uint8_t> stacks_to_name(const PathLook& look, const std::vector<PathTurn>& turns,
                                    const CodePatterns& own) {
    const StackNodes& nodes = look.stacks.nodes;
    std::vector<uint8_t> stacks(nodes.size());
    // All contexts of the code in which turns are kept count.
    std::unordered_set<uint64_t> codes;
    std::vector<uint8_t> locations(nodes.location_count());
    const auto python_code = [&](uint32_t node) {
        const Location& location = nodes.location(nodes.location_of(node));
        return location.kind == NodeKind::python ? python_code_of(location.address) : 0;
    };
    for (const PathTurn& turn : turns) {
        for (const uint32_t node : {turn.from, turn.to}) {
            if (node == no_stack || stacks[node] != 0) continue;
            stacks[node] = 1;
            locations[nodes.location_of(node)] = 1;
            if (const uint64_t code = python_code(node)) codes.insert(code);
        }
    }
    for (uint32_t node = 1; node < nodes.size(); ++node) {
        if (look.moves.entered(node) == 0) continue;
        const uint64_t code = python_code(node);
        const bool is_kept = code != 0 ? codes.contains(code) : locations[nodes.location_of(node)];
        if (is_kept) stacks[node] = 1;
    }
    add_own_insides(stacks, look, turns, own);
    return stacks;
}

}  // namespace

StepsOfDump load_steps(const std::string& path, const std::string& step, const CodePatterns& code,
                       SymbolOptions symbols, const Progress& progress, NodeMemo* nodes) {
    const PathLook look = look_at_paths(path, step, progress, nodes);
    if (look.is_sample) {
        StepsOfDump none;
        none.has_marks = look.has_marked_steps;
        none.loops.found.why_none =
            "the heap is a sample, and most iterations of a loop have no block in it; marks tell "
            "the steps (docs/use/phases.md)";
        return none;
    }
    const std::vector<PathTurn> turns = kept_turns(look);
    symbols.folded_lines = false;
    const Symbols names = symbolise(look.stacks, stacks_to_name(look, turns, code), symbols);
    SourceFiles files(look.clock.start_realtime_ns(),
                      std::filesystem::path(path).parent_path().string(), look.stacks.codes);
    StepsOfDump steps{find_loops(look, turns, names, code, files), look.has_marked_steps};
    for (LoopTurns& loop : steps.loops.turns) loop.frames = look.moves.frames();
    return steps;
}

void use_loop(StepsOfDump& steps, LoadOptions& options, bool is_kept) {
    if (!steps.loops.found.steps) return;
    LoopTurns& turns = steps.loops.turns[*steps.loops.found.steps];
    options.loop = std::make_shared<LoopTurns>(is_kept ? turns : std::move(turns));
    if (!options.slices || steps.has_marks) return;
    options.slices->loop = options.loop;
    if (!is_kept) return;
    options.times_of = options.loop;
    options.step_times = steps.step_times = std::make_shared<StepTimes>();
}

}  // namespace memtrace::analyzer
