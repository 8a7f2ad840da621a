// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/run_history.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

namespace memtrace::analyzer {

uint32_t RunHistory::add(CutKeeper* space) {
    spaces_.push_back(space);
    return static_cast<uint32_t>(spaces_.size() - 1);
}

// ---- what was released --------------------------------------------------------------------------

void RunHistory::sum_up(Anchor& anchor) {
    std::vector<Released>& all = anchor.released;
    const auto key = [](const Released& a) { return std::tuple(a.space, a.site, a.birth); };
    const auto is_before = [&](const Released& a, const Released& b) { return key(a) < key(b); };
    // What was summed up the last time is still in order, and the others follow it.
    const auto others = std::is_sorted_until(all.begin(), all.end(), is_before);
    std::sort(others, all.end(), is_before);
    std::inplace_merge(all.begin(), others, all.end(), is_before);
    size_t end = 0;
    for (const Released& next : all) {
        if (end > 0 && key(all[end - 1]) == key(next)) {
            all[end - 1].bytes += next.bytes;
            all[end - 1].blocks += next.blocks;
        } else {
            all[end++] = next;
        }
    }
    all.resize(end);
    anchor.sum_at = std::max(sum_min, 2 * end);
}

// Keeps the releases among these changes for the last anchor, and the anchors before it.
void RunHistory::fold(std::span<const HeldChange> changes) {
    if (anchors_.empty()) return;
    Anchor& anchor = anchors_.back();
    for (const HeldChange& change : changes) {
        const bool gives = change.bytes < 0 || change.blocks < 0;
        if (!gives || change.number == 0) continue;
        const std::optional<uint32_t> birth = spaces_[change.space]->birth_of(change.number);
        if (!birth || *birth > anchor.cut) continue;
        anchor.released.push_back({change.space, change.site, *birth,
                                   static_cast<uint64_t>(-change.bytes),
                                   static_cast<uint64_t>(-change.blocks)});
        if (anchor.released.size() >= anchor.sum_at) sum_up(anchor);
    }
}

bool RunHistory::make_room() {
    if (is_stretch_open() && changes_.size() - stretch_ > changes_max / 2) return false;
    const size_t done = has_stretch_cut_ ? changes_.size() : stretch_;
    fold(std::span(changes_).first(done));
    changes_.erase(changes_.begin(), changes_.begin() + static_cast<ptrdiff_t>(done));
    stretch_ = 0;
    return true;
}

// ---- anchors ------------------------------------------------------------------------------------

void RunHistory::anchor_stretch(uint32_t cut) {
    fold(std::span(changes_).first(stretch_));
    changes_.erase(changes_.begin(), changes_.begin() + static_cast<ptrdiff_t>(stretch_));
    stretch_ = 0;
    stretch_anchor_ = anchors_.size();
    anchors_.push_back({cut, {}, sum_min});
    has_stretch_cut_ = true;
}

void RunHistory::anchor_mark(uint32_t cut) {
    if (!has_stretch_cut_) {
        anchors_.clear();
    } else {
        fold(changes_);
        if (anchors_.size() > stretch_anchor_ + 1) {  // a mark in the stretch
            std::vector<Released> released = std::move(anchors_.back().released);
            anchors_.pop_back();
            Anchor& begin = anchors_.back();
            begin.released.insert(begin.released.end(), released.begin(), released.end());
            if (begin.released.size() >= begin.sum_at) sum_up(begin);
        }
    }
    changes_.clear();
    stretch_ = 0;
    anchors_.push_back({cut, {}, sum_min});
}

void RunHistory::drop_stretch_cut() {
    fold(changes_);
    changes_.clear();
    has_stretch_cut_ = false;
    if (anchors_.size() > stretch_anchor_ + 1) {  // The last mark is in the stretch.
        anchors_.erase(anchors_.begin(), anchors_.end() - 1);
        return;
    }
    Anchor stretch = std::move(anchors_.back());
    anchors_.pop_back();
    if (anchors_.empty()) return;
    Anchor& mark = anchors_.back();
    // What was acquired between the mark and the stretch does not count for the mark.
    std::copy_if(stretch.released.begin(), stretch.released.end(),
                 std::back_inserter(mark.released),
                 [&](const Released& released) { return released.birth <= mark.cut; });
    if (mark.released.size() >= mark.sum_at) sum_up(mark);
}

void RunHistory::keep(std::vector<uint32_t> kept) {
    for (const Anchor& anchor : anchors_) kept.push_back(anchor.cut);
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    for (CutKeeper* space : spaces_) space->keep(kept);
    cuts_.keep(std::move(kept));
}

// ---- births -------------------------------------------------------------------------------------

void RunHistory::begin_births(uint32_t cut) {
    births_until_ = cut;
    for (CutKeeper* space : spaces_) space->clear_births();
}

void RunHistory::end_births() {
    fold(changes_);
    changes_.clear();
    stretch_ = 0;
    for (const Anchor& anchor : anchors_) {
        if (anchor.cut < births_until_) continue;
        for (const Released& released : anchor.released) {
            if (released.birth > births_until_) continue;
            spaces_[released.space]->add_released(released.site, released.birth, released.bytes,
                                                  released.blocks);
        }
    }
}

}  // namespace memtrace::analyzer
