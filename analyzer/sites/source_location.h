// SPDX-License-Identifier: Apache-2.0
//
// The line of source code that a call site is shown at: the innermost one of the user's own code,
// with its file relative to the project, because a review shows files of the project only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/frames/stack_view.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

struct SourceLocation {
    std::string function;  // "Net.forward"; empty: nobody knows
    std::string file;      // "src/net.py"; empty: not known. Never absolute
    uint32_t line = 0;     // 0: not known
};

std::string text_of(
    const SourceLocation& place);  // "src/net.py:42", or the function without a file

// The file relative to the project in the folder `root`. Where it was built or run elsewhere, the
// longest end of the path that is a file of the project; if there is none, the name in its package,
// or the last part. Empty for what is no file ("<string>").
std::string relative_file(const std::string& path, const std::string& root);

class SourceLocations {
public:
    SourceLocations(const Recording& recording, std::string root);

    SourceLocation of(uint32_t stack);

private:
    // How good a frame is to be shown; the innermost of the best is taken.
    enum class Rank : uint8_t { unknown, none, unplaced, native, python, own };

    Rank rank_of(FrameId id);
    const std::string& file_of(const Frame& frame);

    const Recording& recording_;
    StackView view_;
    std::string root_;
    std::vector<Rank> ranks_;                             // by frame
    std::unordered_map<std::string, std::string> files_;  // as recorded -> as shown
};

}  // namespace memtrace::analyzer
