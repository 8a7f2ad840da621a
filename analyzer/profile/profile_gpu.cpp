// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/gpu/gpu_replay.h"
#include "analyzer/model/gpu_facts.h"
#include "analyzer/profile/profile.pb.h"
#include "analyzer/profile/profile_parts.h"

namespace memtrace::analyzer {
namespace {

void copy_source(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(backend);
    MEMTRACE_STORED(driver_version);
    MEMTRACE_STORED(why);
}

void copy_lent(const ToFile&, const GpuFigures& plain, stored::GpuFigures& file) {
    for (const auto& [site, bytes] : plain.lent) {
        file.add_lent(site);
        file.add_lent(bytes);
    }
}
void copy_lent(const FromFile&, GpuFigures& plain, const stored::GpuFigures& file) {
    require_sound(file.lent_size() % 2 == 0, "the segments of a device");
    for (int i = 0; i + 1 < file.lent_size(); i += 2) {
        plain.lent.emplace_back(static_cast<uint32_t>(file.lent(i)), file.lent(i + 1));
    }
}

void copy_figures(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(time_ns);
    MEMTRACE_STORED(held);
    MEMTRACE_STORED(tensors);
    MEMTRACE_STORED(segments);
    MEMTRACE_STORED(cached);
    MEMTRACE_STORED(holes);
    MEMTRACE_STORED(largest_hole);
    MEMTRACE_STORED(context);
    MEMTRACE_STORED(slack);
    copy_lent(way, plain, file);
}

void copy_check(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(moments);
    MEMTRACE_STORED(agreed);
    MEMTRACE_STORED(in_between);
    MEMTRACE_STORED(time_ns);
    MEMTRACE_STORED(their_reserved);
    MEMTRACE_STORED(our_reserved);
    MEMTRACE_STORED(their_allocated);
    MEMTRACE_STORED(our_allocated);
}

void copy_device(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(device);
    MEMTRACE_STORED(memory);
    MEMTRACE_STORED(pci);
    MEMTRACE_STORED(model);
    MEMTRACE_STORED_PART(at_peak, copy_figures);
    MEMTRACE_STORED_PART(at_end, copy_figures);
    MEMTRACE_STORED_PART(check, copy_check);
    MEMTRACE_STORED(had_tensors);
}

void copy_usage(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(time_ns);
    MEMTRACE_STORED(device);
    MEMTRACE_STORED(scope);
    MEMTRACE_STORED(used);
    MEMTRACE_STORED(memory);
    MEMTRACE_STORED(recorded);
}

void copy_refusal(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(time_ns);
    MEMTRACE_STORED(by_tensors);
    MEMTRACE_STORED(api);
    MEMTRACE_STORED(stack);
    MEMTRACE_STORED(size);
    MEMTRACE_STORED(device_type);
    MEMTRACE_STORED(device);
    MEMTRACE_STORED(result);
    MEMTRACE_STORED(free);
    MEMTRACE_STORED(memory);
    MEMTRACE_STORED(allocated);
    MEMTRACE_STORED(reserved);
}

void copy_held_site(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(site);
    MEMTRACE_STORED(bytes);
    MEMTRACE_STORED(blocks);
    MEMTRACE_STORED(since_mark);
    MEMTRACE_STORED(since_half);
}

void copy_hole(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(address);
    MEMTRACE_STORED(bytes);
}

void copy_holders(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED_PART(figures, copy_figures);
    MEMTRACE_STORED_LIST(device, copy_held_site);
    MEMTRACE_STORED_LIST(tensors, copy_held_site);
    MEMTRACE_STORED_LIST(holes, copy_hole);
    MEMTRACE_STORED(mark);
    MEMTRACE_STORED_OPTIONAL(mark_time_ns);
    MEMTRACE_STORED_OPTIONAL(half_time_ns);
}

void copy_aside(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(count);
    MEMTRACE_STORED(live);
    MEMTRACE_STORED(live_bytes);
    MEMTRACE_STORED(most_bytes);
}

void copy_gpu(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED_OPTIONAL_PART(source, copy_source);
    MEMTRACE_STORED_LIST(devices, copy_device);
    MEMTRACE_STORED_LIST(usages, copy_usage);
    MEMTRACE_STORED_LIST(refusals, copy_refusal);
    MEMTRACE_STORED(refusals_more);
    MEMTRACE_STORED_OPTIONAL_PART(holders, copy_holders);
    MEMTRACE_STORED_PART(imported, copy_aside);
    MEMTRACE_STORED_PART(registered, copy_aside);
    MEMTRACE_STORED_PART(reserved, copy_aside);
    MEMTRACE_STORED_PART(driver_reserved, copy_aside);
    MEMTRACE_STORED_PART(graph_nodes, copy_aside);
    MEMTRACE_STORED(implicit_frees);
    MEMTRACE_STORED(implicit_bytes);
    MEMTRACE_STORED(contradictions);
}

bool are_sites_of(const std::vector<GpuHeldSite>& held, const Space* space) {
    return space == nullptr || std::all_of(held.begin(), held.end(), [&](const GpuHeldSite& site) {
               return site.site < space->sites.size();
           });
}

}  // namespace

void write_gpu(const Recording& recording, const std::vector<uint32_t>& nodes,
               stored::Profile& file) {
    copy_gpu(ToFile{}, recording.model.gpu, *file.mutable_gpu());
    for (stored::GpuRefusal& refusal : *file.mutable_gpu()->mutable_refusals()) {
        refusal.set_stack(refusal.stack() < nodes.size() ? nodes[refusal.stack()] : no_stack);
    }
}

void read_gpu(Recording& recording, const stored::Profile& file) {
    GpuInfo& gpu = recording.model.gpu;
    copy_gpu(FromFile{}, gpu, file.gpu());
    require_sound(gpu.refusals.empty() != gpu.holders.has_value(), "the refusals of a GPU");
    for (const GpuRefusal& refusal : gpu.refusals) {
        require_sound(refusal.stack < recording.model.stacks.nodes.size(),
                      "the stack of a refusal");
    }
    if (!gpu.holders) return;
    const GpuRefusal& last = told_refusal(gpu);
    const std::string device = refused_space(last);
    // An older version told of the device, whatever memory was refused.
    if (!is_of_device(last) && gpu.holders->figures.held != 0) {
        gpu.holders->device.clear();
        gpu.holders->tensors.clear();
        gpu.holders->figures = {};
    }
    const std::string tensors = GpuReplay::tensors_name(last.device_type, last.device);
    require_sound(are_sites_of(gpu.holders->device, find_space(recording.model, device)) &&
                      are_sites_of(gpu.holders->tensors, find_space(recording.model, tensors)),
                  "the holders of a GPU's memory");
}

}  // namespace memtrace::analyzer
