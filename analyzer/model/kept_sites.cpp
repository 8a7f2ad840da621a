// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/kept_sites.h"

#include <cstdint>
#include <string>
#include <utility>

#include "analyzer/model/gpu_facts.h"

namespace memtrace::analyzer {
namespace {

constexpr uint32_t gone = 0xffffffff;

void renumber(std::vector<GpuHeldSite>& held, const std::vector<uint32_t>& places) {
    std::erase_if(held, [&](const GpuHeldSite& site) { return places[site.site] == gone; });
    for (GpuHeldSite& site : held) site.site = places[site.site];
}

void renumber(GpuFigures& figures, const std::vector<uint32_t>& places) {
    std::erase_if(figures.lent, [&](const auto& part) { return places[part.first] == gone; });
    for (auto& part : figures.lent) part.first = places[part.first];
}

// Figures of a device contain indices of its space's sites; those of the refusal that is told in
// full also indices of the sites of its tensors.
void renumber(GpuInfo& gpu, const std::string& space, const std::vector<uint32_t>& places) {
    for (GpuDeviceInfo& device : gpu.devices) {
        if (space != device_space(device.device)) continue;
        renumber(device.at_peak, places);
        renumber(device.at_end, places);
    }
    if (!gpu.holders || gpu.refusals.empty()) return;
    if (space == refused_space(told_refusal(gpu))) {
        renumber(gpu.holders->figures, places);
        renumber(gpu.holders->device, places);
    }
    if (space == gpu.holders->tensors_space) renumber(gpu.holders->tensors, places);
}

}  // namespace

bool is_idle(const Totals& totals) {
    return totals.allocations == 0 && totals.frees == 0 && totals.allocated_bytes == 0 &&
           totals.at_peak_blocks == 0 && totals.at_peak_bytes == 0 && totals.own_peak_bytes == 0;
}

void keep_sites(Model& model, Space& space, const std::vector<bool>& keep) {
    std::vector<uint32_t> places(keep.size(), gone);
    decltype(space.sites) sites;
    SiteHistories histories;
    std::vector<bool> left_out;
    std::vector<uint32_t> numbers;
    std::vector<uint64_t> estimated;
    for (size_t i = 0; i < keep.size(); ++i) {
        if (!keep[i]) continue;
        places[i] = static_cast<uint32_t>(sites.size());
        sites.push_back(space.sites[i]);
        if (i < space.histories.size()) histories.push_back(space.histories[i]);
        if (i < space.left_out.size()) left_out.push_back(space.left_out[i]);
        if (i < space.numbers.size()) numbers.push_back(space.numbers[i]);
        if (i < space.estimated_bytes.size()) estimated.push_back(space.estimated_bytes[i]);
    }
    space.sites = std::move(sites);
    histories.shrink_to_fit();
    space.histories = std::move(histories);
    space.left_out = std::move(left_out);
    space.numbers = std::move(numbers);
    space.estimated_bytes = std::move(estimated);
    renumber(model.gpu, space.name, places);
}

void drop_idle_sites(Model& model) {
    for (Space& space : model.spaces) {
        std::vector<bool> keep;
        for (const Site& site : space.sites) keep.push_back(!is_idle(site.totals));
        keep_sites(model, space, keep);
    }
    std::erase_if(model.spaces, [](const Space& space) { return space.sites.empty(); });
}

}  // namespace memtrace::analyzer
