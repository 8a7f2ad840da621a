// SPDX-License-Identifier: Apache-2.0
//
// What a dump says about GPUs, after replay: the part of the Model that spaces cannot hold.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

// Who wrote down what the driver was asked. The last record counts.
struct GpuSourceInfo {
    GpuBackend backend = GpuBackend::none;
    uint64_t driver_version = 0;  // 13000 is 13.0; 0: not known
    std::string why;
};

// How a device stood at one moment, as far as the sites of its space do not say it.
struct GpuFigures {
    uint64_t time_ns = 0;
    uint64_t held = 0;      // bytes of the device's space
    uint64_t tensors = 0;   // bytes of the segments that are handed out
    uint64_t segments = 0;  // bytes of PyTorch's segments
    uint64_t cached = 0;    // bytes of segments of which nothing is handed out
    uint64_t holes = 0;     // free pieces of segments, and the largest of them
    uint64_t largest_hole = 0;
    int64_t context = 0;  // taken by contexts and modules, an estimate
    uint64_t slack = 0;   // lost to the pages of the device, an estimate
    // Segments that were not asked for by PyTorch's allocator itself: site of the space, bytes.
    std::vector<std::pair<uint32_t, uint64_t>> lent;

    // Free pieces of segments of which something is handed out.
    uint64_t fragmented() const { return segments - tensors - cached; }
};

// What PyTorch says with each block, compared with what was recorded of the driver.
struct GpuSelfCheck {
    uint64_t moments = 0;     // that were compared
    uint64_t agreed = 0;      // of these
    uint64_t in_between = 0;  // of these that agreed: but for a call that was not over
    // The first moment that did not agree.
    uint64_t time_ns = 0;
    uint64_t their_reserved = 0;
    uint64_t our_reserved = 0;
    uint64_t their_allocated = 0;
    uint64_t our_allocated = 0;
};

struct GpuDeviceInfo {
    uint32_t device = 0;
    uint64_t memory = 0;  // bytes that it has; 0: not known
    std::string pci;
    std::string model;
    GpuFigures at_peak;  // of its space
    GpuFigures at_end;
    GpuSelfCheck check;
    bool had_tensors = false;
};

// What is taken of a device, as an independent source says.
struct GpuUsageInfo {
    uint64_t time_ns = 0;
    uint32_t device = 0;
    GpuUsageScope scope = GpuUsageScope::device;
    uint64_t used = 0;
    uint64_t memory = 0;
};

// What a site held at the moment of a refusal.
struct GpuHeldSite {
    uint32_t site = 0;  // index into Space::sites
    uint64_t bytes = 0;
    uint64_t blocks = 0;
    int64_t since_mark = 0;  // how much more than at the last mark
    int64_t since_half = 0;  // the same, about half the time before
};

struct GpuHole {
    uint64_t address = 0;
    uint64_t bytes = 0;
};

// Memory was asked for and not given.
struct GpuRefusal {
    uint64_t time_ns = 0;
    bool by_tensors = false;  // PyTorch's allocator says so; else the driver
    Api api = Api::none;
    uint32_t stack = no_stack;
    uint64_t size = 0;         // that was asked for
    uint32_t device_type = 1;  // as PyTorch counts: 1 is CUDA
    uint32_t device = 0;
    uint64_t result = 0;  // driver: of the call
    uint64_t free = 0;    // driver: of the device; with `memory`: 0, 0: not known
    uint64_t memory = 0;
    uint64_t allocated = 0;  // PyTorch: its own counts
    uint64_t reserved = 0;
};

// Who held the device when memory was refused.
struct GpuHolders {
    GpuFigures figures;
    std::vector<GpuHeldSite> device;   // sites of the device's space
    std::vector<GpuHeldSite> tensors;  // sites of its tensors
    std::vector<GpuHole> holes;        // the largest first
    std::string mark;                  // the last one before
    std::optional<uint64_t> mark_time_ns;
    std::optional<uint64_t> half_time_ns;
};

// Things that have no bytes of their own, or none that count: how many there are, and their size.
struct GpuAside {
    uint64_t count = 0;  // in all
    uint64_t live = 0;   // at the end
    uint64_t live_bytes = 0;
    uint64_t most_bytes = 0;  // at a time
};

struct GpuInfo {
    std::optional<GpuSourceInfo> source;  // nothing: the dump does not say
    std::vector<GpuDeviceInfo> devices;   // by number
    std::vector<GpuUsageInfo> usages;     // by time
    std::vector<GpuRefusal> refusals;     // by time
    uint64_t refusals_more = 0;           // that are not in the list
    std::optional<GpuHolders> holders;    // at the last refusal of all
    GpuAside imported;                    // of other processes or interfaces, which own the bytes
    GpuAside registered;                  // memory of the host that was pinned later
    GpuAside reserved;                    // addresses without memory
    GpuAside graph_nodes;                 // get memory when their graph runs
    uint64_t implicit_frees = 0;          // blocks that went with their context
    uint64_t implicit_bytes = 0;
    uint64_t contradictions = 0;  // of capture.anomalies: in what is recorded of GPUs
};

}  // namespace memtrace::analyzer
