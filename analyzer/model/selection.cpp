// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analyzer/base/units.h"

namespace memtrace::analyzer {
namespace {

void append(std::string& text, const std::string& more, const char* between) {
    if (more.empty()) return;
    if (!text.empty()) text += between;
    text += more;
}

}  // namespace

std::string range_text(const AskedRange& range) {
    std::string text;
    if (!range.from.empty()) text = "from " + range.from;
    if (!range.to.empty()) append(text, "to " + range.to, " ");
    return text;
}

std::vector<std::string> filter_words(const SiteFilters& filters) {
    std::vector<std::string> words;
    const auto add = [&](const char* option, const std::vector<std::string>& values) {
        for (const std::string& value : values) words.insert(words.end(), {option, value});
    };
    add("--thread", filters.threads);
    add("--module", filters.modules);
    add("--function", filters.functions);
    add("--file", filters.files);
    if (filters.own) words.push_back("--own");
    if (filters.python_only) words.push_back("--python-only");
    return words;
}

std::string filters_text(const SiteFilters& filters) {
    std::string text;
    for (const std::string& word : filter_words(filters)) append(text, word, " ");
    return text;
}

std::string selection_text(const Model& model) {
    std::string text;
    if (model.phase) {
        if (!model.phase->asked.empty()) text = "--phase " + model.phase->asked;
        if (model.phase->range) append(text, range_text(*model.phase->range), ", ");
    }
    if (model.filters) append(text, filters_text(model.filters->filters), ", ");
    return text;
}

std::string nothing_passes_text(const Model& model) {
    if (!model.filters || !model.spaces.empty()) return "";
    const auto has_any = [](const FilteredSpace& space) {
        return space.whole.allocations != 0 || space.whole.at_peak_blocks != 0;
    };
    const std::vector<FilteredSpace>& spaces = model.filters->spaces;
    if (std::none_of(spaces.begin(), spaces.end(), has_any)) return "";
    std::string whole;
    for (const FilteredSpace& space : spaces) {
        if (!has_any(space)) continue;
        append(whole,
               fmt::format("{}{} at the peak of {}", space.is_estimate ? "~" : "",
                           human_bytes(space.whole.at_peak_bytes), space.name),
               ", ");
    }
    const std::string filters = filters_text(model.filters->filters);
    const char* const those = filters.find(" --") == std::string::npos ? "it" : "them";
    return fmt::format("no call site passes {} (without {}: {})", filters, those, whole);
}

}  // namespace memtrace::analyzer
