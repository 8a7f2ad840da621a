// SPDX-License-Identifier: Apache-2.0
//
// The marks of a run by name, and which of them are its steps. That can change with every mark, so
// the run is cut at all marks that may still turn out to be steps: at the first ones, then at every
// second, every fourth and so on.
//
// The *leader* is the mark that the steps would be if the run ended now. Only its own marks can
// make a mark the leader, so the last mark of the leader at the end has always been one of a
// leader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "analyzer/model/problems.h"
#include "analyzer/replay/slice_plan.h"
#include "analyzer/spaces/history_cuts.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

// Replaces each number by "#": "step 12" becomes "step #".
std::string without_numbers(std::string_view text);

// Fewer steps are too few to judge by.
inline constexpr uint64_t steps_min = 10;

// Returns how well the marks of a name suit as the steps of the program. The greatest value suits
// best.
std::tuple<bool, bool, uint64_t> step_worth(const std::string& name, bool is_program,
                                            uint64_t count);

// True if marks like this one can be the steps of the program. Annotations for a profiler are many,
// and libraries make most of them: XLA for each pass of its compiler, CUB for each reduction. Only
// those that belong to no component and say that they are steps count.
bool may_be_step(const Mark& record);

struct MarkedSteps {
    std::string name;
    uint64_t begins = 0;
    uint64_t last_begin = 0;  // its time
    // True if the program made the mark, and not an annotation for a profiler.
    bool is_program = false;
    bool says_step = false;  // The name is one that programs usually give to repeated work.
    bool is_cut = true;      // The run is cut at these marks.
    // Every begin whose index is a multiple of `stride`. If the run is not cut there, the next cut
    // stands for it.
    uint64_t stride = 1;
    std::vector<CutPlace> places;

    bool may_be_steps(bool is_requested) const;

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.name, self.begins, self.last_begin, self.is_program, self.says_step, self.is_cut,
             self.stride, self.places);
        each.check([&] { return self.stride > 0; }, "its steps have no distance");
    }
};

// A mark of the leader.
struct StepMark {
    const MarkedSteps* steps = nullptr;
    CutPlace place;
    // Number of begins before it. The end of the last step counts as one more begin.
    uint64_t index = 0;
};

class StepMarks {
public:
    // `requested`: the name of the marks that are steps; empty: found automatically.
    explicit StepMarks(const std::string& requested);

    // What must be done at a mark.
    struct Found {
        MarkedSteps* steps = nullptr;
        bool is_begin = false;
        bool is_leader = false;
        bool is_kept = false;  // Its place is kept; call keep().
        bool is_cut = false;   // The run must be cut here.
    };
    Found find(const Mark& record);
    void keep(const Found& found, const CutPlace& place);
    void set_last(const Found& found, const CutPlace& place);

    // By text without numbers.
    const std::map<std::string, MarkedSteps>& all() const { return all_; }
    // The last mark of the leader so far.
    const std::optional<StepMark>& last() const { return last_; }

    // Appends the cuts that must be kept.
    void append_cuts(std::vector<uint32_t>& cuts) const;
    // Gives up cuts at marks that are less likely to be steps, if there are too many.
    void limit_cuts();

    // Throws Error if the requested mark has not occurred.
    void check_requested() const;

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.all_);
        self.state_of_steps(self.leader_, each);
        self.state_of_mark(self.last_, each);
    }
    // The same for a mark that last() has returned.
    void state_of_mark(auto& mark, auto& each) const {
        bool has = mark.has_value();
        each(has);
        if (!has) return;
        if constexpr (std::remove_reference_t<decltype(each)>::reads) mark.emplace();
        state_of_steps(mark->steps, each);
        each(mark->place, mark->index);
    }

private:
    // A pointer to one of all_, as its name.
    void state_of_steps(auto& steps, auto& each) const {
        std::string name = steps == nullptr ? "" : steps->name;
        bool has = steps != nullptr;
        each(has, name);
        if constexpr (std::remove_reference_t<decltype(each)>::reads) {
            const auto found = all_.find(name);
            each.require(!has || found != all_.end(), "a step in it has no marks");
            steps = has ? &found->second : nullptr;
        }
    }

    bool is_better(const MarkedSteps& a, const MarkedSteps& b) const;

    std::string requested_;  // as on the command line
    std::string name_;       // without numbers; empty: none
    std::map<std::string, MarkedSteps> all_;
    const MarkedSteps* leader_ = nullptr;
    std::optional<StepMark> last_;
};

// Returns at most `slices_max` slices up to this mark. `places`: all kept cuts, in order.
std::vector<SlicePlan::Slice> plan_steps(const StepMark& last, unsigned slices_max,
                                         const HistoryCuts& cuts,
                                         const std::vector<CutPlace>& places);

// Says how many of the marks that were taken are listed, if it is not all of them.
void remark_on_marks(size_t listed, uint64_t taken, Problems& problems);

}  // namespace memtrace::analyzer
