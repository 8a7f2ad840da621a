// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/merge_histories.h"

#include <algorithm>
#include <utility>

namespace memtrace::analyzer {
namespace {

std::vector<HeldPoint> sum_of(const std::vector<HeldPoint>& a, const std::vector<HeldPoint>& b) {
    std::vector<HeldPoint> sum;
    HeldPoint left, right;
    for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        const bool takes_left = j == b.size() || (i < a.size() && a[i].slice <= b[j].slice);
        const bool takes_right = i == a.size() || (j < b.size() && b[j].slice <= a[i].slice);
        const uint32_t slice = takes_left ? a[i].slice : b[j].slice;
        if (takes_left) left = a[i++];
        if (takes_right) right = b[j++];
        sum.push_back({slice, left.bytes + right.bytes, left.blocks + right.blocks,
                       left.allocations + right.allocations,
                       left.allocated_bytes + right.allocated_bytes});
    }
    return sum;
}

std::vector<BornPoint> sum_of(const std::vector<BornPoint>& a, const std::vector<BornPoint>& b) {
    std::vector<BornPoint> sum;
    for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        if (j == b.size() || (i < a.size() && a[i].slice < b[j].slice)) {
            sum.push_back(a[i++]);
        } else if (i == a.size() || b[j].slice < a[i].slice) {
            sum.push_back(b[j++]);
        } else {
            sum.push_back({a[i].slice, a[i].bytes + b[j].bytes, a[i].blocks + b[j].blocks});
            ++i, ++j;
        }
    }
    return sum;
}

}  // namespace

void leave_out_rest(RunSlices& slices) { slices.slices.resize(slices.judged()); }

void leave_out_rest(Model& model) {
    const size_t judged = model.slices.judged();
    if (judged == model.slices.slices.size()) return;
    leave_out_rest(model.slices);
    for (Space& space : model.spaces) {
        space.history.cut(judged);
        SiteHistories histories;
        for (SiteHistory history : space.histories) {
            history.cut(judged);
            histories.push_back(history);
        }
        histories.shrink_to_fit();
        space.histories = std::move(histories);
    }
}

bool are_alike(const RunSlices& a, const RunSlices& b) {
    const auto same_steps = [](const RunSlice& left, const RunSlice& right) {
        return left.steps == right.steps;
    };
    const auto judged_end = [](const RunSlices& of) {
        return of.slices.begin() + static_cast<std::ptrdiff_t>(of.judged());
    };
    return a.step == b.step && a.step.empty() == a.slices.empty() &&
           std::equal(a.slices.begin(), judged_end(a), b.slices.begin(), judged_end(b), same_steps);
}

void add(RunSlices& sum, const RunSlices& part) {
    sum.is_trimmed = sum.is_trimmed || part.is_trimmed;
    for (size_t i = 0; i < sum.slices.size(); ++i) {
        sum.slices[i].end_ns = std::max(sum.slices[i].end_ns, part.slices[i].end_ns);
        sum.slices[i].events += part.slices[i].events;
    }
}

void add(SiteHistory& sum, SiteHistory part, size_t slices) {
    part.cut(slices);
    sum.held = sum_of(sum.held, part.held);
    sum.born = sum_of(sum.born, part.born);
}

}  // namespace memtrace::analyzer
