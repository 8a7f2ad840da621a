// SPDX-License-Identifier: Apache-2.0
//
// GPU data of a dump after replay: the part of the Model that does not fit into spaces.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

// The space of a GPU has all of its memory: "device:0". What PyTorch's allocator hands out of it is
// in a space of its own: "tensors:cuda:0".
inline std::string device_space(uint32_t device) { return "device:" + std::to_string(device); }
inline bool is_device_space(std::string_view space) { return space.starts_with("device:"); }
inline std::string tensor_space(std::string_view device_type, uint32_t device) {
    return "tensors:" + std::string(device_type) + ":" + std::to_string(device);
}
inline bool is_tensor_space(std::string_view space) { return space.starts_with("tensors:"); }

// The backend that recorded the calls of the driver. The last record counts.
struct GpuSourceInfo {
    GpuBackend backend = GpuBackend::none;
    uint64_t driver_version = 0;  // 13000 is 13.0; 0: not known
    std::string why;
};

// Figures of a device at one moment that the sites of its space do not contain.
struct GpuFigures {
    uint64_t time_ns = 0;
    uint64_t held = 0;          // bytes of the device's space
    uint64_t tensors = 0;       // bytes handed out from segments
    uint64_t segments = 0;      // bytes of PyTorch's segments
    uint64_t cached = 0;        // bytes of segments from which nothing is handed out
    uint64_t holes = 0;         // number of free pieces of segments
    uint64_t largest_hole = 0;  // bytes of the largest of them
    int64_t context = 0;        // bytes of contexts and modules, an estimate
    uint64_t slack = 0;         // bytes lost to rounding up to device pages, an estimate
    // Segments that PyTorch's allocator did not request itself: site of the space and bytes.
    std::vector<std::pair<uint32_t, uint64_t>> lent;

    // Bytes of the free pieces of segments from which something is handed out.
    uint64_t fragmented() const { return segments - tensors - cached; }
};

// Comparison of the totals that PyTorch reports with each block with those recorded from the
// driver.
struct GpuSelfCheck {
    uint64_t moments = 0;     // number of comparisons
    uint64_t agreed = 0;      // comparisons with equal totals
    uint64_t in_between = 0;  // of those that agreed: except for a call still running
    // The first moment at which the totals differed.
    uint64_t time_ns = 0;
    uint64_t their_reserved = 0;
    uint64_t our_reserved = 0;
    uint64_t their_allocated = 0;
    uint64_t our_allocated = 0;
};

struct GpuDeviceInfo {
    uint32_t device = 0;
    uint64_t memory = 0;  // bytes of the device; 0: not known
    std::string pci;
    std::string model;
    GpuFigures at_peak;  // of the peak of its space
    GpuFigures at_end;
    GpuSelfCheck check;
    bool had_tensors = false;
};

// Memory in use on a device, measured by an independent source.
struct GpuUsageInfo {
    uint64_t time_ns = 0;
    uint32_t device = 0;
    GpuUsageScope scope = GpuUsageScope::device;
    uint64_t used = 0;
    uint64_t memory = 0;
    uint64_t recorded = 0;  // bytes of the device's space at that moment, in whole pages
};

// Memory that a site held at the moment of a refusal.
struct GpuHeldSite {
    uint32_t site = 0;  // index into Space::sites
    uint64_t bytes = 0;
    uint64_t blocks = 0;
    int64_t since_mark = 0;  // bytes more than at the last mark
    int64_t since_half = 0;  // bytes more than about halfway to the refusal
};

struct GpuHole {
    uint64_t address = 0;
    uint64_t bytes = 0;
};

// A request for memory that failed.
struct GpuRefusal {
    uint64_t time_ns = 0;
    bool by_tensors = false;  // reported by PyTorch's allocator; false: by the driver
    Api api = Api::none;
    uint32_t stack = no_stack;
    uint64_t size = 0;         // requested bytes
    uint32_t device_type = 1;  // in the numbering of PyTorch; 1 is CUDA
    uint32_t device = 0;
    uint64_t result = 0;  // driver: result of the call
    uint64_t free = 0;    // driver: free bytes of the device; 0 with memory 0: not known
    uint64_t memory = 0;
    uint64_t allocated = 0;  // PyTorch: its own count, also of the next
    uint64_t reserved = 0;
};

// Holders of a device's memory when a request failed.
struct GpuHolders {
    GpuFigures figures;
    std::vector<GpuHeldSite> device;   // sites of the device's space
    std::vector<GpuHeldSite> tensors;  // sites of the space of its tensors
    std::string tensors_space;         // name of that space
    std::vector<GpuHole> holes;        // the largest first
    std::string mark;                  // the last mark before the refusal
    std::optional<uint64_t> mark_time_ns;
    std::optional<uint64_t> half_time_ns;
};

// Number and size of things that have no bytes of their own, or none that count.
struct GpuAside {
    uint64_t count = 0;  // during the whole run
    uint64_t live = 0;   // at the end
    uint64_t live_bytes = 0;
    uint64_t most_bytes = 0;  // at the same time
};

struct GpuInfo {
    std::optional<GpuSourceInfo> source;  // nothing: not in the dump
    std::vector<GpuDeviceInfo> devices;   // by number
    std::vector<GpuUsageInfo> usages;     // by time
    std::vector<GpuRefusal> refusals;     // by time
    uint64_t refusals_more = 0;           // number of refusals that are not in the list
    std::optional<GpuHolders> holders;    // at the last refusal
    GpuAside imported;                    // from other processes or interfaces, which own the bytes
    GpuAside registered;                  // host memory that was pinned after its allocation
    GpuAside reserved;                    // addresses without memory
    GpuAside driver_reserved;             // the same in the process, by mmap() of the driver
    GpuAside graph_nodes;                 // they get memory when their graph runs
    uint64_t implicit_frees = 0;          // blocks that ended with their context
    uint64_t implicit_bytes = 0;
    uint64_t contradictions = 0;  // part of capture.anomalies: those of GPU records
};

}  // namespace memtrace::analyzer
