// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/phase_names.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "analyzer/base/terminal.h"
#include "analyzer/phases/nearest_word.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t nearest_max = 5;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// If the text does not match after a *, that * takes one more character, and the rest is tried
// again.
bool matches_glob(std::string_view glob, std::string_view text) {
    size_t at = 0, place = 0;
    size_t star = std::string_view::npos, place_of_star = 0;
    while (place < text.size()) {
        if (at < glob.size() && glob[at] == '*') {
            star = at++;
            place_of_star = place;
        } else if (at < glob.size() && glob[at] == text[place]) {
            ++at;
            ++place;
        } else if (star != std::string_view::npos) {
            at = star + 1;
            place = ++place_of_star;
        } else {
            return false;
        }
    }
    return glob.find_first_not_of('*', at) == std::string_view::npos;
}

}  // namespace

std::string full_name(const Mark& mark) {
    const std::string text(mark.text.empty() ? Text("(no name)") : mark.text);
    return mark.domain.empty() ? text : std::string(mark.domain) + ": " + text;
}

std::string grouped_name(std::string_view full_name) {
    std::string result;
    for (size_t i = 0; i < full_name.size(); ++i) {
        if (!is_digit(full_name[i])) result += full_name[i];
        else if (i == 0 || !is_digit(full_name[i - 1])) result += '#';
    }
    return result;
}

bool PhasePattern::matches(std::string_view full_name) const {
    const std::string grouped = grouped_name(full_name);
    return text_ == full_name || text_ == grouped || matches_glob(text_, full_name) ||
           matches_glob(text_, grouped);
}

std::vector<std::string> nearest_names(std::string_view text,
                                       const std::vector<std::string>& names) {
    std::vector<std::pair<size_t, std::string>> rated;
    for (const std::string& name : names) {
        // A part of the name is a good guess, however long the rest is.
        const bool is_part = !text.empty() && name.find(text) != std::string::npos;
        rated.emplace_back(is_part ? 1 : edits_between(text, name), name);
    }
    std::sort(rated.begin(), rated.end());
    std::vector<std::string> result;
    for (auto& [edits, name] : rated) {
        if (result.size() < nearest_max) result.push_back(std::move(name));
    }
    return result;
}

namespace {

// True for "-5s" and "1e-3": for digits, with signs and units.
bool looks_like_time(std::string_view text) {
    const size_t first = text.find_first_not_of("+-. ");
    if (first == std::string_view::npos || text[first] < '0' || text[first] > '9') return false;
    return text.find_first_not_of("0123456789.,:+-eEnusmihdcSMHD ") == std::string_view::npos;
}

}  // namespace

std::string unknown_phase(std::string_view option, std::string_view asked,
                          const std::set<std::string>& names) {
    const std::string typed = fmt::format("{} {}", option, printable(asked));
    if ((option == "--from" || option == "--to") && looks_like_time(asked)) {
        return fmt::format(
            "{}: that is no time (examples: 2.5s, 250ms, 1m30s), and no phase has this name",
            typed);
    }
    if (names.empty()) {
        return fmt::format(
            "{}: this recording has no phases; a program begins them with memtrace.h or NVTX",
            typed);
    }
    std::string nearest;
    for (const std::string& name : nearest_names(asked, {names.begin(), names.end()})) {
        nearest += fmt::format("{}\"{}\"", nearest.empty() ? "" : ", ", printable(name));
    }
    return fmt::format(
        "{}: no phase has this name; the nearest of {}: {} (memtrace-report phases lists all)",
        typed, names.size(), nearest);
}

}  // namespace memtrace::analyzer
