// SPDX-License-Identifier: Apache-2.0
//
// The frames and texts of a page as tables, so that each name is in it once.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/base/json_text.h"

namespace memtrace::analyzer {

// A frame as a page shows it.
struct ShownFrame {
    enum Flag : uint8_t {
        own = 1,        // the user's own code
        importing = 2,  // the import machinery of Python, and modules that it loads
        python = 4,
        backward = 8,  // what autograd ran backward
        missing = 16,  // not a call: callers that are not known, Python frames that are missing
    };

    std::string function;
    std::string file;
    uint32_t line = 0;  // 0: not known
    std::string group;  // what several frames of a library have in common
    uint8_t flags = 0;
};

class PageFrames {
public:
    // Returns the index of a text in the table.
    uint32_t text(std::string text);

    // Appends a frame. Returns its index in the table.
    uint32_t add(ShownFrame frame);

    const std::vector<uint8_t>& flags() const { return flags_; }

    // Returns {"texts": […], "frames": {"function": […], …}}
    Json json() const;

private:
    std::vector<std::string> texts_;
    std::unordered_map<std::string, uint32_t> texts_by_name_;
    std::vector<uint32_t> functions_, files_, lines_, groups_;
    std::vector<uint8_t> flags_;
};

}  // namespace memtrace::analyzer
