// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu/gpu_replay.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyzer/base/enum_names.h"
#include "analyzer/base/thin_out.h"
#include "analyzer/base/units.h"
#include "analyzer/model/gpu_facts.h"
#include "analyzer/phases/phase_names.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t refusals_kept = 1000;
constexpr size_t holes_kept = 10;
constexpr size_t usages_max = 10'000;
constexpr size_t open_max = 1'000;  // ranges of a lane; older ones are never ended

// The values of c10::DeviceType that have memory of their own.
constexpr std::pair<uint32_t, const char*> device_types[] = {
    {1, "cuda"}, {6, "hip"},   {12, "xpu"},          {13, "mps"},
    {15, "hpu"}, {19, "mtia"}, {20, "privateuseone"}};

}  // namespace

GpuReplay::GpuReplay(const StackNodes& nodes, const std::map<uint32_t, ModuleInfo>& modules)
    : nodes_(nodes),
      owners_(modules),
      ledger_([this](uint32_t stack) { return is_allocator(stack); }) {}

std::string GpuReplay::tensors_name(uint32_t device_type, uint32_t device) {
    for (const auto& [type, name] : device_types) {
        if (type == device_type) return tensor_space(name, device);
    }
    return tensor_space(fmt::format("type{}", device_type), device);
}

// True if PyTorch's allocator acquires memory with this stack. A node precedes all records that
// use it.
bool GpuReplay::is_allocator(uint32_t stack) {
    const auto node_at = [this](uint32_t id) -> std::optional<StackNode> {
        if (id >= nodes_.size()) return std::nullopt;
        const StackNode node = nodes_[id];
        return node.defined ? std::optional(node) : std::nullopt;
    };
    return owners_.of(stack, node_at).role == GpuRole::allocator;
}

std::vector<GpuReplay::Appeared> GpuReplay::appeared() {
    std::vector<Appeared> all;
    for (auto& [number, card] : ledger_.cards()) {
        all.push_back({card.space().counter().history_index(), 1, cuda, number});
    }
    for (auto& [key, tensors] : tensors_) {
        all.push_back({tensors.space.counter().history_index(), 0, key.first, key.second});
    }
    std::sort(all.begin(), all.end(),
              [](const Appeared& a, const Appeared& b) { return a.history < b.history; });
    return all;
}

// ---- the driver ---------------------------------------------------------------------------------

// Attributes the change of segments by the current event to this lane.
void GpuReplay::tell_agreements(uint32_t lane) {
    for (auto& [number, card] : ledger_.cards()) {
        const uint64_t bytes = card.segments().bytes();
        Tensors* tensors = nullptr;
        if (const auto found = tensors_.find({cuda, number}); found != tensors_.end()) {
            tensors = &found->second;
        }
        if (tensors == nullptr && bytes == 0) continue;
        if (tensors == nullptr) tensors = &tensors_of(cuda, number);
        tensors->agreement.change_segments(lane,
                                           static_cast<int64_t>(bytes - tensors->segments_seen));
        tensors->segments_seen = bytes;
    }
}

GpuReplay::Fault GpuReplay::on(const GpuAcquire& record, const GpuCaller& by) {
    const Fault fault = ledger_.acquire(record, by);
    tell_agreements(by.lane);
    return fault;
}

GpuReplay::Fault GpuReplay::on(const GpuRelease& record, const GpuCaller& by) {
    const Fault fault = ledger_.release(record, by);
    tell_agreements(by.lane);
    return fault;
}

GpuReplay::Fault GpuReplay::on(const GpuRetain& record, const GpuCaller&) {
    return ledger_.retain(record);
}

GpuReplay::Fault GpuReplay::on(const GpuMap& record, const GpuCaller& by) {
    const Fault fault = ledger_.map(record, by);
    tell_agreements(by.lane);
    return fault;
}

GpuReplay::Fault GpuReplay::on(const GpuUnmap& record, const GpuCaller& by) {
    const Fault fault = ledger_.unmap(record, by);
    tell_agreements(by.lane);
    return fault;
}

void GpuReplay::on(const GpuContext& record, const GpuCaller& by) {
    ledger_.change_context(record, by);
    tell_agreements(by.lane);
}

void GpuReplay::on(const GpuSource& record) {
    info_.source = {record.backend, record.driver_version, std::string(record.why)};
}

void GpuReplay::on(const GpuDevice& record) {
    GpuDeviceInfo& info = devices_[record.device];
    if (record.memory != 0) info.memory = record.memory;
    if (!record.pci.empty()) info.pci = record.pci;
    if (!record.model.empty()) info.model = record.model;
}

void GpuReplay::on(const GpuUsage& record) {
    const GpuCard& card = ledger_.card(record.device);
    if (info_.usages.size() >= usages_max) {
        thin_out(
            info_.usages,
            [](const GpuUsageInfo& usage) { return std::pair(usage.device, usage.scope); },
            [](const GpuUsageInfo& usage) { return usage.used; });
    }
    info_.usages.push_back({record.time, record.device, record.scope, record.used, record.memory,
                            card.space().live_bytes() + card.slack()});
}

void GpuReplay::on(const Mark& record, uint32_t lane) {
    const bool is_of_thread = record.scope == MarkScope::thread;
    if (record.kind == MarkKind::begin) {
        if (!is_of_thread) return;
        std::vector<std::string>& open = open_[lane];
        if (open.size() >= open_max) open.erase(open.begin(), open.begin() + open_max / 2);
        open.push_back(full_name(record));
        return;
    }
    mark_ = full_name(record);
    // The end of a thread's range does not name the range.
    const bool is_end = record.kind == MarkKind::end && is_of_thread;
    if (std::vector<std::string>& open = open_[lane]; is_end && !open.empty()) {
        mark_ = std::move(open.back());
        open.pop_back();
    }
    mark_time_ = record.time;
    ledger_.mark(record.time);
    for (auto& [key, tensors] : tensors_) tensors.space.mark(record.time);
}

// ---- tensors ------------------------------------------------------------------------------------

GpuReplay::Tensors& GpuReplay::tensors_of(uint32_t device_type, uint32_t device) {
    const std::pair key{device_type, device};
    const auto found = tensors_.find(key);
    if (found != tensors_.end()) return found->second;
    Tensors& tensors = tensors_.emplace(key, tensors_name(device_type, device)).first->second;
    if (phases_ != nullptr) {
        tensors.space.counter().set_observer(phases_->observe(tensors_name(device_type, device)));
    }
    if (history_ != nullptr) tensors.space.counter().keep_history(*history_);
    return tensors;
}

void GpuReplay::observe(PhaseObserver& phases) {
    phases_ = &phases;
    ledger_.observe(phases);
}

GpuCard* GpuReplay::card_of(uint32_t device_type, uint32_t device) {
    return device_type == cuda ? &ledger_.card(device) : nullptr;
}

template <class Record>
void GpuReplay::compare(const Record& record, const GpuCaller& by) {
    GpuCard* card = card_of(record.device_type, record.device);
    if (card == nullptr) return;
    tell_agreements(by.lane);  // The record may have turned foreign memory into a segment.
    Tensors& tensors = tensors_of(record.device_type, record.device);
    tensors.agreement.compare(by.lane, record.time, {record.reserved, record.allocated},
                              {card->segments().bytes(), tensors.space.live_bytes()});
}

GpuReplay::Fault GpuReplay::on(const TensorAcquire& record, const GpuCaller& by) {
    Tensors& tensors = tensors_of(record.device_type, record.device);
    GpuCard* card = card_of(record.device_type, record.device);
    Fault fault = Fault::none;
    if (const auto old = tensors.blocks.find(record.address); old != tensors.blocks.end()) {
        fault = Fault::acquired_while_live;
        const GpuHolding gone = old->second;
        tensors.space.release(gone, record.time, by.thread);
        if (card != nullptr) card->segments().give(record.address, gone.bytes);
    }
    tensors.blocks[record.address] =
        tensors.space.acquire(record.size, record.stack, "", record.time, by);
    if (card != nullptr) {
        card->segments().take(record.address, record.size);
        card->look_at_peak(record.time);
    }
    compare(record, by);
    return fault;
}

GpuReplay::Fault GpuReplay::on(const TensorRelease& record, const GpuCaller& by) {
    Tensors& tensors = tensors_of(record.device_type, record.device);
    const auto found = tensors.blocks.find(record.address);
    if (found == tensors.blocks.end()) return Fault::released_while_not_live;
    const GpuHolding gone = found->second;
    tensors.blocks.erase(found);
    tensors.space.release(gone, record.time, by.thread);
    if (GpuCard* card = card_of(record.device_type, record.device)) {
        card->segments().give(record.address, gone.bytes);
    }
    compare(record, by);
    return Fault::none;
}

// ---- refusals -----------------------------------------------------------------------------------

void GpuReplay::on(const GpuRefused& record) {
    GpuRefusal refusal;
    refusal.time_ns = record.time;  // in ticks, until the end of the replay
    refusal.api = record.api;
    refusal.stack = record.stack;
    refusal.size = record.size;
    refusal.device = record.device;
    refusal.result = record.result;
    refusal.free = record.free;
    refusal.memory = record.memory;
    refuse(refusal);
}

void GpuReplay::on(const TensorRefused& record, const GpuCaller& by) {
    GpuRefusal refusal;
    refusal.time_ns = record.time;
    refusal.by_tensors = true;
    refusal.stack = record.stack;
    refusal.size = record.size;
    refusal.device_type = record.device_type;
    refusal.device = record.device;
    refusal.allocated = record.allocated;
    refusal.reserved = record.reserved;
    compare(record, by);
    refuse(refusal);
}

// Only one refusal is told in full (told_refusal_at). The holders are collected again for each that
// may be the one, and a refusal of other memory does not take the place of a device's.
void GpuReplay::refuse(const GpuRefusal& refusal) {
    const bool is_told =
        info_.refusals.empty() || is_of_device(refusal) || !is_of_device(told_refusal(info_));
    if (info_.refusals.size() == refusals_kept) {
        info_.refusals_more += 1;
        if (!is_told) return;
        info_.refusals.pop_back();
    }
    info_.refusals.push_back(refusal);
    if (!is_told) return;
    GpuHolders& holders = info_.holders.emplace();
    holders.mark = mark_;
    holders.mark_time_ns = mark_time_;
    if (is_of_device(refusal)) return add_holders(refusal, holders);
    const std::string name = refused_space(refusal);
    if (name.empty()) return;
    GpuSpace& space = name == "managed" ? ledger_.managed() : ledger_.pinned();
    holders.device = space.held_sites();
    holders.half_time_ns = space.half_time();
}

void GpuReplay::add_holders(const GpuRefusal& refusal, GpuHolders& holders) {
    Tensors& tensors = tensors_of(refusal.device_type, refusal.device);
    holders.tensors = tensors.space.held_sites();
    holders.tensors_space = tensors_name(refusal.device_type, refusal.device);
    holders.half_time_ns = tensors.space.half_time();
    if (GpuCard* card = card_of(refusal.device_type, refusal.device)) {
        holders.figures = card->figures(refusal.time_ns);
        holders.device = card->space().held_sites();
        holders.holes = card->segments().largest_holes(holes_kept);
        if (card->space().half_time()) holders.half_time_ns = card->space().half_time();
    }
}

// ---- the end ------------------------------------------------------------------------------------

void GpuReplay::pass_half() {
    for_each_space([](GpuSpace& space) { space.counter().pass_half(); });
}

void GpuReplay::end_work() {
    for_each_space([](GpuSpace& space) { space.counter().end_work(); });
}

void GpuReplay::keep_history(RunHistory& run) {
    history_ = &run;
    ledger_.keep_history(run);
}

void GpuReplay::count_births() {
    ledger_.count_births();
    for (auto& [key, tensors] : tensors_) {
        for (const auto& [address, holding] : tensors.blocks) tensors.space.count_birth(holding);
    }
}

void GpuReplay::finish_holders(const TickClock& clock) {
    for (GpuRefusal& refusal : info_.refusals) refusal.time_ns = clock.ns(refusal.time_ns);
    if (!info_.holders) return;
    GpuHolders& holders = *info_.holders;
    holders.figures.time_ns = clock.ns(holders.figures.time_ns);
    for (std::optional<uint64_t>* time : {&holders.mark_time_ns, &holders.half_time_ns}) {
        if (*time) *time = clock.ns(**time);
    }
}

void GpuReplay::finish_devices(Model& model, const TickClock& clock, uint64_t end_time) {
    for (auto& [number, card] : ledger_.cards()) {
        GpuDeviceInfo& info = devices_[number];
        info.at_peak = card.at_peak();
        info.at_end = card.figures(end_time);
        info.at_peak.time_ns = clock.ns(info.at_peak.time_ns);
        info.at_end.time_ns = clock.ns(info.at_end.time_ns);
    }
    for (auto& [number, info] : devices_) {
        info.device = number;
        info_.devices.push_back(std::move(info));
    }
    const auto add = [&](GpuSpace& space) {
        if (space.counter().empty()) return;
        Space result = space.counter().finish();
        result.peak_time_ns = clock.ns(space.counter().peak_time());
        model.spaces.push_back(std::move(result));
    };
    for_each_space(add);
}

void GpuReplay::judge_agreements(Model& model, const TickClock& clock, Problems& problems) {
    // Without records of the driver there is nothing to compare. A child of fork has blocks that
    // were handed out before the fork, and a recording that was off does not know all blocks.
    const bool is_recorded = info_.source && info_.source->backend != GpuBackend::none;
    if (!is_recorded || model.process.forked_from != 0 || !model.capture.gaps.empty()) return;
    for (auto& [key, tensors] : tensors_) {
        GpuSelfCheck check = tensors.agreement.result();
        if (key.first != cuda || check.moments == 0) continue;
        check.time_ns = clock.ns(check.time_ns);
        devices_[key.second].check = check;
        if (check.agreed == check.moments) continue;
        problems.damage(
            "gpu",
            fmt::format("PyTorch counted {} of segments and {} of blocks on device {}, where {} "
                        "and {} were recorded (first after {}; they agree at {} of {} moments): "
                        "some memory of the GPU was not seen.",
                        counted(check.their_reserved, "byte"),
                        counted(check.their_allocated, "byte"), key.second,
                        counted(check.our_reserved, "byte"), counted(check.our_allocated, "byte"),
                        human_time(check.time_ns), exact_count(check.agreed),
                        exact_count(check.moments)));
    }
}

void GpuReplay::finish(Model& model, const TickClock& clock, uint64_t end_time,
                       Problems& problems) {
    info_.imported = ledger_.info().imported;
    info_.registered = ledger_.info().registered;
    info_.reserved = ledger_.info().reserved;
    info_.graph_nodes = ledger_.info().graph_nodes;
    info_.implicit_frees = ledger_.info().implicit_frees;
    info_.implicit_bytes = ledger_.info().implicit_bytes;
    judge_agreements(model, clock, problems);
    finish_holders(clock);
    for (GpuUsageInfo& usage : info_.usages) usage.time_ns = clock.ns(usage.time_ns);
    for (auto& [key, tensors] : tensors_) {
        if (key.first == cuda && !tensors.space.counter().empty()) {
            devices_[key.second].had_tensors = true;
        }
    }
    finish_devices(model, clock, end_time);
    info_.contradictions = model.gpu.contradictions;
    if (info_.contradictions > 0) {
        problems.damage("gpu", fmt::format("What was recorded of GPUs contradicts itself {}: some "
                                           "memory of a GPU was not seen.",
                                           counted(info_.contradictions, "time")));
    }
    model.gpu = std::move(info_);
}

}  // namespace memtrace::analyzer
