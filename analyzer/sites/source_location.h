// SPDX-License-Identifier: Apache-2.0
//
// The source line at which a call site is shown: the innermost line of the user's own code. Its
// file is relative to the project, because a review shows only files of the project.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/frames/path_values.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

struct SourceLocation {
    std::string function;  // "Net.forward"; empty: not known
    std::string file;      // "src/net.py", never absolute; empty: not known
    uint32_t line = 0;     // 0: not known
};

// "src/net.py:42", or the function without a file
std::string text_of(const SourceLocation& place);

// Returns the file relative to the project in the folder `root`. For code that was built or run
// elsewhere, returns the longest end of the path that is a file of the project. If there is none,
// returns the name in its package or the last part of the path. Empty for "<string>" and the like.
std::string relative_file(const std::string& path, const std::string& root);

class SourceLocations {
public:
    SourceLocations(const Recording& recording, std::string root);

    using Id = uint32_t;
    Id id_of(uint32_t stack);  // equal places have equal ids
    const SourceLocation& at(Id id) const { return locations_[id]; }

    const SourceLocation& of(uint32_t stack) { return at(id_of(stack)); }

private:
    static constexpr Id not_asked = 0xffffffff;

    // Suitability of a frame. The innermost frame of the highest rank is shown.
    enum class Rank : uint8_t { unknown, none, unplaced, native, python, own };

    Rank rank_of(FrameId id);
    const std::string& file_of(const Frame& frame);
    SourceLocation location_of(FrameId id);

    const Recording& recording_;
    PathValues<FrameId> shown_;  // the frame that is shown, by stack
    std::string root_;
    std::vector<Rank> ranks_;                             // by frame
    std::vector<Id> frame_ids_;                           // by frame; not_asked: not yet
    std::deque<SourceLocation> locations_{{}};            // by id; the first is not known
    std::unordered_map<std::string, Id> ids_;             // by text
    std::unordered_map<std::string, std::string> files_;  // shown path by recorded path
};

}  // namespace memtrace::analyzer
