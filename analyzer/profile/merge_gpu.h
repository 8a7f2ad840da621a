// SPDX-License-Identifier: Apache-2.0
//
// Merges what recordings say of GPUs beside their spaces. Devices of equal number are one device:
// their figures are sums. Of refused requests, those of the process that was refused last are kept,
// with who held the memory then. They make sense in one process only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// Returns the number in the sum of a site of a space, or of a node.
using SiteNumber = std::function<uint32_t(const std::string& space, uint32_t site)>;
using NodeNumber = std::function<uint32_t(uint32_t node)>;

class GpuSums {
public:
    void add(const Recording& part, const SiteNumber& site_of, const NodeNumber& node_of);

    // Sets the GPU part of `sum`, with sites and nodes renumbered once more.
    void finish(Recording& sum, const SiteNumber& site_of, const NodeNumber& node_of);

private:
    void add_devices(const GpuInfo& part, const SiteNumber& site_of);
    void add_refusals(const Recording& part, const SiteNumber& site_of, const NodeNumber& node_of);

    GpuInfo sum_;
    std::map<uint32_t, GpuDeviceInfo> devices_;
    uint64_t refused_at_ns_ = 0;
    uint64_t refusals_ = 0;  // of all processes
};

}  // namespace memtrace::analyzer
