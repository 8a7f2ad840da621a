// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "analyzer/error.h"
#include "analyzer/report.h"
#include "analyzer/units.h"

namespace memtrace::analyzer {

namespace {

// A limit on a space that cannot exist would always pass; a slip of the finger must not.
bool can_be_space(std::string_view name) {
    static constexpr std::array<std::string_view, 4> plain{"host", "mmap", "pinned", "managed"};
    const auto numbered = [&](std::string_view prefix) {
        return name.starts_with(prefix) && name.size() > prefix.size();
    };
    return std::find(plain.begin(), plain.end(), name) != plain.end() || numbered("device:") ||
           numbered("tensors:");
}

}  // namespace

const char* name_of(Metric metric) {
    switch (metric) {
    case Metric::leaked_bytes: return "leaked-bytes";
    case Metric::leaked_blocks: return "leaked-blocks";
    case Metric::peak_bytes: return "peak-bytes";
    }
    return "";
}

Limit parse_limit(Metric metric, const std::string& text) {
    Limit             limit;
    const std::string option = fmt::format("--max-{}", name_of(metric));
    limit.metric             = metric;
    const size_t      equals = text.rfind('=');
    const std::string number = equals == std::string::npos ? text : text.substr(equals + 1);
    if (equals != std::string::npos) limit.space = text.substr(0, equals);
    if (!can_be_space(limit.space)) {
        throw Error(fmt::format("{} {}: there is no space \"{}\" (host, mmap, pinned, managed, "
                                "device:0, tensors:cuda:0)", option, text, limit.space));
    }
    const std::optional<uint64_t> value = parse_size(number);
    if (!value) {
        throw Error(fmt::format("{} {}: \"{}\" is not a {} (examples: 0, 500K, 4GiB, mmap=1T)",
                                option, text, number,
                                metric == Metric::leaked_blocks ? "number" : "size"));
    }
    limit.value = *value;
    return limit;
}

std::vector<LimitResult> check_limits(const Model& model, const std::vector<Limit>& limits) {
    std::vector<LimitResult> results;
    for (const Limit& limit : limits) {
        LimitResult  result{limit, 0, true};
        const Space* space = find_space(model, limit.space);
        if (space != nullptr) {
            switch (limit.metric) {
            case Metric::leaked_bytes: result.measured = space->totals.live_bytes; break;
            case Metric::leaked_blocks: result.measured = space->totals.live_blocks; break;
            case Metric::peak_bytes: result.measured = space->totals.own_peak_bytes; break;
            }
        }
        result.passed = result.measured <= limit.value;
        results.push_back(std::move(result));
    }
    return results;
}

Measure measure_of(Metric metric) {
    return metric == Metric::peak_bytes ? Measure::at_peak : Measure::leaked;
}

}  // namespace memtrace::analyzer
