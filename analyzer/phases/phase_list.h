// SPDX-License-Identifier: Apache-2.0
//
// Turns the stream of marks into phases, with their figures in every space.
//
//   * A range is a phase while it is open. Names that differ only in digits are one phase, unless
//     each name was requested separately, because names of tests contain numbers, too.
//   * A mark is a phase without duration. Its figures are those of that moment.
//   * A range that is not ended is open until the recording ends.
//   * If only a part of the recording was requested (--from, --to), a phase has the figures of its
//     time inside that part.
//
// Memory grows with the names and the live blocks, not with the occurrences. A program may invent
// names endlessly. All names after the first ten thousand share one phase (a hundred thousand if
// each name was requested).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/phases/phase_observer.h"
#include "analyzer/phases/phase_ranges.h"
#include "analyzer/phases/phase_space.h"
#include "analyzer/phases/phase_time.h"
#include "analyzer/phases/phases_before.h"
#include "analyzer/phases/range_time.h"

namespace memtrace::analyzer {

class AllPhases final : public PhaseObserver {
public:
    static constexpr size_t names_max = 10'000, each_max = 100'000;

    explicit AllPhases(const PhaseRequest& request = {})
        : each_(request.each),
          range_(request),
          is_filtered_(!request.sites.empty()),
          sites_(request.sites) {}

    void go_on_after(const PhasesBefore& before) override;
    // Only the part from the beginning to some moment counts, and has begun then. Nothing after
    // that moment has come yet.
    void limit_from_start(const PhaseRequest& request, uint64_t time);

    SpaceObserver* observe(const std::string& space) override;
    void on(const Mark& mark, uint32_t thread) override;
    void forget_thread(uint32_t thread) override { ranges_.forget_thread(thread); }
    void name_steps(const std::string& from, const std::string& to) override {
        range_.name_steps(from, to);
    }
    void begin_range(uint64_t time) override;
    void end_range(uint64_t time) override;
    void end(uint64_t time) override;
    void finish(Model& model, const TickClock& clock, Problems& problems) override;

    // The phases so far. `marks`, `has_all`: as PhasesBefore takes them.
    PhasesBefore so_far(const std::vector<MarkInfo>& marks, bool has_all) const;

    // archive.h. The spaces must have been observed before.
    static void state(auto& self, auto& each) {
        each(self.ranges_, self.phases_, self.by_name_, self.open_, self.nameless_);
        for (auto& [name, space] : self.spaces_) each(*space);
        each.check([&] { return self.is_sound(); }, "a phase in it is not open, and closes");
    }

private:
    struct Phase {
        PhaseInfo info;
        PhaseTime time;
        uint64_t open = 0;  // number of open occurrences, also outside the range

        static void state(auto& self, auto& each) { each(self.info, self.time, self.open); }
    };

    // True if the ranges and the list of open phases are those that the phases have.
    bool is_sound() const;
    uint32_t phase_of(const std::string& full_name, bool is_mark);
    void open(uint32_t number, uint64_t time);
    void close(uint32_t number, uint64_t time);

    bool each_;
    RangeTime range_;
    bool is_filtered_;
    std::map<std::string, std::vector<bool>> sites_;  // PhaseRequest::sites
    PhaseRanges ranges_;
    std::vector<Phase> phases_;
    std::map<std::pair<std::string, bool>, uint32_t> by_name_;
    std::vector<uint32_t> open_;  // in the order of their begins
    std::map<std::string, std::unique_ptr<PhaseSpace>> spaces_;
    uint64_t nameless_ = 0;  // number of marks beyond names_max
};

}  // namespace memtrace::analyzer
