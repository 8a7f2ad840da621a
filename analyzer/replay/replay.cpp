// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/replay.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "analyzer/base/units.h"
#include "analyzer/model/kept_sites.h"
#include "analyzer/phases/phase_names.h"
#include "analyzer/replay/walk_sums.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t anomalies_kept = 20;
constexpr size_t marks_kept = 100'000;

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
    heap_.counter().set_observer(phases_->observe("host"));
    maps_.counter().set_observer(phases_->observe("mmap"));
    objects_.set_observer(phases_->observe("python"));
    gpu_.observe(*phases_);
}

// ---- events -------------------------------------------------------------------------------------

void Replay::count_fault(Fault fault, uint64_t time, uint64_t address) {
    const bool unknown = fault != Fault::acquired_while_live;
    if (unknown && model_.process.forked_from != 0) {
        model_.capture.inherited_frees += 1;
        return;
    }
    model_.capture.anomalies += 1;
    std::vector<AnomalyInfo>& list = model_.capture.first_anomalies;
    if (list.size() >= anomalies_kept) return;
    const char* what = fault == Fault::acquired_while_live       ? "acquired while live"
                       : fault == Fault::released_while_not_live ? "released while not live"
                       : fault == Fault::used_while_not_live     ? "used while not live"
                                                                 : "resized while not live";
    list.push_back({time, lane_, address, what});
}

void Replay::on(const Resize& record) {
    count_event();
    judge(heap_.begin_resize(record, lane_), record.time, record.old_address);
}

void Replay::on(const ResizeEnd& end) {
    const uint32_t by = thread();
    work_end_.count_acquisition();
    threads_.count_allocation(by, end.resize.size);
    judge(heap_.end_resize(end.resize, end.time, lane_, by, backward()), end.time,
          end.resize.address);
}

void Replay::on(const Map& record) {
    count_event();
    maps_.map(record, thread(), backward());
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
    maps_.end_remap(end.remap, end.time, lane_, thread(), backward());
}

// ---- names --------------------------------------------------------------------------------------

void Replay::on(const Node& record) { nodes_.push_back(record); }

void Replay::on(const Module& record) {
    model_.stacks.modules[record.id] = {record.begin, record.end, record.bias,
                                        std::string(record.path), std::string(record.build_id)};
}

void Replay::on(const ThreadStart& record) {
    threads_.start(lane_, record.tid, record.time);
    if (chosen_) chosen_->start(lane_);
    backwards_.forget(lane_);
}
void Replay::on(const ThreadName& record) {
    threads_.name(lane_, record.tid, std::string(record.text));
}
void Replay::on(const ThreadEnd& record) { threads_.end(lane_, record.time); }
void Replay::on(const Clock& record) { clock_.add_anchor(record); }

void Replay::on(const Sample& record) {
    model_.samples.push_back({record.time, record.rss, record.pss});
}

void Replay::on(const Mark& record) {
    marks_ += 1;
    if (marks_ <= marks_kept) {
        const bool is_plain = record.domain.empty() || record.text.empty();
        model_.marks.push_back(
            {record.time, record.kind, is_plain ? std::string(record.text) : full_name(record)});
    }
    gpu_.on(record, lane_);
    if (range_) range_->before_mark(marks_ - 1, record.time);
    if (phases_ != nullptr) phases_->on(record, thread());
    if (!range_) return;
    range_->after_mark(marks_ - 1, record.time);
    next_cut_ = std::min(next_cut_, range_->next_time());
}

void Replay::on(const Fork&) { forks_ += 1; }

void Replay::on(const End& record) {
    end_ = record;
    end_lane_ = lane_;
    went_on_ = false;
}

void Replay::on(const WorkEnd& record) {
    if (work_end_.take(record)) end_work();
}

void Replay::end_work() {
    heap_.counter().end_work();
    maps_.counter().end_work();
    objects_.end_work();
    gpu_.end_work();
}

// ---- slices of the run --------------------------------------------------------------------------

// Must be called before an event at this time.
void Replay::come_to(uint64_t time) {
    if (range_) range_->come_to(time);
    end_slices(time);
    if (range_) next_cut_ = std::min(next_cut_, range_->next_time());
}

void Replay::end_slices(uint64_t time) {
    if (slice_ == plan_.slices.size()) {
        next_cut_ = no_cut;
        return;
    }
    for (; slice_ < plan_.slices.size() && time >= plan_.slices[slice_].end; ++slice_) {
        heap_.end_slice(slice_);
        maps_.end_slice(slice_);
        objects_.end_slice(slice_);
        gpu_.end_slice(slice_);
    }
    if (slice_ < plan_.slices.size()) {
        next_cut_ = plan_.slices[slice_].end;
        return;
    }
    next_cut_ = no_cut;
    heap_.count_births();
    maps_.count_births();
    objects_.count_births();
    gpu_.count_births();
}

void Replay::on(const Note& record) {
    model_.notes.push_back({std::string(record.subject), std::string(record.text)});
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

void Replay::on(const Option& record) {
    model_.options[std::string(record.key)] = std::string(record.value);
}

void Replay::on(const Walks& record) { walks_[record.of_lane] = record; }

void Replay::on(const PythonWalks& record) { python_walks_[record.of_lane] = record; }

void Replay::on(const PythonStatus& record) {
    model_.capture.python = {record.state, record.version, std::string(record.why)};
}

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
    if (next_cut_ != no_cut) end_slices(no_cut - 1);
    maps_.finish_remaps();
    if (phases_ != nullptr) phases_->end(last_time_);
    if (!work_end_.time()) end_work();  // The program was at work until the end.
    finish_process();
    finish_spaces();
    if (phases_ != nullptr) phases_->finish(model_, clock_, problems_);
    finish_stacks();
    if (model_.phase) drop_idle_sites(model_);
    finish_captures();
    model_.stacks.codes = python_.finish();
    model_.threads = threads_.finish(clock_);
    for (RssSample& sample : model_.samples) sample.time_ns = clock_.ns(sample.time_ns);
    if (marks_ > marks_kept) {
        problems_.remark("marks", fmt::format("{} begins, ends and marks are listed of {}; phases "
                                              "have them all.",
                                              exact_count(marks_kept), exact_count(marks_)));
    }
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
    if (!end_) return;
    // If a thread continues after exec, the process did not become another program.
    if (end_->kind == EndKind::exec) process.end = went_on_ ? "unknown" : "exec";
    else process.end = fmt::format("exit {}", end_->code);
}

void Replay::finish_spaces() {
    for (SpaceCounter* counter : {&heap_.counter(), &maps_.counter(), &objects_.counter()}) {
        if (counter->empty()) continue;
        Space space = counter->finish();
        space.peak_time_ns = clock_.ns(counter->peak_time());
        space.is_estimate = counter == &objects_.counter() && objects_.interval() != 0;
        model_.spaces.push_back(std::move(space));
    }
    gpu_.for_each_overtaken([this](uint64_t address, uint64_t time, uint32_t lane) {
        lane_ = lane;
        judge_gpu(Fault::acquired_while_live, time, address);
    });
    gpu_.finish(model_, clock_, last_time_, problems_);
    if (chosen_) leave_out_pools(model_.spaces);
    if (!model_.capture.python_objects) return;
    ObjectsInfo& info = *model_.capture.python_objects;
    info.interval = objects_.interval();
    info.sampled = objects_.sampled();
    info.arena_bytes_at_peak = objects_.arena_bytes_at_peak();
    info.arena_bytes = maps_.arena_bytes();
    info.gone_with_arenas = gone_with_arenas_;
}

void Replay::finish_stacks() {
    StackTree& tree = model_.stacks;
    model_.capture.stacks = nodes_.size();
    // Ids are dense, but an id in a damaged dump may be any number.
    const uint64_t id_limit = std::max<uint64_t>(uint64_t{1} << 20, nodes_.size() * 16);
    uint64_t beyond = 0;
    uint32_t id_max = 0;
    const auto use = [&](uint32_t id) {
        if (id < id_limit) id_max = std::max(id_max, id);
        else ++beyond;
    };
    for (const Node& node : nodes_) {
        use(node.id);
        use(node.parent);
    }
    for (const GpuRefusal& refusal : model_.gpu.refusals) use(refusal.stack);
    for (const Space& space : model_.spaces) {
        for (const Site& site : space.sites) {
            if (group_of(site.stack) == Group::none) use(site.stack);
        }
    }
    tree.nodes.resize(uint64_t{id_max} + 1);
    for (const Node& node : nodes_) {
        if (node.id >= id_limit) continue;
        // A stack that contains itself would make readers loop forever.
        const bool sound = node.parent < node.id && node.parent < id_limit;
        StackNode& known = tree.nodes[node.id];
        known.parent = sound ? node.parent : no_stack;
        known.module = node.module;
        known.kind = node.kind;
        known.address = node.address;
        known.defined = true;
        beyond += !sound;
    }
    nodes_ = {};
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
        for (Site& site : space.sites) {
            if (site.stack >= tree.nodes.size()) site.stack = no_stack;
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
    std::vector<StackNode>& nodes = model_.stacks.nodes;
    for (Space& space : model_.spaces) {
        for (Site& site : space.sites) {
            const Group group = group_of(site.stack);
            if (group == Group::none) continue;
            site.stack = static_cast<uint32_t>(nodes.size());
            StackNode& node = nodes.emplace_back();
            node.defined = true;
            node.group = group;
        }
    }
}

void Replay::finish_captures() {
    const std::vector<StackNode>& nodes = model_.stacks.nodes;
    // The root of each node: its outermost ancestor, which has no parent. Parents come first.
    std::vector<uint32_t> roots(nodes.size());
    std::vector<uint32_t> gaps(nodes.size());  // the outermost PythonGap of each node
    for (uint32_t id = 1; id < nodes.size(); ++id) {
        const StackNode& node = nodes[id];
        roots[id] = node.parent == no_stack ? id : roots[node.parent];
        gaps[id] = gaps[node.parent] == no_stack && is_python_gap(node) ? id : gaps[node.parent];
    }
    uint64_t undefined = 0;
    Capture& capture = model_.capture;
    for (const Space& space : model_.spaces) {
        if (space.is_estimate) continue;  // Its number of captures is an estimate, too.
        for (const Site& site : space.sites) {
            if (site.stack == no_stack) continue;
            capture.captures += site.totals.allocations;
            if (const uint32_t gap = gaps[site.stack]; gap != no_stack) {
                capture.python_gaps[python_gap_of(nodes[gap])] += site.totals.allocations;
            }
            const StackNode& root = nodes[roots[site.stack]];
            undefined += !root.defined;
            if (root.kind != NodeKind::truncated) continue;
            capture.captures_truncated += site.totals.allocations;
            capture.cuts[static_cast<Cut>(root.address)] += site.totals.allocations;
        }
    }
    if (undefined > 0) {
        problems_.damage("stack",
                         fmt::format("{} call sites have stacks whose definition is missing: "
                                     "they are shown as far as they are known.",
                                     undefined));
    }
}

}  // namespace memtrace::analyzer
