// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/merge_gpu.h"

#include <algorithm>
#include <tuple>

#include "analyzer/gpu/gpu_replay.h"
#include "analyzer/model/gpu_facts.h"

namespace memtrace::analyzer {
namespace {

// Two texts are one if they are equal or one of them is empty.
void add_text(std::string& sum, const std::string& part) {
    if (sum.empty()) sum = part;
    else if (!part.empty() && sum != part) sum = several_texts;
}

void renumber(GpuFigures& figures, const std::string& space, const SiteNumber& site_of) {
    std::map<uint32_t, uint64_t> lent;
    for (const auto& [site, bytes] : figures.lent) lent[site_of(space, site)] += bytes;
    figures.lent.assign(lent.begin(), lent.end());
}

void renumber(std::vector<GpuHeldSite>& held, const std::string& space, const SiteNumber& site_of) {
    std::map<uint32_t, GpuHeldSite> sums;
    for (const GpuHeldSite& site : held) {
        const uint32_t number = site_of(space, site.site);
        GpuHeldSite& sum = sums[number];
        sum.site = number;
        sum.bytes += site.bytes;
        sum.blocks += site.blocks;
        sum.since_mark += site.since_mark;
        sum.since_half += site.since_half;
    }
    held.clear();
    for (const auto& [number, sum] : sums) held.push_back(sum);
}

void renumber(GpuInfo& gpu, const SiteNumber& site_of, const NodeNumber& node_of) {
    for (GpuRefusal& refusal : gpu.refusals) refusal.stack = node_of(refusal.stack);
    if (!gpu.holders || gpu.refusals.empty()) return;
    const GpuRefusal& last = told_refusal(gpu);
    renumber(gpu.holders->figures, refused_space(last), site_of);
    renumber(gpu.holders->device, refused_space(last), site_of);
    renumber(gpu.holders->tensors, GpuReplay::tensors_name(last.device_type, last.device), site_of);
}

void add_figures(GpuFigures& sum, const GpuFigures& part) {
    sum.time_ns = std::max(sum.time_ns, part.time_ns);
    sum.held += part.held;
    sum.tensors += part.tensors;
    sum.segments += part.segments;
    sum.cached += part.cached;
    sum.holes += part.holes;
    sum.largest_hole = std::max(sum.largest_hole, part.largest_hole);
    sum.context += part.context;
    sum.slack += part.slack;
    std::map<uint32_t, uint64_t> lent(sum.lent.begin(), sum.lent.end());
    for (const auto& [site, bytes] : part.lent) lent[site] += bytes;
    sum.lent.assign(lent.begin(), lent.end());
}

// Of the moments at which totals differed, the first in any process is kept.
void add_check(GpuSelfCheck& sum, const GpuSelfCheck& part) {
    const auto difference = [](GpuSelfCheck& check) {
        return std::tie(check.time_ns, check.their_reserved, check.our_reserved,
                        check.their_allocated, check.our_allocated);
    };
    GpuSelfCheck other = part;
    const bool had = sum.moments != sum.agreed, has = part.moments != part.agreed;
    if (has && (!had || difference(other) < difference(sum))) difference(sum) = difference(other);
    sum.moments += part.moments;
    sum.agreed += part.agreed;
    sum.in_between += part.in_between;
}

void add_aside(GpuAside& sum, const GpuAside& part) {
    sum.count += part.count;
    sum.live += part.live;
    sum.live_bytes += part.live_bytes;
    sum.most_bytes += part.most_bytes;
}

}  // namespace

void GpuSums::add(const Recording& part, const SiteNumber& site_of, const NodeNumber& node_of) {
    const GpuInfo& gpu = part.model.gpu;
    const auto key = [](const GpuSourceInfo& source) {
        return std::tie(source.backend, source.driver_version, source.why);
    };
    if (gpu.source && (!sum_.source || key(*sum_.source) < key(*gpu.source))) {
        sum_.source = gpu.source;
    }
    add_devices(gpu, site_of);
    add_refusals(part, site_of, node_of);
    add_aside(sum_.imported, gpu.imported);
    add_aside(sum_.registered, gpu.registered);
    add_aside(sum_.reserved, gpu.reserved);
    add_aside(sum_.driver_reserved, gpu.driver_reserved);
    add_aside(sum_.graph_nodes, gpu.graph_nodes);
    sum_.implicit_frees += gpu.implicit_frees;
    sum_.implicit_bytes += gpu.implicit_bytes;
    sum_.contradictions += gpu.contradictions;
}

void GpuSums::add_devices(const GpuInfo& part, const SiteNumber& site_of) {
    for (const GpuDeviceInfo& device : part.devices) {
        GpuDeviceInfo renumbered = device;
        renumber(renumbered.at_peak, device_space(device.device), site_of);
        renumber(renumbered.at_end, device_space(device.device), site_of);
        const auto [entry, is_new] = devices_.try_emplace(device.device, renumbered);
        if (is_new) continue;
        GpuDeviceInfo& sum = entry->second;
        sum.memory = std::max(sum.memory, device.memory);
        add_text(sum.pci, device.pci);
        add_text(sum.model, device.model);
        add_figures(sum.at_peak, renumbered.at_peak);
        add_figures(sum.at_end, renumbered.at_end);
        add_check(sum.check, device.check);
        sum.had_tensors = sum.had_tensors || device.had_tensors;
    }
}

void GpuSums::add_refusals(const Recording& part, const SiteNumber& site_of,
                           const NodeNumber& node_of) {
    const GpuInfo& gpu = part.model.gpu;
    if (gpu.refusals.empty()) return;
    const bool is_merged = !part.merged.processes.empty();
    const LeftOut& left_out = part.merged.left_out;
    refusals_ += gpu.refusals.size() + gpu.refusals_more + left_out.refusals;
    const uint64_t start = part.model.process.start_realtime_ns;
    const uint64_t at = is_merged ? left_out.refused_at_ns : start + told_refusal(gpu).time_ns;
    const auto key = [](uint64_t time, const GpuRefusal& last) {
        return std::tuple(is_of_device(last), time, last.time_ns, last.device_type, last.device,
                          last.size, last.by_tensors, last.allocated, last.reserved, last.free);
    };
    if (!sum_.refusals.empty() &&
        key(at, told_refusal(gpu)) <= key(refused_at_ns_, told_refusal(sum_))) {
        return;
    }
    refused_at_ns_ = at;
    sum_.refusals = gpu.refusals;
    sum_.refusals_more = gpu.refusals_more;
    sum_.holders = gpu.holders;
    renumber(sum_, site_of, node_of);
}

void GpuSums::finish(Recording& sum, const SiteNumber& site_of, const NodeNumber& node_of) {
    renumber(sum_, site_of, node_of);
    for (auto& [number, device] : devices_) {
        renumber(device.at_peak, device_space(number), site_of);
        renumber(device.at_end, device_space(number), site_of);
        sum_.devices.push_back(std::move(device));
    }
    LeftOut& left_out = sum.merged.left_out;
    left_out.refused_at_ns = refused_at_ns_;
    left_out.refusals = refusals_ - sum_.refusals.size() - sum_.refusals_more;
    sum.model.gpu = std::move(sum_);
}

}  // namespace memtrace::analyzer
