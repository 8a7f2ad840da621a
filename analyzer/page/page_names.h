// SPDX-License-Identifier: Apache-2.0
//
// The frames and texts of a recording as its page shows them. Names that are too long for any
// screen are cut in the middle.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/base/json_text.h"
#include "analyzer/page/page_frames.h"
#include "analyzer/page/page_options.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// Returns at most `most` bytes from the beginning of a text, and no part of a character.
std::string_view begin_of(std::string_view text, size_t most);

// Returns the last part of an absolute path or of a path with folders, and the path itself from
// its package on. Any other text is returned unchanged.
std::string path_without_folders(const std::string& path);

// Returns the text with every absolute path in it shortened.
std::string with_short_paths(const std::string& text);

class PageNames {
public:
    PageNames(const Recording& recording, const PageOptions& options);

    // Returns the index of a frame in the table.
    uint32_t frame(FrameId id);
    // Returns the index of a text in the table.
    uint32_t text(std::string text) { return frames_.text(std::move(text)); }

    // Returns a frame, or a path, as the page shows it.
    ShownFrame shown(FrameId id) const;
    std::string shown_path(const std::string& path) const;

    struct UsedFrame {
        FrameId id = 0;
        uint8_t flags = 0;
    };
    const std::vector<UsedFrame>& frames() const { return used_; }

    Json json() const { return frames_.json(); }

private:
    std::string group_of(const Frame& frame, bool is_own) const;

    const Recording& recording_;
    PageOptions options_;
    PageFrames frames_;
    std::unordered_map<FrameId, uint32_t> frames_by_id_;
    std::vector<UsedFrame> used_;
};

}  // namespace memtrace::analyzer
