// SPDX-License-Identifier: Apache-2.0
//
// Replays the stream of events into the Model. It needs one pass. Memory grows with live blocks,
// sites and stacks, not with events.
//
// Times remain in ticks until the end, because the Clock records that convert them may come last.
// Stacks and modules remain numbers until the end, because a lane may use definitions from a later
// chunk of another lane.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "analyzer/base/tick_clock.h"
#include "analyzer/gpu/gpu_replay.h"
#include "analyzer/ledger/host_moments.h"
#include "analyzer/ledger/live_memory.h"
#include "analyzer/model/model.h"
#include "analyzer/model/problems.h"
#include "analyzer/phases/phase_observer.h"
#include "analyzer/phases/range_cursor.h"
#include "analyzer/reader/event.h"
#include "analyzer/reader/known_nodes.h"
#include "analyzer/replay/backward_join.h"
#include "analyzer/replay/chosen_threads.h"
#include "analyzer/replay/python_codes.h"
#include "analyzer/replay/slice_plan.h"
#include "analyzer/replay/stack_records.h"
#include "analyzer/replay/threads.h"
#include "analyzer/replay/work_end.h"
#include "analyzer/spaces/cut_resizes.h"
#include "analyzer/spaces/heap_space.h"
#include "analyzer/spaces/lost_marks.h"
#include "analyzer/spaces/map_space.h"
#include "analyzer/spaces/object_space.h"
#include "analyzer/spaces/recording_gaps.h"
#include "analyzer/spaces/sampled_blocks.h"
#include "analyzer/spaces/size_budget.h"

namespace memtrace::analyzer {

class Replay final : private ReplayPosition {
public:
    // `phases` may be nullptr.
    Replay(const FileHeader& header, Problems& problems,
           std::unique_ptr<PhaseObserver> phases = nullptr);

    // Consumes the next event of the stream. `lane` is the index of the lane in the dump.
    void take(size_t lane, const Event& event) {
        lane_ = static_cast<uint32_t>(lane);
        event_ = &event;
        if (cut_resizes_.waits()) [[unlikely]]
            cut_resizes_.see(lane_);
        const auto consume = [this](const auto& record) {
            see(record.time);
            on(record);
        };
        const auto* acquire = std::get_if<Acquire>(&event.record);
        if (acquire == nullptr) return visit_record(known_.join.joined(event), consume);
        Acquire joined = *acquire;
        joined.stack = known_.join.joined(acquire->stack);
        consume(joined);
    }

    // Consumes the first `count` of these, perhaps earlier than their places in the stream.
    void define_nodes(std::span<const Node> nodes, size_t count) {
        known_.take(nodes, count);
        first_time_ = std::min(first_time_, known_.first_time);
        last_time_ = std::max(last_time_, known_.last_time);
    }
    // All definitions were read before, and do not come again. Call before the first event.
    void know(const KnownNodes& known);
    const KnownNodes& known() const { return known_; }

    // Prefetches what take() will touch for this event: first the place of its block, then the
    // site. Python's objects have their own blocks, so for them the second step would find nothing.
    [[gnu::always_inline]] void soon(const Event& event, bool has_block) {
        if (const auto* acquire = std::get_if<Acquire>(&event.record)) {
            if (has_block) heap_.acquires_soon(known_.join.joined(acquire->stack));
            else soon(*acquire);
        } else if (const auto* release = std::get_if<Release>(&event.record)) {
            if (has_block) heap_.releases_soon(release->address);
            else soon(*release);
        }
    }

    // True if the lane's thread had nothing left to write when the process ended: the thread had
    // ended, or it ended the process. Call before finish().
    bool is_quiet(size_t lane) {
        const uint32_t last = threads_.of_lane(static_cast<uint32_t>(lane));
        return threads_.has_ended(last) || (end_ && last == threads_.of_lane(end_lane_));
    }

    // By lane: true if it has a thread that had something left to write.
    std::vector<bool> lanes_alive() {
        std::vector<bool> alive(threads_.lanes());
        for (uint32_t lane = 0; lane < alive.size(); ++lane) {
            alive[lane] = threads_.knows(lane) && !is_quiet(lane);
        }
        return alive;
    }

    // Keeps the history of each site. Call before the first event. `run` must live until finish()
    // has returned.
    void keep_history(RunHistory& run);
    // Cuts the run where these last changes began.
    void end_slice(uint32_t cut, std::span<const HeldChange> since);
    // Adds all that is alive to the histories.
    void count_births();
    // A handle to the nodes that are defined so far and later.
    StackNodes nodes() const { return model_.stacks.nodes; }
    // Sets the slices of the result. RunHistory::plan() has their cuts.
    void set_slices(SlicePlan plan) { plan_ = std::move(plan); }

    // Only this part of the recording counts. Needs phases. Call before the first event.
    void limit(const RangeMoments& moments) {
        range_.emplace(moments, *phases_);
        next_moment_ = range_->next_time();
    }

    // The program still runs. The recording goes on until this moment, and has no record of it.
    void end_at(const Clock& moment) {
        is_running_ = true;
        last_time_ = std::max(last_time_, moment.time);
        clock_.add_anchor(moment);
    }

    // The middle of the recording, in ticks. Call before the first event, and only without limit().
    void set_half(uint64_t time) { next_moment_ = half_ = time; }
    // Lists all threads one by one (threads.h). Call before the first event.
    void list_all_threads() { threads_.list_all(); }

    // Marks the sites of all other threads (Space::left_out). Call before the first event.
    void choose(ThreadChoice threads) { chosen_.emplace(std::move(threads)); }

    // What is known so far: the process, samples and marks, with their times in ticks.
    const Model& so_far() const { return model_; }
    const TickClock& clock() const { return clock_; }
    template <class Each>
    void for_each_counter(Each&& each) {
        each(heap_.counter());
        each(maps_.counter());
        each(objects_.counter());
        gpu_.for_each_counter(each);
    }

    // True if figures of this counter are estimates from a sample, so far.
    bool is_estimate(const SpaceCounter& counter) {
        return (&counter == &heap_.counter() && heap_sample_.is_sample()) ||
               (&counter == &objects_.counter() && objects_.interval() != 0);
    }

    // What the program holds now, by address.
    HeldMemory held() const { return held_memory(heap_, maps_, objects_); }

    // Times that were not recorded, so far. Times are in ticks until finish().
    const RecordingGaps& gaps() const { return gaps_; }

    // Returns the Model without its problems, because the caller still adds problems.
    Model finish();

private:
    friend struct ReplayState;  // compact/replay_state.h
    using Fault = HeapSpace::Fault;

    void see(uint64_t time) {
        if (time < first_time_) first_time_ = time;
        if (time > last_time_) last_time_ = time;
        now_ = time;
        if (time >= next_moment_) [[unlikely]]
            come_to(time);
    }
    void count_event() {
        events_ += 1;
        went_on_ |= lane_ == end_lane_;
    }
    uint32_t thread() override { return threads_.of_lane(lane_); }
    uint64_t time() const override { return now_; }
    uint64_t events() const override { return events_; }
    uint64_t address() const override {
        uint64_t address = 0;
        visit_record(*event_, [&](const auto& record) {
            if constexpr (requires { record.address; }) address = record.address;
        });
        return address;
    }
    uint32_t backward() {
        const uint32_t backward = backwards_.of(lane_, heap_);
        return chosen_ ? backward | chosen_->bit_of(lane_) : backward;
    }
    void judge(Fault fault, uint64_t time, uint64_t address) {
        if (fault == Fault::none) [[likely]]
            return;
        count_fault(fault, time, address);
        if (fault == Fault::acquired_while_live) {
            cut_resizes_.acquired_while_live(lane_, time, model_.capture.anomalies);
        }
    }
    void count_fault(Fault fault, uint64_t time, uint64_t address);

    template <class Record>
    static constexpr bool is_gpu_event =
        std::is_same_v<Record, GpuAcquire> || std::is_same_v<Record, GpuRelease> ||
        std::is_same_v<Record, GpuRetain> || std::is_same_v<Record, GpuMap> ||
        std::is_same_v<Record, GpuUnmap> || std::is_same_v<Record, TensorAcquire> ||
        std::is_same_v<Record, TensorRelease>;
    template <class Record>
    static constexpr bool has_taken_size =
        takes_address<Record> || std::is_same_v<Record, Resize> || std::is_same_v<Record, Remap>;
    static uint64_t address_of(const auto& record) {
        if constexpr (requires { record.address; }) return record.address;
        else return record.handle;
    }
    // Returns the record with the size with which it is counted.
    template <class Record>
    Record within_budget(Record record) {
        if constexpr (has_taken_size<Record>) record.size = sizes_.take(record.size);
        return record;
    }
    GpuCaller caller() { return {lane_, thread(), backward()}; }
    void judge_gpu(Fault fault, uint64_t time, uint64_t address) {
        if (fault == Fault::none) return;
        // What was alive before a time without a record may be gone, with its place.
        if (gaps_.any() && fault == Fault::acquired_while_live) return;
        if (gaps_.any()) return count_fault(fault, time, address);
        model_.gpu.contradictions +=
            model_.process.forked_from == 0 || fault == Fault::acquired_while_live;
        count_fault(fault, time, address);
    }

    template <class Record>
    [[gnu::always_inline]] void soon(const Record& record) const {
        if (is_object_api(record.api)) objects_.soon(record.address);
        else if constexpr (takes_address<Record>) heap_.soon(record.address, record.stack);
        else heap_.soon(record.address);
    }

    [[gnu::always_inline]] void on(const Acquire& record) {
        count_event();
        work_end_.count_acquisition();
        const uint32_t by = threads_.of_lane(lane_);
        if (is_object_api(record.api)) {
            judge(objects_.acquire(record, lane_, by, maps_.arena_bytes(),
                                   chosen_ ? chosen_->bit_of(lane_) : 0),
                  record.time, record.address);
            return;
        }
        if (heap_sample_.is_sample() && !make_way(record)) return take_sampled(record, by);
        const uint64_t size = sizes_.take(record.size);
        threads_.count_allocation(by, size);
        judge(heap_.acquire(record.address, size, record.stack, record.time, by, backward()),
              record.time, record.address);
    }
    [[gnu::always_inline]] void on(const Release& record) {
        count_event();
        const uint32_t by = thread();
        const Fault fault = is_object_api(record.api) ? objects_.release(record, by)
                            : heap_sample_.is_sample()
                                ? heap_sample_.judged(heap_sample_.release(record.address, by))
                                : heap_.release(record.address, by);
        judge(fault, record.time, record.address);
    }
    // Returns false if the acquisition is one of a sample. Otherwise it stands for itself, and what
    // the sample has at its address ends.
    bool make_way(const Acquire& record) {
        if (heap_sample_.intervals().of(lane_) != 0) return false;
        judge(heap_sample_.make_way(record.address), record.time, record.address);
        return true;
    }
    void take_sampled(const Acquire& record, uint32_t by);
    void on(const Resize& record);
    void on(const ResizeEnd& end);
    void on(const Map& record);
    void on(const Unmap& record);
    void on(const Remap& record);
    void on(const RemapEnd& end);
    void on(const Node& record) { define_nodes({&record, 1}, 1); }
    void on(const Module& record);
    void on(const ThreadStart& record);
    void on(const ThreadName& record);
    void on(const ThreadEnd& record) { threads_.end(lane_, record.time); }
    void on(const Clock& record) { clock_.add_anchor(record); }
    void on(const Sample& record);
    void on(const Mark& record);
    void on(const Fork& record);
    void on(const End& record);
    void on(const Note& record);
    void on(const Process& record);
    void on(const Option& record) {
        model_.options[std::string(record.key)] = std::string(record.value);
    }
    void on(const Walks& record) { walks_[record.of_lane] = record; }
    void on(const PythonWalks& record) { python_walks_[record.of_lane] = record; }
    void on(const WorkEnd& record) {
        if (work_end_.take(record)) end_work();
    }
    void on(const LostSearch& record) { lost_.on(record, heap_); }
    void on(const LostBlock& record) { lost_.on(record, heap_); }
    void on(const LostScope&) {}  // held_at() knows it
    void on(const ShimTables& record) { model_.capture.tables = record; }
    void on(const PythonCode& record) { python_.add(record); }
    void on(const PythonLines& record) { python_.add(record); }
    void on(const PythonStatus& record) {
        model_.capture.python = {record.state, record.version, std::string(record.why)};
    }
    void on(const PythonObjects& record);
    void on(const HeapSample& record);
    void on(const RecordingSwitch& record);
    void on(const ObjectSample& record);
    void on(const AutogradEngine& record) { backwards_.add(record); }
    void on(const AutogradNode& record) { backwards_.add(record, lane_); }
    void on(const HostMoment& record) { host_.on(record, lane_); }
    void on(const HostRegion& record) { host_.on(record, lane_); }
    void on(const HostPages& record) { host_.on(record, lane_); }
    void on(const HostRange& record) { host_.on(record, lane_); }
    void on(const HostMomentEnd& record) {
        // The ledger needs every block.
        if (!has_figures_ || heap_sample_.is_sample() || gaps_.any()) return;
        host_.on(record, lane_, [this] { return held(); });
    }
    void on(const GpuContext& record) { gpu_.on(record, caller()); }
    void on(const TensorRefused& record) { gpu_.on(record, caller()); }
    // GPU records: events and descriptions.
    void on(const auto& record) {
        using Record = std::decay_t<decltype(record)>;
        if constexpr (is_gpu_event<Record>) {
            count_event();
            judge_gpu(gpu_.on(within_budget(record), caller()), record.time, address_of(record));
        } else {
            gpu_.on(record);
        }
    }

    void come_to(uint64_t time);
    void pass_half();
    void end_work();
    void forget_thread(uint32_t thread);
    void finish_process();
    void finish_spaces();
    void finish_stacks();
    void name_groups();

    TickClock clock_;
    Problems& problems_;
    Model model_;
    std::unique_ptr<PhaseObserver> phases_;
    bool has_figures_ = true;  // False: only phases_ counts.
    HeapSpace heap_;
    SampledBlocks heap_sample_{heap_};  // blocks that stand for several
    MapSpace maps_;
    ObjectSpace objects_;
    uint64_t gone_with_arenas_ = 0;
    SizeBudget sizes_;
    HostMoments host_;
    RecordingGaps gaps_;
    Threads threads_;
    PythonCodes python_;
    BackwardJoin backwards_;
    GpuReplay gpu_{model_.stacks.nodes, model_.stacks.modules};
    // Paths that were met in stacks. A library that is loaded again is no new one.
    std::set<std::string, std::less<>> libraries_;
    uint64_t last_library_ = 0;        // when the last of them was, in ticks
    std::map<uint64_t, Walks> walks_;  // the last record of each lane
    std::map<uint64_t, PythonWalks> python_walks_;
    uint32_t lane_ = 0;  // lane of the current event
    const Event* event_ = nullptr;
    uint64_t events_ = 0;
    uint64_t first_time_ = ~uint64_t{0};
    uint64_t last_time_ = 0;
    uint64_t now_ = 0;  // time of the current event
    uint64_t forks_ = 0;
    uint64_t marks_ = 0;
    uint64_t mark_bytes_ = 0;  // of all their texts
    uint64_t samples_ = 0;     // of the resident set
    KnownNodes known_{model_.stacks.nodes};
    std::optional<End> end_;
    uint32_t end_lane_ = 0xffffffff;
    bool is_running_ = false;
    bool went_on_ = false;  // true if that lane has events after its End record
    WorkEndChoice work_end_;
    SlicePlan plan_;
    std::optional<RangeCursor> range_;
    uint64_t next_moment_ = RangeCursor::never;  // of the range, or half_
    uint64_t half_ = RangeCursor::never;         // RangeCursor::never: not known
    bool has_passed_half_ = false;
    CutResizes cut_resizes_;
    LostMarks lost_;
    std::optional<ChosenThreads> chosen_;  // nothing: all threads count
};

}  // namespace memtrace::analyzer
