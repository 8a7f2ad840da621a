// SPDX-License-Identifier: Apache-2.0
//
// Numbers frames. Equal frames are stored once, so that reports may compare numbers.
#pragma once

#include <functional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

class FrameList {
public:
    // `frames` must be empty, and outlive the list.
    explicit FrameList(std::vector<Frame>& frames)
        : frames_(frames), ids_(0, Hash{&frames}, Equal{&frames}) {}

    // Returns the number of the frame, and adds the frame if it is new.
    FrameId add(Frame frame) {
        const auto known = ids_.find(frame);
        if (known != ids_.end()) return *known;
        const auto id = static_cast<FrameId>(frames_.size());
        frames_.push_back(std::move(frame));
        ids_.insert(id);
        return id;
    }

private:
    struct Hash {
        using is_transparent = void;
        const std::vector<Frame>* frames;
        size_t operator()(FrameId id) const { return (*this)((*frames)[id]); }
        size_t operator()(const Frame& frame) const {
            const std::hash<std::string> hash;
            return hash(frame.function) * 31 + hash(frame.file) * 17 + hash(frame.module) * 7 +
                   hash(frame.operation) * 11 + frame.line * 3 + frame.column * 5 +
                   static_cast<size_t>(frame.kind);
        }
    };
    struct Equal {
        using is_transparent = void;
        const std::vector<Frame>* frames;
        bool operator()(FrameId a, FrameId b) const { return a == b; }
        bool operator()(const Frame& a, FrameId b) const { return a == (*frames)[b]; }
        bool operator()(FrameId a, const Frame& b) const { return (*frames)[a] == b; }
    };

    std::vector<Frame>& frames_;
    std::unordered_set<FrameId, Hash, Equal> ids_;  // looked up by contents, without a copy of them
};

}  // namespace memtrace::analyzer
