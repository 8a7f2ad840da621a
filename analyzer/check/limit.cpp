// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/model/gpu_model.h"

namespace memtrace::analyzer {

namespace {

// A limit on a space that cannot exist would always pass. A typing error must not have that effect.
bool can_be_space(std::string_view name) {
    static constexpr auto plain =
        std::to_array<std::string_view>({"host", "mmap", "python", "pinned", "managed"});
    return std::find(plain.begin(), plain.end(), name) != plain.end() ||
           ((is_device_space(name) || is_tensor_space(name)) && !name.ends_with(':'));
}

[[noreturn]] void fail(const std::string& where, const std::string& text,
                       const std::string& sentence) {
    throw Error(fmt::format("{} {}: {}", where, printable(text), printable(sentence)));
}

// Reads "12" or "12.5%" and returns hundredths of a percent.
std::optional<uint64_t> parse_hundredths(std::string_view text) {
    if (text.ends_with('%')) text.remove_suffix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    const size_t point = std::min(text.find('.'), text.size());
    const std::string_view whole = text.substr(0, point);
    std::string digits(whole);
    std::string rest(point < text.size() ? text.substr(point + 1) : "");
    if (whole.empty() || rest.size() > 2 || (point < text.size() && rest.empty())) {
        return std::nullopt;
    }
    rest.resize(2, '0');
    digits += rest;
    uint64_t value = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9' || value > 1'000'000'000) return std::nullopt;
        value = value * 10 + static_cast<uint64_t>(c - '0');
    }
    return value;
}

// Adds one part of "+10%+64K" to `limit`. Returns false if `term` makes no sense.
bool add_term(Limit& limit, std::string_view term) {
    const bool is_part = row_of(limit.metric).unit == Unit::percent;
    const bool is_percent = term.ends_with('%');
    const std::optional<uint64_t> value =
        is_part || is_percent ? parse_hundredths(term) : parse_size(term);
    if (!value) return false;
    uint64_t& sum = is_percent && !is_part ? limit.percent : limit.value;
    return !__builtin_add_overflow(sum, *value, &sum);
}

bool read_amount(Limit& limit, std::string_view text) {
    if (text == "off") {
        limit.is_off = true;
        return true;
    }
    const bool is_part = row_of(limit.metric).unit == Unit::percent;
    if (!text.starts_with('+')) return (is_part || !text.ends_with('%')) && add_term(limit, text);
    limit.is_relative = true;
    while (!text.empty()) {
        text.remove_prefix(1);
        const size_t end = std::min(text.find('+'), text.size());
        if (!add_term(limit, text.substr(0, end))) return false;
        text.remove_prefix(end);
    }
    return true;
}

std::string examples_of(Metric metric) {
    switch (row_of(metric).unit) {
        case Unit::bytes:
            return "is not a size (examples: 0, 500K, 4GiB, mmap=1T, +10%, +1M, +10%+64K, off)";
        case Unit::count: return "is not a number (examples: 0, 1000, mmap=5, +10%, +100, off)";
        case Unit::percent: return "is not a part (examples: 25%, 0.5%, +2%, off)";
        case Unit::rate: return "is not a size (examples: 0, 16K, device:0=1M, off)";
    }
    return "";
}

}  // namespace

Limit parse_limit(Metric metric, Scope scope, const std::string& space, const std::string& text,
                  const std::string& where) {
    Limit limit;
    limit.metric = metric;
    limit.scope = scope;
    limit.space = space;
    if (!can_be_space(space)) {
        fail(where, text,
             fmt::format("there is no space \"{}\" (host, mmap, python, pinned, "
                         "managed, device:0, tensors:cuda:0)",
                         space));
    }
    if (!read_amount(limit, text)) {
        fail(where, text, fmt::format("\"{}\" {}", text, examples_of(metric)));
    }
    if (is_rate(row_of(metric)) && (limit.is_relative || scope != Scope::space)) {
        fail(where, text,
             fmt::format("{} is of a space, and a baseline has none of it; write "
                         "a size",
                         row_of(metric).name));
    }
    if (scope == Scope::new_site && limit.is_relative) {
        fail(where, text,
             "a new call site has nothing that it could be compared with; write a "
             "size");
    }
    if (scope != Scope::space && !adds_up(metric)) {
        fail(where, text, fmt::format("{} is of a space only", row_of(metric).name));
    }
    return limit;
}

Limit parse_limit(Metric metric, Scope scope, const std::string& text, const std::string& where) {
    const size_t equals = text.rfind('=');
    const std::string amount = equals == std::string::npos ? text : text.substr(equals + 1);
    const std::string space = equals == std::string::npos ? "host" : text.substr(0, equals);
    return parse_limit(metric, scope, space, amount, where);
}

Limit parse_site_limit(Scope scope, const std::string& text, const std::string& where) {
    const size_t equals = text.find('=');
    const std::optional<Metric> metric = find_metric(text.substr(0, equals));
    if (equals == std::string::npos || !metric) {
        fail(where, text, "write METRIC=N or METRIC=SPACE=N (example: leaked-bytes=64K)");
    }
    return parse_limit(*metric, scope, text.substr(equals + 1), where);
}

bool is_about_the_same(const Limit& limit, const Limit& other) {
    return limit.metric == other.metric && limit.scope == other.scope &&
           limit.space == other.space && limit.phase == other.phase;
}

uint64_t allowed_by(const Limit& limit, uint64_t before) {
    if (!limit.is_relative) return limit.value;
    const auto more = static_cast<unsigned __int128>(before) * limit.percent / 10'000;
    const auto most = static_cast<unsigned __int128>(before) + more + limit.value;
    return most > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(most);
}

std::string title_of(const Limit& limit) {
    static constexpr std::array scopes{"", " of a site", " of a new site"};
    return fmt::format("{}{} {}{}", limit.phase.empty() ? "" : limit.phase + ": ", limit.space,
                       row_of(limit.metric).name, scopes[static_cast<size_t>(limit.scope)]);
}

std::string allowance_text(const Limit& limit) {
    if (!limit.is_relative) return short_text(limit.metric, limit.value);
    std::string text;
    if (limit.percent != 0) {
        text = fmt::format("+{:g} %", static_cast<double>(limit.percent) / 100);
    }
    if (limit.value != 0 || text.empty()) {
        text += (text.empty() ? "+" : " +") + short_text(limit.metric, limit.value);
    }
    return text;
}

}  // namespace memtrace::analyzer
