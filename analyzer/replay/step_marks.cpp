// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/step_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "analyzer/base/error.h"
#include "analyzer/base/units.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t places_max = 480;      // of one name
constexpr size_t other_cuts_max = 960;  // of all names but the leader's

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool says_step(const std::string& text) {
    std::string lower;
    for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<uint8_t>(c)));
    for (const char* word : {"step", "iter", "batch", "request"}) {
        if (lower.find(word) != std::string::npos) return true;
    }
    return false;
}

}  // namespace

std::string without_numbers(std::string_view text) {
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
        if (!is_digit(text[i])) result += text[i];
        else if (i == 0 || !is_digit(text[i - 1])) result += '#';
    }
    return result;
}

std::tuple<bool, bool, uint64_t> step_worth(const std::string& name, bool is_program,
                                            uint64_t count) {
    return {says_step(name), is_program, count};
}

bool may_be_step(const Mark& record) {
    if (record.source != MarkSource::nvtx) return true;
    return record.domain.empty() && says_step(std::string(record.text));
}

bool MarkedSteps::may_be_steps(bool is_requested) const {
    return begins >= (is_requested ? 1 : steps_min);
}

StepMarks::StepMarks(const std::string& requested)
    : requested_(requested), name_(without_numbers(requested)) {}

bool StepMarks::is_better(const MarkedSteps& a, const MarkedSteps& b) const {
    const auto worth = [](const MarkedSteps& steps) {
        return std::tuple(steps.says_step, steps.is_program, steps.begins);
    };
    return worth(a) != worth(b) ? worth(a) > worth(b) : a.name < b.name;
}

StepMarks::Found StepMarks::find(const Mark& record) {
    const std::string name = without_numbers(record.text);
    const auto [entry, is_new] = all_.try_emplace(name);
    MarkedSteps& steps = entry->second;
    if (is_new) {
        steps.name = name;
        steps.says_step = says_step(name);
    }
    const bool is_requested = !name_.empty() && name == name_;
    const bool may_count = is_requested || record.kind == MarkKind::end || may_be_step(record);
    Found found;
    found.steps = &steps;
    found.is_begin = record.kind != MarkKind::end;
    found.is_kept = found.is_begin && may_count && steps.begins % steps.stride == 0;
    steps.begins += found.is_begin;
    if (found.is_begin) steps.last_begin = record.time;
    steps.is_program |= record.source == MarkSource::program;
    if (may_count && (name_.empty() || is_requested)) {
        const bool leads = leader_ == nullptr || is_better(steps, *leader_);
        if (steps.may_be_steps(is_requested) && leads) leader_ = &steps;
    }
    // An end counts only if it is later than the last begin.
    found.is_leader = leader_ == &steps && (found.is_begin || record.time > steps.last_begin);
    const bool may_lead =
        name_.empty() ? leader_ == nullptr || steps.says_step || !leader_->says_step : is_requested;
    found.is_cut = found.is_leader || (found.is_kept && may_lead && steps.is_cut);
    return found;
}

void StepMarks::keep(const Found& found, const CutPlace& place) {
    MarkedSteps& steps = *found.steps;
    steps.places.push_back(place);
    if (steps.places.size() < places_max) return;
    for (size_t i = 0; 2 * i < places_max; ++i) steps.places[i] = steps.places[2 * i];
    steps.places.resize(places_max / 2);
    steps.stride *= 2;
}

void StepMarks::set_last(const Found& found, const CutPlace& place) {
    const uint64_t begins = found.steps->begins;
    last_ = {found.steps, place, found.is_begin ? begins - 1 : begins};
}

void StepMarks::append_cuts(std::vector<uint32_t>& cuts) const {
    if (last_) cuts.push_back(last_->place.cut);
    for (const auto& [name, steps] : all_) {
        if (!steps.is_cut && &steps != leader_) continue;
        for (const CutPlace& place : steps.places) cuts.push_back(place.cut);
    }
}

void StepMarks::limit_cuts() {
    std::vector<MarkedSteps*> others;
    size_t count = 0;
    for (auto& [name, steps] : all_) {
        if (!steps.is_cut || &steps == leader_) continue;
        others.push_back(&steps);
        count += steps.places.size();
    }
    if (count <= other_cuts_max) return;
    std::sort(others.begin(), others.end(),
              [this](const MarkedSteps* a, const MarkedSteps* b) { return is_better(*b, *a); });
    for (MarkedSteps* steps : others) {
        if (count <= other_cuts_max) break;
        steps->is_cut = false;
        count -= steps->places.size();
    }
}

void StepMarks::check_requested() const {
    if (requested_.empty()) return;
    const auto found = all_.find(name_);
    if (found != all_.end() && found->second.begins > 0) return;
    std::string names;
    for (const auto& [name, marks] : all_) names += (names.empty() ? "" : ", ") + name;
    throw Error(fmt::format("--step {}: the dump has no such mark; {}", requested_,
                            names.empty() ? "it has none at all" : "it has " + names));
}

std::vector<SlicePlan::Slice> plan_steps(const StepMark& last, unsigned slices_max,
                                         const HistoryCuts& cuts,
                                         const std::vector<CutPlace>& places) {
    const MarkedSteps& steps = *last.steps;
    const uint64_t marks = last.index / steps.stride + 1;
    const uint64_t each = (marks + slices_max - 2) / (slices_max - 1);
    std::vector<SlicePlan::Slice> slices;
    uint64_t events = 0, done = 0;
    const auto put = [&](const CutPlace& place, uint64_t index) {
        slices.push_back({place, index - done, place.events - events});
        events = place.events;
        done = index;
    };
    for (uint64_t i = 0; i < steps.places.size() && i * steps.stride < last.index; i += each) {
        const uint32_t cut = cuts.resolve(steps.places[i].cut);
        const auto found = std::lower_bound(
            places.begin(), places.end(), cut,
            [](const CutPlace& place, uint32_t wanted) { return place.cut < wanted; });
        if (found == places.end() || found->cut >= last.place.cut) break;
        if (!slices.empty() && slices.back().end.cut == found->cut) continue;
        put(*found, i * steps.stride);
    }
    put(last.place, last.index);
    return slices;
}

void remark_on_marks(size_t listed, uint64_t taken, Problems& problems) {
    if (taken <= listed) return;
    problems.remark("marks", fmt::format("{} begins, ends and marks are listed of {}; phases have "
                                         "them all.",
                                         exact_count(listed), exact_count(taken)));
}

}  // namespace memtrace::analyzer
