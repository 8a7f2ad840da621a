// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/replay.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "analyzer/base/units.h"
#include "analyzer/ledger/resident_samples.h"
#include "analyzer/model/kept_sites.h"
#include "analyzer/phases/phase_names.h"
#include "analyzer/replay/step_marks.h"
#include "analyzer/replay/walk_sums.h"
#include "analyzer/spaces/sample_turn.h"
#include "memtrace/dump/program_suppressions.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t anomalies_kept = 20, marks_kept = 100'000, mark_bytes_kept = size_t{8} << 20;

std::vector<std::string> split_arguments(Text text) {
    std::vector<std::string> result;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\0'), text.size());
        result.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

}  // namespace

Replay::Replay(const FileHeader& header, Problems& problems, std::unique_ptr<PhaseObserver> phases)
    : clock_(header.ticks_per_second), problems_(problems), phases_(std::move(phases)) {
    if (phases_ == nullptr) return;
    phases_->follow(*this);
    has_figures_ = phases_->needs_figures();
    heap_.counter().keep_figures(has_figures_);
    heap_.counter().set_observer(phases_->observe("host"));
    maps_.counter().set_observer(phases_->observe("mmap"));
    objects_.counter().set_observer(phases_->observe("python"));
    gpu_.observe(*phases_);
}

// ---- events -------------------------------------------------------------------------------------

void Replay::count_fault(Fault fault, uint64_t time, uint64_t address) {
    const bool unknown = fault != Fault::acquired_while_live;
    if (unknown && gaps_.any()) {
        model_.capture.earlier_frees += 1;
        return;
    }
    if (unknown && model_.process.forked_from != 0) {
        model_.capture.inherited_frees += 1;
        return;
    }
    model_.capture.anomalies += 1;
    std::vector<AnomalyInfo>& list = model_.capture.first_anomalies;
    if (list.size() >= anomalies_kept) return;
    list.push_back({time, lane_, address, HeapSpace::name_of(fault)});
}

void Replay::take_sampled(const Acquire& record, uint32_t by) {
    const uint64_t interval = heap_sample_.intervals().of(lane_);
    const SampledBlocks::Weight weight = heap_sample_.weigh(record.size, interval, sizes_);
    threads_.count_allocation(by, weight.bytes, weight.blocks);
    judge(heap_sample_.acquire(record, weight, interval, backward()), record.time, record.address);
}

void Replay::on(const Resize& record) {
    count_event();
    judge(heap_sample_.judged(heap_.begin_resize(record, lane_)), record.time, record.old_address);
}

void Replay::on(const ResizeEnd& end) {
    const uint32_t by = thread();
    const Resize resize = within_budget(end.resize);
    work_end_.count_acquisition();
    threads_.count_allocation(by, resize.size);
    judge(heap_.end_resize(resize, end.time, lane_, by, backward()), end.time, resize.address);
}

void Replay::on(const Map& record) {
    count_event();
    maps_.map(within_budget(record), thread(), backward());
}

void Replay::on(const Unmap& record) {
    count_event();
    maps_.for_each_arena_part(record.address, record.address + record.size,
                              [&](uint64_t begin, uint64_t end) {
                                  gone_with_arenas_ += objects_.unmap(begin, end, thread());
                              });
    maps_.unmap(record, thread());
}

void Replay::on(const Remap& record) {
    count_event();
    maps_.begin_remap(record, lane_);
}

void Replay::on(const RemapEnd& end) {
    maps_.end_remap(within_budget(end.remap), end.time, lane_, thread(), backward());
}

void Replay::know(const KnownNodes& known) {
    if (has_figures_) known_.copy(known);
    else known_.join.join_like(known.join);
    first_time_ = known.first_time;
    last_time_ = known.last_time;
}

void Replay::on(const Module& record) {
    define_module(model_.stacks, record);
    if (is_shim_module(record.path)) known_.join.leave_out(record.id);
    if (libraries_.emplace(record.path).second) last_library_ = record.time;
}

void Replay::on(const ThreadStart& record) {
    if (threads_.start(lane_, record.tid, record.time)) forget_thread(threads_.of_lane(lane_));
    if (chosen_) chosen_->start(lane_);
    backwards_.forget(lane_);
}
void Replay::forget_thread(uint32_t thread) {
    heap_.forget_thread(thread);
    maps_.forget_thread(thread);
    objects_.forget_thread(thread);
    gpu_.forget_thread(thread);
    if (phases_ != nullptr) phases_->forget_thread(thread);
}
void Replay::on(const ThreadName& record) {
    threads_.name(lane_, record.tid, std::string(record.text));
}

void Replay::on(const Sample& record) {
    samples_ += 1;
    add_sample(model_.samples, {record.time, record.rss, record.pss, record.own});
}

void Replay::on(const Mark& record) {
    marks_ += 1;
    mark_bytes_ += record.domain.size() + record.text.size();
    if (marks_ <= marks_kept && mark_bytes_ <= mark_bytes_kept) {
        const bool is_plain = record.domain.empty() || record.text.empty();
        model_.marks.push_back(
            {record.time, record.kind, is_plain ? std::string(record.text) : full_name(record)});
    }
    gpu_.on(record, lane_);
    if (range_) range_->before_mark(marks_ - 1, record.time);
    if (phases_ != nullptr) phases_->on(record, thread());
    if (!range_) return;
    range_->after_mark(marks_ - 1, record.time);
    next_moment_ = range_->next_time();
}
void Replay::on(const Fork&) { forks_ += 1; }

void Replay::on(const End& record) {
    end_ = record;
    end_lane_ = lane_;
    went_on_ = false;
}

void Replay::end_work() {
    heap_.counter().end_work();
    maps_.counter().end_work();
    objects_.counter().end_work();
    gpu_.end_work();
    if (phases_ != nullptr) phases_->end_work();
}

// ---- slices of the run --------------------------------------------------------------------------

// Must be called before an event at this time.
void Replay::come_to(uint64_t time) {
    if (!range_) return pass_half();
    range_->come_to(time);
    next_moment_ = range_->next_time();
}

void Replay::on(const Note& record) {
    if (record.subject == program_suppressions_subject) {
        model_.program_suppressions += record.text;
    } else {
        model_.notes.push_back({std::string(record.subject), std::string(record.text)});
    }
}

void Replay::pass_half() {
    next_moment_ = RangeCursor::never;
    // After damage, a time may lie beyond all others.
    if (half_ == RangeCursor::never || std::exchange(has_passed_half_, true)) return;
    heap_.counter().pass_half();
    maps_.counter().pass_half();
    objects_.counter().pass_half();
    gpu_.pass_half();
}

void Replay::keep_history(RunHistory& run) {
    heap_.counter().keep_history(run);
    maps_.counter().keep_history(run);
    objects_.counter().keep_history(run);
    gpu_.keep_history(run);
}

void Replay::end_slice(uint32_t cut, std::span<const HeldChange> since) {
    for_each_counter([&](SpaceCounter& counter) { counter.end_slice(cut, since); });
}

void Replay::count_births() {
    heap_.count_births();
    heap_sample_.count_births();
    maps_.count_births();
    objects_.count_births();
    gpu_.count_births();
}

void Replay::on(const Process& record) {
    ProcessInfo& process = model_.process;
    process.command = split_arguments(record.arguments);
    process.executable = record.executable;
    process.shim_version = record.shim_version;
    process.rank = record.rank;
    process.pid = record.pid;
    process.parent_pid = record.parent_pid;
    process.forked_from = record.forked_from;
    process.machine_memory = record.machine_memory;
    process.memory_limit = record.memory_limit;
}

// Records about the process have no time.
void Replay::on(const HeapSample& record) {
    if (record.time == 0) return heap_sample_.begin(record.interval);
    heap_sample_.change(lane_, record.interval, record.time);
}

// What is alive may go without a record from here on, or may have gone until here.
void Replay::on(const RecordingSwitch& record) {
    if (!gaps_.take(record)) return;
    gpu_.pass_gap();
    const bool goes_on = gaps_.is_off();
    for_each_counter([&](SpaceCounter& counter) { counter.doubt_all(goes_on); });
    heap_.doubt_all(goes_on);
    objects_.doubt_all(goes_on);
}

void Replay::on(const ObjectSample& record) { objects_.begin(record, lane_); }

void Replay::on(const PythonObjects& record) {
    objects_.begin(record);
    if (!model_.capture.python_objects) model_.capture.python_objects.emplace();
    ObjectsInfo& info = *model_.capture.python_objects;
    info.state = record.state;
    info.why = record.why;
}

// ---- the end ------------------------------------------------------------------------------------

Model Replay::finish() {
    clock_.settle();
    model_.capture.gaps = gaps_.in_nanoseconds(clock_);
    maps_.finish_remaps();
    if (phases_ != nullptr) phases_->end(last_time_);
    if (!has_figures_) {
        phases_->finish(model_, clock_, problems_);
        return std::move(model_);
    }
    if (!work_end_.time()) end_work();  // The program was at work until the end.
    finish_process();
    lost_.finish(heap_, clock_, model_.searches);
    finish_spaces();
    if (phases_ != nullptr) phases_->finish(model_, clock_, problems_);
    finish_stacks();
    settle_turn(model_);
    if (model_.phase) drop_idle_sites(model_);
    leave_out_shim(model_.stacks);
    cut_at_greenlets(model_.stacks);
    count_captures(model_, problems_);
    if (cut_resizes_.waits()) {
        cut_resizes_.explain(clock_, last_time_, lanes_alive(), model_.capture, problems_);
    }
    model_.stacks.codes = python_.finish();
    threads_.remark(problems_);
    model_.threads = threads_.finish(clock_);
    if (!heap_sample_.is_sample() && !gaps_.any())  // There are no moments after such.
        model_.host = host_.finish(clock_, model_.stacks.nodes.size());
    for (RssSample& sample : model_.samples) sample.time_ns = clock_.ns(sample.time_ns);
    remark_on_marks(model_.marks.size(), marks_, problems_);
    remark_on_samples(model_.samples.size(), samples_, problems_);
    for (MarkInfo& mark : model_.marks) mark.time_ns = clock_.ns(mark.time_ns);
    for (AnomalyInfo& anomaly : model_.capture.first_anomalies) {
        anomaly.time_ns = clock_.ns(anomaly.time_ns);
    }
    model_.capture.events = events_;
    model_.slices = in_nanoseconds(plan_, clock_);
    model_.capture.walks = sum_of(walks_);
    model_.capture.python_walks = sum_of(python_walks_);
    return std::move(model_);
}

void Replay::finish_process() {
    ProcessInfo& process = model_.process;
    process.start_realtime_ns = clock_.start_realtime_ns();
    if (first_time_ <= last_time_)
        process.duration_ns = clock_.ns(last_time_) - clock_.ns(first_time_);
    process.children = forks_;
    if (work_end_.time()) process.work_end_ns = clock_.ns(*work_end_.time());
    if (has_passed_half_) process.half_ns = clock_.ns(half_);
    if (last_library_ != 0) process.last_library_ns = clock_.ns(last_library_);
    if (is_running_) process.end = "running";
    if (!end_) return;
    // If a thread continues after exec, the process did not become another program.
    if (end_->kind != EndKind::exec) process.end = fmt::format("exit {}", end_->code);
    else if (!went_on_) process.end = "exec";
}

void Replay::finish_spaces() {
    for (SpaceCounter* counter : {&heap_.counter(), &maps_.counter(), &objects_.counter()}) {
        if (counter->empty()) continue;
        Space& space = model_.spaces.emplace_back(counter->finish());
        space.peak_time_ns = clock_.ns(counter->peak_time());
        if (counter == &heap_.counter()) heap_sample_.describe(space, clock_);
        if (counter == &objects_.counter()) objects_.sample().describe(space, clock_);
    }
    remark_on_sample(heap_sample_, clock_, problems_);
    remark_on_gaps(gaps_, problems_);
    gpu_.for_each_overtaken([this](uint64_t address, uint64_t time, uint32_t lane) {
        lane_ = lane;
        judge_gpu(Fault::acquired_while_live, time, address);
    });
    gpu_.finish(model_, clock_, last_time_, problems_);
    model_.gpu.driver_reserved = maps_.reserved();
    report_cut(sizes_.cut() + objects_.cut_sizes(), problems_);
    if (chosen_) leave_out_pools(model_.spaces);
    if (!model_.capture.python_objects) return;
    ObjectsInfo& info = *model_.capture.python_objects;
    info.interval = objects_.interval();
    info.sampled = objects_.sample().sampled();
    info.arena_bytes_at_peak = objects_.arena_bytes_at_peak();
    info.arena_bytes = maps_.arena_bytes();
    info.gone_with_arenas = gone_with_arenas_;
}

void Replay::finish_stacks() {
    StackTree& tree = model_.stacks;
    model_.capture.stacks = known_.count - std::min<uint64_t>(known_.count, known_.join.copies());
    uint64_t beyond = known_.unsound;
    uint64_t size = std::max<uint64_t>(tree.nodes.size(), 1);
    const auto use = [&](uint32_t id) {
        if (id < node_id_limit(known_.count)) size = std::max(size, uint64_t{id} + 1);
        else ++beyond;
        return id < node_id_limit(known_.count);
    };
    for (const Node& node : std::exchange(known_.far, {})) {
        if (use(node.id)) known_.define(node);
    }
    for (const GpuRefusal& refusal : model_.gpu.refusals) use(refusal.stack);
    for (const Space& space : model_.spaces) {
        for (size_t i = 0; i < space.sites.size(); ++i) {
            const uint32_t stack = space.sites.stack(i);
            if (group_of(stack) == Group::none) use(stack);
        }
    }
    tree.nodes.resize(size);
    name_groups();
    if (beyond > 0) {
        problems_.damage("stack", fmt::format("{} call stacks have impossible numbers.", beyond));
    }
    for (GpuRefusal& refusal : model_.gpu.refusals) {
        if (refusal.stack >= tree.nodes.size()) refusal.stack = no_stack;
    }
    // A site with an impossible stack number becomes a site without a stack, so that sums stay
    // correct.
    for (Space& space : model_.spaces) {
        for (size_t i = 0; i < space.sites.size(); ++i) {
            if (space.sites.stack(i) >= tree.nodes.size()) space.sites.set_stack(i, no_stack);
        }
    }
    if (const uint64_t left_out = backwards_.finish(tree, model_.spaces); left_out > 0) {
        problems_.remark("autograd", fmt::format("{} call sites went backward and are not joined: "
                                                 "there are too many.",
                                                 left_out));
    }
}

// Gives a group's site a node of its own. Dumps contain no such node.
void Replay::name_groups() {
    for (Space& space : model_.spaces) {
        for (size_t i = 0; i < space.sites.size(); ++i) {
            StackNode node;
            node.group = group_of(space.sites.stack(i));
            if (node.group == Group::none) continue;
            node.defined = true;
            space.sites.set_stack(i, model_.stacks.nodes.push_back(node));
        }
    }
}

}  // namespace memtrace::analyzer
