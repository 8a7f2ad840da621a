// SPDX-License-Identifier: Apache-2.0
//
// Which of the user's own lines each call site belongs to (own_lines.h), so far. Finding that takes
// a second for a large program, so it is done now and then, in a process of its own
// (child_job.h), and sent as text. Sites that came since then have no row.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

struct LiveRow {
    std::string where;  // as the table of own lines shows it
    std::string file;   // of the own line; empty: none
    uint32_t line = 0;
    // The call stack that holds most, innermost first; empty if the row holds little.
    std::vector<std::string> stack;

    bool operator==(const LiveRow&) const = default;
};

struct LiveNames {
    static constexpr uint32_t no_row = 0xffffffff;

    std::vector<LiveRow> rows;
    std::map<std::string, std::vector<uint32_t>> of_sites;  // by space, by site: its row

    uint32_t row_of(const std::string& space, size_t site) const {
        const auto found = of_sites.find(space);
        if (found == of_sites.end() || site >= found->second.size()) return no_row;
        return found->second[site];
    }
};

// Names all sites of the model, in a text for read_live_names().
std::string live_names_text(Model model);
LiveNames read_live_names(std::string_view text);

}  // namespace memtrace::analyzer
