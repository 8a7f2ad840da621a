// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

namespace memtrace::analyzer {

std::string human_bytes(uint64_t bytes) {
    static constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return fmt::format("{} B", bytes);
    double value = static_cast<double>(bytes);
    size_t unit = 0;
    // 1023.95 would print as 1024.0, so it belongs to the next unit.
    while (value >= 1023.95 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string human_bytes_of(double bytes) {
    if (bytes <= 0) return human_bytes(0);
    if (bytes < 10) return fmt::format("{:.2g} B", bytes);
    return human_bytes(static_cast<uint64_t>(std::llround(bytes)));
}

std::string exact_count(uint64_t count) {
    const std::string digits = std::to_string(count);
    std::string text;
    for (size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

std::string human_time(uint64_t time_ns) {
    const double ns = static_cast<double>(time_ns);
    if (ns < 1e3) return fmt::format("{} ns", time_ns);
    if (ns < 999.5e3) return fmt::format("{:.3g} us", ns / 1e3);
    if (ns < 999.5e6) return fmt::format("{:.3g} ms", ns / 1e6);
    if (ns < 59.95e9) return fmt::format("{:.3g} s", ns / 1e9);
    const uint64_t seconds = (time_ns + 500'000'000) / 1'000'000'000;
    if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
    return fmt::format("{} h {} min", seconds / 3600, seconds % 3600 / 60);
}

std::string human_long_time(uint64_t time_ns) {
    constexpr uint64_t minute = 60'000'000'000;
    if (time_ns < 60 * minute) return human_time(time_ns);
    const uint64_t minutes = (time_ns + minute / 2) / minute;
    if (minutes < 48 * 60) return fmt::format("{} h {} min", minutes / 60, minutes % 60);
    return fmt::format("{} days", exact_count((minutes + 12 * 60) / (24 * 60)));
}

std::string percent(uint64_t part, uint64_t whole) {
    if (whole == 0) return "-";
    const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    if (part != 0 && share < 0.1) return "<0.1 %";
    if (part < whole && share > 99.9) return ">99.9 %";
    if (share >= 10'000) return ">9999 %";  // Columns have room for seven characters.
    if (share >= 1000) return fmt::format("{:.0f} %", share);
    return fmt::format("{:.1f} %", share);
}

std::string counted(uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", exact_count(count), noun, count == 1 ? "" : "s");
}

std::string counted_of(double count, std::string_view noun) {
    if (count >= 10) return counted(static_cast<uint64_t>(std::llround(count)), noun);
    return fmt::format("{:.2g} {}{}", std::max(count, 0.0), noun, count == 1 ? "" : "s");
}

namespace {

// Returns the power of 1024 that a suffix stands for, or nothing.
std::optional<int> suffix_power(std::string suffix) {
    for (char& c : suffix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (suffix.empty() || suffix == "b" || suffix == "bytes") return 0;
    static constexpr std::string_view letters = "kmgtpe";
    const size_t power = letters.find(suffix[0]);
    if (power == std::string_view::npos) return std::nullopt;
    const std::string_view rest = std::string_view(suffix).substr(1);
    if (rest != "" && rest != "b" && rest != "ib" && rest != "i") return std::nullopt;
    return static_cast<int>(power) + 1;
}

}  // namespace

std::optional<uint64_t> parse_size(std::string_view text) {
    size_t at = 0;
    uint64_t whole = 0;
    bool digits = false;
    const auto is_digit = [&] { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    for (; is_digit(); ++at, digits = true) {
        if (__builtin_mul_overflow(whole, 10u, &whole)) return std::nullopt;
        if (__builtin_add_overflow(whole, static_cast<uint64_t>(text[at] - '0'), &whole)) {
            return std::nullopt;
        }
    }
    double fraction = 0;
    if (at < text.size() && text[at] == '.') {
        ++at;
        double place = 0.1;
        if (!is_digit()) return std::nullopt;
        for (; is_digit(); ++at, place /= 10, digits = true) fraction += place * (text[at] - '0');
    }
    if (!digits) return std::nullopt;
    while (at < text.size() && text[at] == ' ') ++at;
    const std::optional<int> power = suffix_power(std::string(text.substr(at)));
    if (!power) return std::nullopt;
    const int shift = 10 * *power;
    if (shift > 0 && whole >> (64 - shift) != 0) return std::nullopt;
    const double extra = std::round(std::ldexp(fraction, shift));
    uint64_t bytes = 0;
    if (__builtin_add_overflow(whole << shift, static_cast<uint64_t>(extra), &bytes)) {
        return std::nullopt;
    }
    return bytes;
}

namespace {

// Returns the nanoseconds of a unit, or nothing.
std::optional<double> unit_ns(std::string_view unit) {
    static constexpr std::array<std::pair<std::string_view, double>, 8> units{{{"ns", 1},
                                                                               {"us", 1e3},
                                                                               {"ms", 1e6},
                                                                               {"s", 1e9},
                                                                               {"m", 60e9},
                                                                               {"min", 60e9},
                                                                               {"h", 3600e9},
                                                                               {"d", 86400e9}}};
    for (const auto& [name, ns] : units) {
        if (name == unit) return ns;
    }
    return std::nullopt;
}

}  // namespace

std::optional<uint64_t> parse_time(std::string_view text) {
    const auto skip_spaces = [&] {
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    };
    double sum = 0;
    for (bool is_first = true; is_first || !text.empty(); is_first = false) {
        const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + digits, value);
        if (error != std::errc() || end != text.data() + digits || text[0] == '.') {
            return std::nullopt;
        }
        text.remove_prefix(digits);
        if (is_first && text.empty()) text = "s";  // A number alone is seconds.
        skip_spaces();
        const size_t letters = std::min(text.find_first_not_of("nusmihd"), text.size());
        const std::optional<double> unit = unit_ns(text.substr(0, letters));
        if (!unit) return std::nullopt;
        text.remove_prefix(letters);
        skip_spaces();
        sum += value * *unit;
    }
    if (!(sum < 9.2e18)) return std::nullopt;
    return static_cast<uint64_t>(std::llround(sum));
}

std::optional<double> parse_percent(std::string_view text) {
    if (!text.ends_with('%')) return std::nullopt;
    text.remove_suffix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    double part = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part);
    const bool number = error == std::errc() && end == text.data() + text.size();
    if (!number || !(part >= 0 && part <= 100)) return std::nullopt;
    return part;
}

}  // namespace memtrace::analyzer
