// SPDX-License-Identifier: Apache-2.0
//
// What each location of the code means for the division of memory by own lines (own_lines.h). It
// is found once for a location, because there are far fewer of them than nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/sites/recording.h"
#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {

struct OwnPlace {
    enum class Kind : uint8_t {
        none,       // nothing changes for its callees
        own,        // a line of the user's own code
        backward,   // what autograd runs backward
        importing,  // Python's import machinery
        kept,       // not a call but memory that an allocator keeps
        library,    // any other code with a name
    };

    Kind kind = Kind::none;
    // own: code that the user compiled but did not write, as headers of installed libraries and
    // what Python compiles from strings.
    bool is_foreign = false;
    bool is_python = false;
    bool begins_module = false;     // own, in Python: the code of a whole module
    bool can_start_thread = false;  // Threads start in this library.
    FrameId frame = no_frame;       // own, kept: the frame; backward: the line, if it is own
    uint32_t library = 0;           // library: number of the name in OwnPlaces::names
    uint32_t package = 0;           // library: the package whose import runs this code, if known
};

struct OwnPlaces {
    static constexpr uint32_t no_name = 0;
    static constexpr uint32_t interpreter = 1;

    std::vector<OwnPlace> of_locations;
    std::vector<std::string> names;
};

OwnPlaces find_own_places(const Recording& recording);

}  // namespace memtrace::analyzer
