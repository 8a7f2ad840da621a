// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_frames.h"

#include <utility>

namespace memtrace::analyzer {

uint32_t PageFrames::text(std::string text) {
    const auto next = static_cast<uint32_t>(texts_.size());
    const auto [entry, is_new] = texts_by_name_.try_emplace(text, next);
    if (is_new) texts_.push_back(std::move(text));
    return entry->second;
}

uint32_t PageFrames::add(ShownFrame frame) {
    functions_.push_back(text(std::move(frame.function)));
    files_.push_back(text(std::move(frame.file)));
    lines_.push_back(frame.line);
    groups_.push_back(text(std::move(frame.group)));
    flags_.push_back(frame.flags);
    return static_cast<uint32_t>(flags_.size() - 1);
}

Json PageFrames::json() const {
    return {{"texts", texts_},
            {"frames",
             {{"function", functions_},
              {"file", files_},
              {"line", lines_},
              {"group", groups_},
              {"flags", Json(flags_)}}}};
}

}  // namespace memtrace::analyzer
