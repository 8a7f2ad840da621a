// SPDX-License-Identifier: Apache-2.0
//
// Turns a story into a Model: the shortest way to a test of the analyzer.
#pragma once

#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/reader/dump_text.h"
#include "analyzer/replay/load.h"
#include "tests/tools/dump_text.h"
#include "tests/tools/files.h"

namespace memtrace::test {

inline analyzer::Model load_bytes(const Bytes& bytes, const analyzer::PhaseRequest& phases = {}) {
    const TempFile file(bytes);
    analyzer::LoadOptions options;
    options.phases = phases;
    return analyzer::load_dump(file.path(), {}, options);
}

inline analyzer::Model load_story(std::string_view text, const TextOptions& options = {}) {
    return load_bytes(dump_from_text(text, options));
}

// Loads the story as if it were this phase only.
inline analyzer::Model load_phase(std::string_view text, const std::string& name) {
    return load_bytes(dump_from_text(text), {false, name});
}

inline analyzer::PhaseList phases_of(std::string_view text) {
    return load_bytes(dump_from_text(text), {true, {}}).phases.value();
}

inline std::string text_of(const Bytes& bytes) {
    const TempFile file(bytes);
    std::string result;
    analyzer::write_dump_text(file.path(), [&](std::string_view piece) { result += piece; });
    return result;
}

// Returns all problems in one string, for CHECKs that should print them.
inline std::string problems_of(const analyzer::Model& model) {
    std::string result;
    for (const analyzer::Problem& problem : model.problems) {
        result += problem.what + " [" + std::to_string(problem.offset) + ", +" +
                  std::to_string(problem.bytes) + ")\n";
    }
    return result;
}

inline const analyzer::Space* space_named(const analyzer::Model& model, std::string_view name) {
    for (const analyzer::Space& space : model.spaces) {
        if (space.name == name) return &space;
    }
    return nullptr;
}

inline std::optional<analyzer::Site> find_site(const analyzer::Space& space, uint32_t stack) {
    for (const analyzer::Site& site : space.sites) {
        if (site.stack == stack) return site;
    }
    return std::nullopt;
}

// Checks the invariant of model.h: for each field, the sum over the sites equals the space's
// figure. Returns "" or a description of the errors.
inline std::string unequal_sums(const analyzer::Model& model) {
    using analyzer::Totals;
    std::string wrong;
    constexpr std::pair<const char*, uint64_t Totals::*> fields[] = {
        {"allocations", &Totals::allocations},         {"frees", &Totals::frees},
        {"allocated_bytes", &Totals::allocated_bytes}, {"live_blocks", &Totals::live_blocks},
        {"live_bytes", &Totals::live_bytes},           {"at_peak_blocks", &Totals::at_peak_blocks},
        {"at_peak_bytes", &Totals::at_peak_bytes},     {"temporary", &Totals::temporary}};
    for (const analyzer::Space& space : model.spaces) {
        for (const auto& [name, field] : fields) {
            uint64_t sum = 0;
            for (const analyzer::Site& site : space.sites) sum += site.totals.*field;
            if (sum != space.totals.*field) wrong += space.name + " " + name + "\n";
        }
        const Totals& totals = space.totals;
        uint64_t kept = 0;  // No call acquires the block of what a GPU's driver keeps.
        for (const analyzer::Site& site : space.sites) {
            using analyzer::Group;
            const bool is_known = site.stack < model.stacks.nodes.size();
            const Group group = is_known ? model.stacks.nodes[site.stack].group : Group::none;
            const bool is_kept = group == Group::pool_cache || group == Group::graph_memory;
            if (is_kept) kept += site.totals.live_blocks;
        }
        // A phase also frees older blocks.
        if (!model.phase && totals.allocations - totals.frees + kept != totals.live_blocks)
            wrong += space.name + " blocks\n";
        if (totals.own_peak_bytes != totals.at_peak_bytes) wrong += space.name + " peak\n";
    }
    return wrong;
}

}  // namespace memtrace::test
