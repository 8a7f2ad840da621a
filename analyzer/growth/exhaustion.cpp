// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/exhaustion.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/base/units.h"
#include "analyzer/model/gpu_facts.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {
namespace {

constexpr double ns_per_hour = 3600e9;

bool is_of_gpu(const std::string& space) {
    return is_device_space(space) || is_tensor_space(space);
}

void add_exhaustion(std::vector<Exhaustion>& found, std::string of, uint64_t capacity,
                    uint64_t used, double bytes_per_hour) {
    if (capacity <= used || bytes_per_hour <= 0) return;
    const double hours = static_cast<double>(capacity - used) / bytes_per_hour;
    found.push_back({std::move(of), capacity, used, 0, bytes_per_hour, hours * ns_per_hour, {}});
}

}  // namespace

Exhaustion host_exhaustion(const ResidentTrend& trend, std::optional<uint64_t> memory) {
    Exhaustion end;
    end.of = "host";
    end.capacity = memory.value_or(0);
    end.used = trend.now;
    end.own = trend.own_now.value_or(0);
    end.bytes_per_hour = trend.bytes_per_hour;
    if (!trend.not_known.empty()) {
        end.not_known = trend.not_known;
    } else if (!trend.rises) {
        end.not_known =
            fmt::format("the resident set did not rise steadily in the last {} of the work",
                        human_time(trend.until_ns - trend.since_ns));
    } else if (!memory) {
        end.not_known = "the dump does not contain how much memory the machine has";
    } else if (*memory <= trend.now) {
        end.not_known = "more is resident than that already";
    } else {
        const auto left = static_cast<double>(*memory - trend.now);
        end.after_ns = left / trend.bytes_per_hour * ns_per_hour;
    }
    return end;
}

std::vector<Exhaustion> find_exhaustions(const Model& model, const std::vector<SpaceGrowth>& spaces,
                                         std::optional<uint64_t> memory) {
    std::vector<Exhaustion> found;
    double host = 0;
    std::map<std::string, double> devices;  // by number
    for (const SpaceGrowth& space : spaces) {
        const double rate = space.rate.bytes_per_hour;
        // Arenas of Python are not a call site, so a leak inside them is in one space only.
        if (space.space == "host" || space.space == "mmap" || space.space == "python") host += rate;
        if (!is_of_gpu(space.space)) continue;
        // Tensors lie in memory of the device, so the faster growth counts.
        double& device = devices[space.space.substr(space.space.rfind(':') + 1)];
        device = std::max(device, rate);
    }
    if (!memory) memory = host_memory(model.process);
    if (memory) {
        Exhaustion end = host_exhaustion(resident_trend(model), memory);
        if (host > 0 || end.not_known.empty()) found.push_back(std::move(end));
    }
    for (const GpuDeviceInfo& device : model.gpu.devices) {
        const std::string number = std::to_string(device.device);
        const auto rate = devices.find(number);
        // The growth of several cards fills none of them by itself.
        if (rate == devices.end() || is_several_cards(device)) continue;
        const std::string name = device_space(device.device);
        uint64_t used = 0;
        for (const SpaceGrowth& space : spaces) {
            if (space.space == name) used = space.held_bytes;
        }
        add_exhaustion(found, name, device.memory, used, rate->second);
    }
    return found;
}

}  // namespace memtrace::analyzer
