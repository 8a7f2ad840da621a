// SPDX-License-Identifier: Apache-2.0
//
// The frames and texts of a page as tables, so that each name is in it once. Names that are too
// long for any screen are cut in the middle.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/base/json_text.h"
#include "analyzer/page/page_options.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// Returns the last part of an absolute path or of a path with folders, and the path itself from
// its package on. Any other text is returned unchanged.
std::string path_without_folders(const std::string& path);

// Returns the text with every absolute path in it shortened.
std::string with_short_paths(const std::string& text);

class PageNames {
public:
    enum Flag : uint8_t {
        own = 1,        // the user's own code
        importing = 2,  // the import machinery of Python, and modules that it loads
        python = 4,
        backward = 8,  // what autograd ran backward
        missing = 16,  // not a call: callers that are not known, Python frames that are missing
    };

    PageNames(const Recording& recording, const PageOptions& options);

    // Returns the index of a frame in the table.
    uint32_t frame(FrameId id);
    // Returns the index of a text in the table.
    uint32_t text(std::string text);

    // Returns the path as the page shows it.
    std::string shown_path(const std::string& path) const;

    struct UsedFrame {
        FrameId id = 0;
        uint8_t flags = 0;
    };
    const std::vector<UsedFrame>& frames() const { return used_; }

    // Returns {"texts": […], "frames": {"function": […], …}}
    Json json() const;

private:
    std::string group_of(const Frame& frame, bool is_own) const;

    const Recording& recording_;
    PageOptions options_;
    std::vector<std::string> texts_;
    std::unordered_map<std::string, uint32_t> texts_by_name_;
    std::unordered_map<FrameId, uint32_t> frames_by_id_;
    std::vector<UsedFrame> used_;
    std::vector<uint32_t> functions_, files_, lines_, groups_;
};

}  // namespace memtrace::analyzer
