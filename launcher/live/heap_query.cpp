// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/heap_query.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace memtrace::launcher {
namespace {

// Longer than any profiler waits for an answer.
constexpr int64_t seconds_max = 24 * 3600;

std::optional<int64_t> number_in(std::string_view text) {
    int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
    return number;
}

}  // namespace

HeapQuery parse_heap_query(std::string_view query) {
    HeapQuery result;
    while (!query.empty()) {
        const std::string_view part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(part.size() + 1, query.size()));
        const size_t equals = std::min(part.find('='), part.size());
        const std::string_view name = part.substr(0, equals);
        const std::string_view value = part.substr(std::min(equals + 1, part.size()));
        const std::optional<int64_t> number = number_in(value);
        if (name == "debug") {
            result.wants_text = number.value_or(0) > 0;  // Go takes nonsense for 0.
        } else if (name == "seconds" && !value.empty()) {
            if (!number || *number <= 0 || *number > seconds_max) {
                result.error = fmt::format("seconds must be a number from 1 to {}", seconds_max);
                return result;
            }
            result.seconds = static_cast<uint64_t>(*number);
        }
    }
    if (result.seconds != 0 && result.wants_text)
        result.error = "seconds and debug do not go together: a difference is for pprof";
    return result;
}

}  // namespace memtrace::launcher
