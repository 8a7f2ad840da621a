// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/run_look.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/base/wildcards.h"
#include "analyzer/phases/phase_list.h"
#include "analyzer/replay/step_marks.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t threads_named = 10;

std::string typed_text(const std::string& option, const std::string& typed) {
    return fmt::format("{} {}", option, printable(typed));
}

}  // namespace

std::optional<RunLook::End> RunLook::end_of(const char* option, const std::string& typed) {
    if (typed.empty()) return std::nullopt;
    return End{option, typed, parse_range_text(option, typed), {}, 0};
}

RunLook::RunLook(const FileHeader& header, const PhaseRequest& request, const LoopTurns* loop,
                 const std::string& why_no_loop)
    : clock_(header.ticks_per_second),
      request_(request),
      turns_(loop),
      why_no_loop_(why_no_loop),
      from_(end_of("--from", request.from)),
      to_(end_of("--to", request.to)) {
    threads_.list_all();  // They are chosen by their numbers.
    if (loop != nullptr) loop_.emplace(*loop, StackNodes{});
}

void RunLook::go_on_after(const Before& before) {
    before_.emplace(before);
    loop_.reset();
    last_ = before.last;
    marks_ = before.marks;
    work_end_ = before.work_end;
    of_loop_.count = of_loop_.before = before.loop_steps;
    for (const Clock& anchor : before.clock.anchors()) clock_.add_anchor(anchor);
    for (const PhaseBefore& phase : before.phases.phases()) names_.insert(phase.name);
    for (const auto& [name, marks] : before.steps.all()) {
        if (turns_ != nullptr && name == without_numbers(turns_->name)) continue;  // its own
        Steps& steps = steps_[name];
        steps.count = steps.before = marks.begins;
        steps.is_program = marks.is_program;
        // A begin that may be a step has a place.
        steps.may_be_steps = marks.is_program || !marks.places.empty();
    }
    ranges_ = before.phases.ranges();
    ranges_.renumber_open([&](uint32_t phase) {
        const auto* of_to = to_ ? std::get_if<RangeAtPhase>(&to_->text) : nullptr;
        if (of_to != nullptr &&
            before.phases.matches(of_to->pattern, phase) == PhasesBefore::Answer::yes) {
            to_->open += 1;
            open_.emplace(begins_, Open{true, nullptr});
        }
        return begins_++;
    });
}

void RunLook::take(size_t lane, const Event& event, LoopSteps::Step step) {
    lane_ = static_cast<uint32_t>(lane);
    visit_record(event, [&](const auto& record) {
        if (record.time > last_) events_ = 0;
        last_ = std::max(last_, record.time);
        take_step(step);
        on(record);
        events_ += record.time == last_;
    });
}

void RunLook::on(const ThreadStart& record) {
    threads_.start(lane_, record.tid, record.time);
    started_.push_back(threads_.of_lane(lane_));
}

// ---- the steps of a loop ------------------------------------------------------------------------

bool RunLook::is_inside_loop() const {
    return loop_ ? loop_->is_inside() : before_ && before_->is_inside_loop();
}

void RunLook::take_step(LoopSteps::Step step) {
    if (step == LoopSteps::Step::none) return;
    end_step(false);
    if (step == LoopSteps::Step::begins) begin_step();
}

void RunLook::begin_step() {
    // The head of a loop may run once more than its body.
    if (turns_->count != 0 && of_loop_.count == turns_->count) return;
    of_loop_.count += 1;
    of_loop_.is_open = true;
    if (is_step(from_, of_loop_.count)) {
        of_loop_.from = RangeMoment{last_, {}, events_, turns_->name};
    }
}

// `is_open`: the step goes on if another event tells so.
void RunLook::end_step(bool is_open) {
    if (of_loop_.is_open && is_step(to_, of_loop_.count)) {
        of_loop_.to = RangeMoment{last_, {}, events_, turns_->name};
    }
    of_loop_.is_open = is_open;
}

// A loop that goes on to the end of the work has no event after its last step.
void RunLook::on(const WorkEnd& record) {
    if (work_end_.take(record) && is_inside_loop()) end_step(of_loop_.is_open);
}

// ---- marks --------------------------------------------------------------------------------------

void RunLook::on(const Mark& record) {
    const RangeMoment moment{record.time, marks_++};
    const std::string name = full_name(record);
    const bool is_begin = record.kind == MarkKind::begin || record.kind == MarkKind::mark;
    if (record.kind == MarkKind::end) end(record, name, moment);
    else if (is_begin) begin(record, name, moment);
}

void RunLook::begin(const Mark& record, const std::string& name, RangeMoment moment) {
    if (names_.size() < AllPhases::names_max) names_.insert(grouped_name(name));
    Steps& steps = steps_[without_numbers(record.text)];
    steps.is_program |= record.source == MarkSource::program;
    steps.may_be_steps |= may_be_step(record);
    steps.count += 1;
    if (is_step(from_, steps.count)) {
        steps.from = moment;
        steps.from->step = name;
    }
    if (from_ && !from_->moment && from_->is_phase(name)) from_->moment = moment;
    Open open;
    if (is_step(to_, steps.count)) {
        open.steps = &steps;
        steps.to_name = name;
    }
    open.ends_range = to_ && to_->is_phase(name);
    if (record.kind == MarkKind::mark) {
        if (open.steps != nullptr) steps.end(moment);
        if (open.ends_range) to_->moment = moment;
        return;
    }
    ranges_.begin(record, name, threads_.of_lane(lane_), begins_);
    if (open.ends_range) to_->open += 1;
    if (open.ends_range || open.steps != nullptr) open_.emplace(begins_, open);
    begins_ += 1;
}

void RunLook::end(const Mark& record, const std::string& name, RangeMoment moment) {
    const auto number = ranges_.end(record, name, threads_.of_lane(lane_));
    if (!number) return;
    const auto found = open_.find(*number);
    if (found == open_.end()) return;
    if (found->second.steps != nullptr) found->second.steps->end(moment);
    if (found->second.ends_range) {
        to_->moment = moment;
        to_->open -= 1;
    }
    open_.erase(found);
}

// ---- the range ----------------------------------------------------------------------------------

// Chooses as `growth` does. A few steps are enough if their name says what they are.
const std::pair<const std::string, RunLook::Steps>* RunLook::find_steps() const {
    const std::pair<const std::string, Steps>* best = nullptr;
    const auto worth = [](const auto& entry) {
        return step_worth(entry.first, entry.second.is_program, entry.second.count);
    };
    for (const bool may_be_few : {false, true}) {
        for (const auto& entry : steps_) {
            if (!entry.second.may_be_steps) continue;
            const bool is_named = std::get<0>(worth(entry));
            if (may_be_few ? !is_named : entry.second.count < steps_min) continue;
            if (best == nullptr || worth(entry) > worth(*best)) best = &entry;
        }
        if (best != nullptr) break;
    }
    return best;
}

const RunLook::Steps& RunLook::steps_of(const End& end) const {
    const std::string typed = typed_text(end.option, end.typed);
    const std::string& step = request_.step;
    if (!step.empty()) {
        const auto found = steps_.find(without_numbers(step));
        if (found == steps_.end()) throw Error(unknown_phase("--step", step, names_));
        if (found->second.count < end.step()->number) {
            throw Error(fmt::format("{}: the recording has {} of \"{}\"", typed,
                                    counted(found->second.count, "step"), printable(step)));
        }
        return found->second;
    }
    const auto* steps = find_steps();
    if (steps == nullptr) return found_steps_of(end);
    if (steps->second.count < end.step()->number) {
        throw Error(fmt::format("{}: the recording has {}, marked by \"{}\"", typed,
                                counted(steps->second.count, "step"), printable(steps->first)));
    }
    return steps->second;
}

const RunLook::Steps& RunLook::found_steps_of(const End& end) const {
    const std::string typed = typed_text(end.option, end.typed);
    if (turns_ == nullptr) {
        const std::string& why = why_no_loop_;
        throw Error(
            fmt::format("{}: the program marks no steps, and no loop was found whose iterations "
                        "are its steps{}; name the mark of a step with --step, or a time or a "
                        "phase instead",
                        typed, why.empty() ? "" : " (" + why + ")"));
    }
    if (of_loop_.count < end.step()->number) {
        throw Error(fmt::format("{}: the recording has {} of {}", typed,
                                counted(of_loop_.count, "step"), printable(turns_->name)));
    }
    return of_loop_;
}

RangeMoment RunLook::at_time(const End& end) const {
    const uint64_t time_ns = std::get<RangeAtTime>(end.text).time_ns;
    if (time_ns > clock_.ns(last_)) {
        throw Error(fmt::format("{}: the recording ends after {}",
                                typed_text(end.option, end.typed), human_time(clock_.ns(last_))));
    }
    return {clock_.first_tick_at(time_ns), {}};
}

// A step that has begun before may have ended before, too.
void RunLook::refuse_if_before(const End& end, bool is_to) const {
    bool is_before = false;
    if (const auto* time = std::get_if<RangeAtTime>(&end.text)) {
        const uint64_t tick = clock_.first_tick_at(time->time_ns);
        const bool is_whole = !is_to && time->time_ns == 0;
        is_before = tick < before_->first_tick && !is_whole;
    } else if (end.step() != nullptr) {
        is_before = end.step()->number <= steps_of(end).before;
    } else {
        using Answer = PhasesBefore::Answer;
        const PhasePattern& pattern = std::get<RangeAtPhase>(end.text).pattern;
        const bool ends_later = is_to && (end.moment || end.open != 0);
        is_before = (!ends_later && before_->phases.began(pattern) != Answer::no) ||
                    (is_to && before_->phases.is_open(pattern) == Answer::unknown);
    }
    if (is_before) before_->refuse(typed_text(end.option, end.typed));
}

// Returns nothing if a range that `end` names is not ended: it ends with the recording.
std::optional<RangeMoment> RunLook::moment_of(const End& end, bool is_to) const {
    if (before_) refuse_if_before(end, is_to);
    if (std::holds_alternative<RangeAtTime>(end.text)) return at_time(end);
    if (end.step() != nullptr) {
        const Steps& steps = steps_of(end);
        return is_to ? steps.to : steps.from;
    }
    if (!end.moment && end.open == 0) throw Error(unknown_phase(end.option, end.typed, names_));
    if (end.open != 0) return std::nullopt;
    return end.moment;
}

std::string RunLook::place_of(const RangeMoment& moment) const {
    return human_time(clock_.ns(moment.time));
}

RangeMoments RunLook::moments() {
    clock_.settle();
    RangeMoments moments;
    if (from_) moments.from = moment_of(*from_, false);
    if (to_) moments.to = moment_of(*to_, true);
    if (!moments.from || !moments.to) return moments;
    const RangeMoment& from = *moments.from;
    const RangeMoment& to = *moments.to;
    const bool is_wrong =
        from.time > to.time ||
        (from.time == to.time && ((from.mark && to.mark && *from.mark > *to.mark) ||
                                  (from.event && to.event && *from.event > *to.event)));
    if (is_wrong) {
        throw Error(fmt::format("{} {}: the range ends after {}, before it begins, after {}",
                                typed_text("--from", from_->typed), typed_text("--to", to_->typed),
                                place_of(to), place_of(from)));
    }
    return moments;
}

// ---- threads ------------------------------------------------------------------------------------

ThreadChoice RunLook::threads(const std::vector<std::string>& patterns) {
    const std::vector<ThreadInfo> all = threads_.finish(clock_);
    std::set<std::string> unused(patterns.begin(), patterns.end());
    const auto matches = [&](const ThreadInfo& thread) {
        bool is_found = false;
        for (const std::string& pattern : patterns) {
            const bool is_it = matches_stars(pattern, thread.name) ||
                               (thread.tid != 0 && pattern == std::to_string(thread.tid));
            if (is_it) unused.erase(pattern);
            is_found |= is_it;
        }
        return is_found;
    };
    ThreadChoice choice;
    for (const uint32_t thread : started_) choice.of_starts.push_back(matches(all[thread]));
    choice.of_unknown = matches({});
    if (unused.empty()) return choice;
    std::set<std::string> names;
    for (const ThreadInfo& thread : all) {
        if (thread.tid == 0) continue;
        names.insert(thread.name.empty() ? std::to_string(thread.tid) : thread.name);
    }
    std::string list;
    size_t count = 0;
    for (const std::string& name : names) {
        if (++count <= threads_named) list += (list.empty() ? "" : ", ") + printable(name);
    }
    if (count > threads_named) list += fmt::format(" and {} more", count - threads_named);
    throw Error(fmt::format("--thread {}: no thread has this name or number; the recording has {}",
                            printable(*unused.begin()), list.empty() ? "none" : list));
}

}  // namespace memtrace::analyzer
