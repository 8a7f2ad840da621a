// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/load_steps.h"

#include <filesystem>
#include <unordered_set>

#include "analyzer/steps/find_loops.h"
#include "analyzer/steps/kept_turns.h"
#include "analyzer/symbolise/symbolise.h"

namespace memtrace::analyzer {
namespace {

// A model with nothing but the stacks that need names.
Model stacks_to_name(const PathLook& look, const std::vector<PathTurn>& turns) {
    Model model;
    model.stacks = look.stacks;
    Space space;
    const auto name = [&](uint32_t node) {
        if (node == no_stack) return;
        Site site;
        site.stack = node;
        space.sites.push_back(site);
    };
    for (const PathTurn& turn : turns) {
        name(turn.from);
        name(turn.to);
    }
    // All contexts of the code in which turns are kept count.
    const StackNodes& nodes = look.stacks.nodes;
    std::unordered_set<uint64_t> codes;
    std::vector<uint8_t> locations(nodes.location_count());
    const auto python_code = [&](uint32_t node) {
        const Location& location = nodes.location(nodes.location_of(node));
        return location.kind == NodeKind::python ? python_code_of(location.address) : 0;
    };
    for (size_t i = 0; i < space.sites.size(); ++i) {
        const uint32_t node = space.sites[i].stack;
        locations[nodes.location_of(node)] = 1;
        if (const uint64_t code = python_code(node)) codes.insert(code);
    }
    for (uint32_t node = 1; node < nodes.size(); ++node) {
        if (look.moves.entered(node) == 0) continue;
        const uint64_t code = python_code(node);
        if (code != 0 ? codes.contains(code) : locations[nodes.location_of(node)] != 0) name(node);
    }
    model.spaces.push_back(std::move(space));
    return model;
}

}  // namespace

StepsOfDump load_steps(const std::string& path, const std::string& step, const CodePatterns& code,
                       SymbolOptions symbols, const Progress& progress) {
    const PathLook look = look_at_paths(path, step, progress);
    const std::vector<PathTurn> turns = kept_turns(look);
    symbols.folded_lines = false;
    const Symbols names = symbolise(stacks_to_name(look, turns), symbols);
    SourceFiles files(look.clock.start_realtime_ns(),
                      std::filesystem::path(path).parent_path().string(), look.stacks.codes);
    StepsOfDump steps{find_loops(look, turns, names, code, files), look.has_marked_steps};
    for (LoopTurns& loop : steps.loops.turns) loop.frames = look.moves.frames();
    return steps;
}

}  // namespace memtrace::analyzer
