// SPDX-License-Identifier: Apache-2.0
//
// The frames of stacks, with their places in the source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/frames/frame_facts.h"
#include "analyzer/frames/user_code.h"
#include "analyzer/model/symbols.h"
#include "analyzer/steps/loop_levels.h"
#include "analyzer/steps/source_files.h"

namespace memtrace::analyzer {

struct FrameInfo {
    const ParsedSource* source = nullptr;  // null: its control flow is not known
    BlockId block = 0;                     // its statement
    bool is_plumbing = false;
};

class FramePlaces {
public:
    // All must outlive the object.
    FramePlaces(const Symbols& symbols, const CodePatterns& code, SourceFiles& files)
        : symbols_(symbols),
          code_(code),
          files_(files),
          facts_(facts_of(symbols)),
          infos_(symbols.frames.size()) {}

    size_t frame_count(uint32_t node) const {
        return node == no_stack ? 0 : symbols_.frames_of(node).size();
    }
    FrameId frame_id(Place place) const {
        const std::span<const FrameId> all = symbols_.frames_of(place.node);
        return all[all.size() - 1 - place.index];
    }
    const Frame& frame(Place place) const { return symbols_.frames[frame_id(place)]; }
    const Location& location_of(uint32_t node) const {
        return symbols_.nodes.location(symbols_.nodes.location_of(node));
    }

    // The control flow of Python's functions, and of the user's own native ones.
    const FrameInfo& info(Place place);
    bool is_same_function(Place a, Place b) const;
    Spot spot_of(Place place, BlockId block) const;

    // Sentences about the user's own source files that could not be read.
    const std::set<std::string>& unreadable() const { return unreadable_; }

private:
    const Symbols& symbols_;
    const CodePatterns& code_;
    SourceFiles& files_;
    std::shared_ptr<const FrameFacts> facts_;
    std::vector<std::optional<FrameInfo>> infos_;  // by frame
    std::set<std::string> unreadable_;
};

}  // namespace memtrace::analyzer
