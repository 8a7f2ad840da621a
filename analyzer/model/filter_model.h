// SPDX-License-Identifier: Apache-2.0
//
// The filters of a report, and what they left: part of the Model.
#pragma once

#include <string>
#include <vector>

namespace memtrace::analyzer {

// A site stays if it passes all filters. A filter with several patterns is passed by any of them.
struct SiteFilters {
    std::vector<std::string> threads = {};  // names with wildcards, or thread ids
    std::vector<std::string> modules = {};  // as typed, like the next two
    std::vector<std::string> functions = {};
    std::vector<std::string> files = {};
    bool own = false;          // only stacks with a frame of the user's own code
    bool python_only = false;  // only stacks with a frame of Python, and only these frames

    bool empty() const {
        return threads.empty() && modules.empty() && functions.empty() && files.empty() && !own &&
               !python_only;
    }
};

}  // namespace memtrace::analyzer
