// SPDX-License-Identifier: Apache-2.0
//
// What all spaces of a run share while they keep the histories of their sites (space_history.h):
// the cuts between slices, and what must be undone to go back to one of the last of them.
//
// The end of the last slice is only known later. It may be the last mark of a step, or the
// beginning of a final stretch in which memory is only released (run_slices.h). Such a moment is an
// *anchor*. What was released since an anchor is kept, summed up, until the anchor moves on. So the
// blocks that were alive at the anchor are those that are alive now and those that are kept here:
//
//   anchors       step 7            step 8      the stretch begins                 now
//   time        ──────┼─────────────────┼──────────────┼────────────────────────────▶
//   released          ┆ forgotten       ┆ kept         ┆ kept
//
// A stretch of releases begins after almost every acquisition, so its beginning is no cut at first.
// The changes since then are listed one by one. The cut is made afterwards if it is needed: when
// the list is long, or before any other cut, because cuts are numbered in the order of time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/spaces/history_cuts.h"

namespace memtrace::analyzer {

// The histories of one space, as the run sees them (space_history.h).
class CutKeeper {
public:
    virtual ~CutKeeper() = default;

    // Gives up all cuts except these.
    virtual void keep(const std::vector<uint32_t>& kept) = 0;
    // Brings the histories into the form that takes the least room. It changes no figure.
    virtual void pack() = 0;
    // Returns the first cut after the acquisition with this number; nothing if there is none yet.
    virtual std::optional<uint32_t> birth_of(uint64_t number) const = 0;
    virtual void clear_births() = 0;
    virtual void add_released(uint32_t site, uint32_t birth, uint64_t bytes, uint64_t blocks) = 0;
};

// One change of one site.
struct HeldChange {
    uint32_t space = 0;  // RunHistory::add()
    uint32_t site = 0;
    uint64_t number = 0;   // number of the acquisition; 0: the bytes were not born in one
    uint64_t numbers = 0;  // by how much the space's newest number rose
    int64_t bytes = 0;
    int64_t blocks = 0;
    uint64_t taken = 0;  // bytes that count as allocated
};

class RunHistory {
public:
    HistoryCuts& cuts() { return cuts_; }
    const HistoryCuts& cuts() const { return cuts_; }

    // Returns the number of the space. `space` must live as long as this object.
    uint32_t add(CutKeeper* space);

    void change(const HeldChange& change) { changes_.push_back(change); }

    // Begins another stretch here, and forgets the last.
    void begin_stretch() {
        if (has_stretch_cut_) [[unlikely]]
            drop_stretch_cut();
        if (anchors_.empty()) changes_.clear();
        stretch_ = changes_.size();
    }
    // True if something changed since the stretch began, and its beginning is no cut yet.
    bool is_stretch_open() const { return !has_stretch_cut_ && changes_.size() > stretch_; }
    // The changes of an open stretch.
    std::span<const HeldChange> stretch() const { return std::span(changes_).subspan(stretch_); }

    bool is_full() const { return changes_.size() >= changes_max; }
    // Makes room. Returns false if the beginning of the stretch must become a cut first.
    bool make_room();

    // Call when `cut` has been made at the beginning of the open stretch.
    void anchor_stretch(uint32_t cut);
    // Call when `cut` has been made at a mark. It replaces the last mark, except if a stretch began
    // in between.
    void anchor_mark(uint32_t cut);

    // Gives up all cuts except these and the anchors. Sorts them.
    void keep(std::vector<uint32_t> kept);

    // Packs the histories of all spaces.
    void pack() {
        for (CutKeeper* space : spaces_) space->pack();
    }

    // The births that are counted in between are those of the blocks alive at `cut`: an anchor, or
    // the last cut of all with nothing changed since.
    void begin_births(uint32_t cut);
    void end_births();
    uint32_t births_until() const { return births_until_; }

    // The last cut of each slice of the result. Call at the end.
    void set_plan(std::vector<uint32_t> ends) { plan_ = std::move(ends); }
    const std::vector<uint32_t>& plan() const { return plan_; }

    // True if all changes that are kept of a space are of one of its first `sites` sites.
    bool are_below(uint32_t space, size_t sites) const {
        const auto is_below = [&](const auto& one) {
            return one.space != space || one.site < sites;
        };
        return std::all_of(changes_.begin(), changes_.end(), is_below) &&
               std::all_of(anchors_.begin(), anchors_.end(), [&](const Anchor& anchor) {
                   return std::all_of(anchor.released.begin(), anchor.released.end(), is_below);
               });
    }

    // archive.h. The spaces must have been added before.
    static void state(auto& self, auto& each) {
        each(self.cuts_, self.changes_, self.stretch_, self.anchors_, self.stretch_anchor_,
             self.has_stretch_cut_, self.births_until_, self.plan_);
        each.check(
            [&] {
                const auto is_known = [&](const auto& one) {
                    return one.space < self.spaces_.size();
                };
                bool is_sound =
                    self.stretch_ <= self.changes_.size() &&
                    (!self.has_stretch_cut_ || self.stretch_anchor_ < self.anchors_.size()) &&
                    std::all_of(self.changes_.begin(), self.changes_.end(), is_known);
                for (const Anchor& anchor : self.anchors_) {
                    is_sound &=
                        std::all_of(anchor.released.begin(), anchor.released.end(), is_known);
                }
                return is_sound;
            },
            "a change in it has no space");
    }

private:
    static constexpr size_t changes_max = 2048;
    static constexpr size_t sum_min = 1 << 14;

    // What was released of what a site acquired before this cut.
    struct Released {
        uint32_t space = 0;
        uint32_t site = 0;
        uint32_t birth = 0;
        uint64_t bytes = 0;
        uint64_t blocks = 0;
    };
    struct Anchor {
        uint32_t cut = 0;
        std::vector<Released> released;  // since this anchor, up to the next
        size_t sum_at = sum_min;         // the length at which equal entries are summed

        static void state(auto& self, auto& each) { each(self.cut, self.released, self.sum_at); }
    };

    void fold(std::span<const HeldChange> changes);
    static void sum_up(Anchor& anchor);
    void drop_stretch_cut();

    HistoryCuts cuts_;
    std::vector<CutKeeper*> spaces_;
    std::vector<HeldChange> changes_;  // the last ones
    size_t stretch_ = 0;               // where the stretch begins in changes_
    // At most three: a mark, the beginning of the stretch, and a mark in the stretch.
    std::vector<Anchor> anchors_;
    size_t stretch_anchor_ = 0;
    bool has_stretch_cut_ = false;
    uint32_t births_until_ = 0;
    std::vector<uint32_t> plan_;
};

}  // namespace memtrace::analyzer
