// SPDX-License-Identifier: Apache-2.0
//
// What follows from the GPU's part of the model.
//
//   * Things that have no bytes of their own in any space are counted (GpuAside).
//   * Which memory was refused. CUDA's driver also hands out memory of the host and addresses, and
//     what a device holds does not matter when there is none of those left.
//   * In a merged profile, a number may be that of another card in each process.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "analyzer/base/units.h"
#include "analyzer/model/gpu_model.h"
#include "memtrace/dump/gpu_refused.h"

namespace memtrace::analyzer {

// ---- devices of merged profiles ----------------------------------------------------------------

// A text of a device that was not the same in all processes.
inline constexpr const char* several_texts = "several";

// True if processes called different cards by this number.
inline bool is_several_cards(const GpuDeviceInfo& device) {
    return device.pci == several_texts || device.model == several_texts;
}

// ---- things aside -------------------------------------------------------------------------------

inline void come(GpuAside& aside, uint64_t bytes) {
    aside.count += 1;
    aside.live += 1;
    aside.live_bytes += bytes;
    aside.most_bytes = std::max(aside.most_bytes, aside.live_bytes);
}

inline void go(GpuAside& aside, uint64_t bytes) {
    aside.live -= 1;
    aside.live_bytes -= bytes;
}

// ---- refusals -----------------------------------------------------------------------------------

// Calls that give memory of the host, whatever their arguments are, and the space it is in.
inline constexpr auto spaces_beside_devices = std::to_array<std::pair<Api, const char*>>({
    {Api::cuMemAllocHost, "pinned"},
    {Api::cuMemHostAlloc, "pinned"},
    {Api::cuMemHostRegister, "pinned"},
    {Api::cudaMallocHost, "pinned"},
    {Api::cudaHostAlloc, "pinned"},
    {Api::cudaHostRegister, "pinned"},
    {Api::cuMemAllocManaged, "managed"},
    {Api::cudaMallocManaged, "managed"},
    {Api::cuMemAddressReserve, ""},
});

// Returns the space of the refused memory: "device:0", "pinned" or "managed". Empty if it is in
// none (cuMemAddressReserve).
inline std::string refused_space(const GpuRefusal& refusal) {
    if (refusal.by_tensors) return device_space(refusal.device);
    if (refusal.device == refused_on_host) return "pinned";
    for (const auto& [api, space] : spaces_beside_devices) {
        if (api == refusal.api) return space;
    }
    return device_space(refusal.device);
}

// True if memory of a device was refused.
inline bool is_of_device(const GpuRefusal& refusal) {
    return refused_space(refusal).starts_with("device:");
}

// Returns the refusal that is told in full, by its place in the list, which must not be empty: the
// last one of a device's memory, or the last one if there is none. Its holders are in `holders`.
inline size_t told_refusal_at(const GpuInfo& gpu) {
    const auto last = std::find_if(gpu.refusals.rbegin(), gpu.refusals.rend(), is_of_device);
    if (last == gpu.refusals.rend()) return gpu.refusals.size() - 1;
    return static_cast<size_t>(gpu.refusals.rend() - last) - 1;
}

inline const GpuRefusal& told_refusal(const GpuInfo& gpu) {
    return gpu.refusals[told_refusal_at(gpu)];
}

// "memory of a GPU was refused 3 times, pinned memory 1 time"
inline std::string refusals_text(const GpuInfo& gpu) {
    uint64_t of_devices = 0, pinned = 0, managed = 0, addresses = 0;
    for (const GpuRefusal& refusal : gpu.refusals) {
        const std::string space = refused_space(refusal);
        if (space == "pinned") ++pinned;
        else if (space == "managed") ++managed;
        else ++(space.empty() ? addresses : of_devices);
    }
    std::string text;
    const auto add = [&](uint64_t count, const std::string& what) {
        if (count == 0) return;
        const char* const between = text.empty() ? " was refused " : " ";
        text += (text.empty() ? "" : ", ") + what + between + counted(count, "time");
    };
    add(of_devices, "memory of a GPU");
    add(pinned, "pinned memory");
    add(managed, "managed memory");
    add(addresses, "a range of addresses");
    if (gpu.refusals_more != 0) text += ", and " + exact_count(gpu.refusals_more) + " more";
    return text;
}

}  // namespace memtrace::analyzer
