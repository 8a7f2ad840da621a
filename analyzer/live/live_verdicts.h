// SPDX-License-Identifier: Apache-2.0
//
// What `growth` said of the program when it was last asked. The report reads the whole dump, so it
// is asked rarely.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace memtrace::analyzer {

struct LiveVerdict {
    std::string verdict;  // "leak", "growing", …
    double per_step = 0;  // bytes; 0: not by steps
};

struct LiveVerdicts {
    // By space, file and line of the own code: the worst verdict.
    std::map<std::pair<std::string, std::pair<std::string, uint32_t>>, LiveVerdict> of_lines;
    // Bytes by which findings have grown, by space and verdict.
    std::map<std::pair<std::string, std::string>, uint64_t> grown;
    uint64_t steps = 0;  // that the program had done; 0: it has none
    std::string step;    // their name

    const LiveVerdict* find(const std::string& space, const std::string& file,
                            uint32_t line) const {
        const auto found = of_lines.find({space, {file, line}});
        return found == of_lines.end() ? nullptr : &found->second;
    }
};

// Reads the JSON document of `memtrace-report growth --json`. Throws nlohmann's exception if it is
// none.
LiveVerdicts read_live_verdicts(std::string_view json);

}  // namespace memtrace::analyzer
