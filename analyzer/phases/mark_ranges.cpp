// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/mark_ranges.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

namespace memtrace::analyzer {

namespace {

// The replay lists so many marks at most, and remarks on the others (remark_on_marks()).
bool lacks_marks(const Model& model) {
    return std::any_of(model.notes.begin(), model.notes.end(),
                       [](const NoteInfo& note) { return note.subject == "marks"; });
}

}  // namespace

MarkRanges ranges_of_marks(const Model& model) {
    MarkRanges found;
    std::vector<MarkRange>& ranges = found.ranges;
    std::set<size_t> open;
    std::unordered_map<std::string_view, std::vector<size_t>> open_by_name;
    for (const MarkInfo& mark : model.marks) {
        if (mark.kind == MarkKind::begin) {
            open_by_name[mark.text].push_back(ranges.size());
            ranges.push_back({mark.text, mark.time_ns, std::nullopt, open.size()});
            open.insert(ranges.size() - 1);
        } else if (mark.kind == MarkKind::end && !open.empty()) {
            const std::string_view name =
                mark.text.empty() ? ranges[*open.rbegin()].name : std::string_view(mark.text);
            const auto begun = open_by_name.find(name);
            if (begun == open_by_name.end() || begun->second.empty()) continue;
            const size_t range = begun->second.back();
            begun->second.pop_back();
            open.erase(range);
            ranges[range].end_ns = mark.time_ns;
        }
    }
    if (!lacks_marks(model)) return found;
    found.without_end = open.size();
    std::erase_if(ranges, [](const MarkRange& range) { return !range.end_ns; });
    return found;
}

std::vector<MarkRange> longest_ranges(std::vector<MarkRange> ranges, size_t most, uint64_t end_ns) {
    if (ranges.size() <= most) return ranges;
    std::vector<size_t> order(ranges.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto rank = [&](size_t i) {
        const MarkRange& range = ranges[i];
        const uint64_t end = range.end_ns.value_or(end_ns);
        const uint64_t length = end > range.begin_ns ? end - range.begin_ns : 0;
        return std::tuple(~length, range.depth, i);
    };
    const auto kept = order.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(order.begin(), kept, order.end(),
                     [&](size_t one, size_t other) { return rank(one) < rank(other); });
    order.resize(most);
    std::sort(order.begin(), order.end());
    std::vector<MarkRange> longest;
    for (const size_t i : order) longest.push_back(ranges[i]);
    return longest;
}

}  // namespace memtrace::analyzer
