// SPDX-License-Identifier: Apache-2.0
//
// Collects the problems of reading that did not stop it. A *damage* means that something is missing
// or could not be read (exit code 3). A *remark* is worth knowing, but nothing is lost.
//
// A ruined file can have a million holes, so only the first problems of each kind are kept in full.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

// The subject of the note that parts of a dump cannot be read.
inline constexpr std::string_view unread_subject = "unread";

class Problems {
public:
    static constexpr size_t kept_per_kind = 50;
    static constexpr size_t lost_times_max = 1000;

    // `kind` groups similar problems, `what` is a sentence, [offset, offset + bytes) is the extent.
    void damage(const char* kind, std::string what, uint64_t offset = 0, uint64_t bytes = 0) {
        damaged_ = true;
        has_unread_ |= is_unread(kind);
        Kind& group = kinds_[kind];
        group.count += 1;
        group.bytes += bytes;
        if (group.count > kept_per_kind) return;
        list_.push_back({std::move(what), offset, bytes});
    }

    // Counts events that are certainly missing. Some damage implies them.
    void lose_events(uint64_t count) { lost_events_ += count; }

    // Events of a thread are missing between two of its events, which were at these ticks; `until`
    // is the largest number if no event follows.
    void lose_time(uint64_t since, uint64_t until) {
        if (lost_times_.size() < lost_times_max) lost_times_.push_back({since, until});
        else
            lost_times_.back() = {std::min(lost_times_.back().since, since),
                                  std::max(lost_times_.back().until, until)};
    }
    struct LostTime {
        uint64_t since = 0;
        uint64_t until = 0;
    };
    const std::vector<LostTime>& lost_times() const { return lost_times_; }

    void remark(std::string subject, std::string what) {
        if (remarks_.size() < kept_per_kind)
            remarks_.push_back({std::move(subject), std::move(what)});
    }

    bool damaged() const { return damaged_; }
    // True if there may have been events in what cannot be read.
    bool has_unread() const { return has_unread_; }
    uint64_t lost_events() const { return lost_events_; }
    const std::vector<NoteInfo>& remarks() const { return remarks_; }

    // Returns all kept problems, and one more for each kind that had too many.
    std::vector<Problem> list() const {
        std::vector<Problem> result = list_;
        for (const auto& [kind, group] : kinds_) {
            if (group.count <= kept_per_kind) continue;
            result.push_back({"and " + std::to_string(group.count - kept_per_kind) +
                                  " more of the kind \"" + kind + "\", " +
                                  std::to_string(group.bytes) + " bytes in all",
                              0, 0});
        }
        return result;
    }

private:
    static bool is_unread(std::string_view kind) {
        return kind == "truncated" || kind == "sections" || kind == "chunk" || kind == "ring" ||
               kind == "slot" || kind == "past";
    }

    struct Kind {
        uint64_t count = 0;
        uint64_t bytes = 0;
    };
    bool damaged_ = false;
    bool has_unread_ = false;
    uint64_t lost_events_ = 0;
    std::vector<LostTime> lost_times_;
    std::vector<Problem> list_;
    std::vector<NoteInfo> remarks_;
    std::map<std::string, Kind> kinds_;
};

}  // namespace memtrace::analyzer
