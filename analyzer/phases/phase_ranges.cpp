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
    if (phase) open_[begun_by] -= 1;
    else unpaired_ends_ += 1;
    return phase;
}

uint32_t PhaseRanges::open_of(uint32_t thread) const {
    const auto found = open_.find(thread);
    return found == open_.end() ? 0 : found->second;
}

}  // namespace memtrace::analyzer
