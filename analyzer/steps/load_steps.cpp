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

// Adds what the user's own code does inside of these stacks: its conditions count.
void add_own_insides(std::vector<uint8_t>& stacks, const PathLook& look, const CodePatterns& code) {
    const StackNodes& nodes = look.stacks.nodes;
    std::map<uint32_t, bool> is_own_module;
    const auto may_be_own = [&](const Location& location) {
        if (location.kind == NodeKind::python) return true;
        const auto [known, is_new] = is_own_module.try_emplace(location.module, false);
        const auto module = look.stacks.modules.find(location.module);
        if (is_new && module != look.stacks.modules.end()) {
            Frame frame;
            frame.module = module->second.path;
            known->second = is_user_code(frame, code);
        }
        return known->second;
    };
    std::vector<uint8_t> is_inside(nodes.size());
    for (uint32_t node = 1; node < nodes.size(); ++node) {
        const uint32_t parent = nodes.parent(node);
        is_inside[node] = stacks[node] != 0 || (parent != no_stack && is_inside[parent] != 0);
        if (is_inside[node] == 0 || stacks[node] != 0) continue;
        if (look.moves.count_inside(node) == 0) continue;
        if (may_be_own(nodes.location(nodes.location_of(node)))) stacks[node] = 1;
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
    add_own_insides(stacks, look, own);
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
