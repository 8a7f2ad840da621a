// SPDX-License-Identifier: Apache-2.0
//
// A device as reports see it: PyTorch has 12 MiB, of which tensors have 5. NCCL has 3, a pool
// keeps 1, a context took 2, and 20 were measured.
#pragma once

#include "tests/unit/analyzer/sites/models.h"

namespace memtrace::analyzer {

inline constexpr uint64_t story_mib = 1 << 20;

struct GpuStory : Story {
    GpuStory() {
        Model& model = recording.model;
        model.stacks.modules[1] = {0, 0, 0, "/torch/lib/libc10_cuda.so", ""};
        model.stacks.modules[2] = {0, 0, 0, "/lib/libnccl.so.2", ""};
        torch = stack({"c10::cuda::make_segment", "at::empty"});
        nccl = stack({"ncclCudaMalloc", "main"});
        kept = stack({"kept by the driver's pools"});
        set_module(torch, 1);
        set_module(nccl, 2);
        change_node(kept, [](StackNode& node) { node.group = Group::pool_cache; });
        site("device:0", torch, 3, 4 * story_mib, 2);
        site("device:0", nccl, 1, 3 * story_mib, 1);
        site("device:0", kept, 1, story_mib, 1);
        for (Space& space : model.spaces) {
            space.totals.own_peak_bytes = space.totals.at_peak_bytes;
        }
        GpuDeviceInfo& device = model.gpu.devices.emplace_back();
        device.memory = 80 * story_mib;
        device.model = "Card";
        device.pci = "0000:3b:00.0";
        device.at_peak = {1'000'000'000,
                          16 * story_mib,
                          5 * story_mib,
                          12 * story_mib,
                          4 * story_mib,
                          2,
                          4 * story_mib,
                          2 * static_cast<int64_t>(story_mib),
                          0,
                          {}};
        device.at_end = {2'000'000'000,
                         12 * story_mib,
                         0,
                         8 * story_mib,
                         8 * story_mib,
                         2,
                         4 * story_mib,
                         2 * static_cast<int64_t>(story_mib),
                         0,
                         {}};
        device.check.moments = device.check.agreed = 10;
        model.gpu.source = {GpuBackend::driver, 13000, ""};
        model.gpu.usages.push_back({1'100'000'000, 0, GpuUsageScope::process, 20 * story_mib,
                                    80 * story_mib,
                                    16 * story_mib});  // what was recorded at that moment
    }

    void set_module(uint32_t node, uint32_t module) {
        change_node(node, [&](StackNode& changed) { changed.module = module; });
    }

    uint32_t torch = 0, nccl = 0, kept = 0;
};

}  // namespace memtrace::analyzer
