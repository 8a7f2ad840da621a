// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/phase_ranges.h"

namespace memtrace::analyzer {

std::string PhaseRanges::key_of(const Mark& mark, const std::string& full_name) {
    const std::string source = std::to_string(static_cast<unsigned>(mark.source));
    // An end with a range number need not repeat the name.
    if (mark.range != 0) return source + " range " + std::to_string(mark.range);
    return source + " name " + full_name;
}

uint32_t PhaseRanges::begin(const Mark& mark, const std::string& full_name, uint32_t thread,
                            uint32_t phase) {
    const std::pair in{thread, std::string(mark.domain)};
    if (mark.scope == MarkScope::thread) of_threads_[in].push_back(phase);
    else by_key_[key_of(mark, full_name)].push_back({phase, thread});
    return open_[thread]++;
}

std::optional<uint32_t> PhaseRanges::end(const Mark& mark, const std::string& full_name,
                                         uint32_t thread) {
    uint32_t begun_by = thread;
    std::optional<uint32_t> phase;
    if (mark.scope == MarkScope::thread) {
        const auto found = of_threads_.find({thread, std::string(mark.domain)});
        if (found != of_threads_.end()) {
            phase = found->second.back();
            found->second.pop_back();
            if (found->second.empty()) of_threads_.erase(found);
        }
    } else if (const auto found = by_key_.find(key_of(mark, full_name)); found != by_key_.end()) {
        phase = found->second.back().phase;
        begun_by = found->second.back().thread;
        found->second.pop_back();
        if (found->second.empty()) by_key_.erase(found);
    }
    if (!phase) unpaired_ends_ += 1;
    else if (begun_by != nobody) open_[begun_by] -= 1;
    return phase;
}

void PhaseRanges::forget_thread(uint32_t thread) {
    const auto counted = open_.find(thread);
    if (counted == open_.end()) return;
    uint32_t left = counted->second;
    open_.erase(counted);
    const auto first = of_threads_.lower_bound({thread, {}});
    auto last = first;
    for (; last != of_threads_.end() && last->first.first == thread; ++last) {
        for (const uint32_t phase : last->second) endless_[phase] += 1;
        left -= static_cast<uint32_t>(last->second.size());
    }
    of_threads_.erase(first, last);
    if (left == 0) return;
    for (auto& [key, ranges] : by_key_) {
        for (Range& range : ranges) {
            if (range.thread == thread) range.thread = nobody;
        }
    }
}

uint32_t PhaseRanges::open_of(uint32_t thread) const {
    const auto found = open_.find(thread);
    return found == open_.end() ? 0 : found->second;
}

}  // namespace memtrace::analyzer
