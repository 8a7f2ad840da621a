// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/merge_searches.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/units.h"

namespace memtrace::analyzer {

void SearchSums::add(const Recording& part, uint64_t processes) {
    const LostSearchInfo* const last = last_search(part.model);
    // What came after it was not done, and nobody knows what it would have found.
    const bool is_newest = last != nullptr && last == &part.model.searches.back();
    const uint64_t before = last == nullptr ? 0 : std::max<uint64_t>(last->processes, 1);
    const bool is_whole = is_newest || (last != nullptr && last->processes != 0);
    if (last != nullptr) add(*last);
    searched_ += is_whole ? before : 0;
    others_ += processes - std::min(processes, is_whole ? before : 0);
}

void SearchSums::add(const LostSearchInfo& search) {
    if (!sum_) {
        sum_ = search;
        sum_->time_ns = 0;  // The times are those of single processes.
        return;
    }
    LostSearchInfo& sum = *sum_;
    sum.cause = std::max(sum.cause, search.cause);
    sum.pause_ns = std::max(sum.pause_ns, search.pause_ns);
    // One look at a process with other threads is not sure, whatever the others had.
    const bool has_unsure =
        (sum.threads != 0 && sum.copies < 2) || (search.threads != 0 && search.copies < 2);
    sum.copies = has_unsure ? 1 : std::max(sum.copies, search.copies);
    sum.threads = std::max(sum.threads, search.threads);
    sum.blocks += search.blocks;
    sum.bytes += search.bytes;
    sum.work_ns += search.work_ns;
    sum.later_blocks += search.later_blocks;
    sum.later_bytes += search.later_bytes;
    sum.gone_garbage_blocks += search.gone_garbage_blocks;
    sum.gone_garbage_bytes += search.gone_garbage_bytes;
    if (sum.text != search.text)
        sum.text = "What single searches were not sure of is in the recordings' own reports.";
}

std::vector<LostSearchInfo> SearchSums::finish() const {
    if (!sum_) return {};
    std::vector<LostSearchInfo> searches{*sum_};
    searches[0].processes = searched_;
    if (others_ == 0) return searches;
    LostSearchInfo& none = searches.emplace_back();
    none.stage = LostStage::refused;
    none.processes = others_;
    none.text =
        fmt::format("{} of {} {} not searched for lost blocks.", exact_count(others_),
                    counted(searched_ + others_, "recording"), others_ == 1 ? "was" : "were");
    return searches;
}

}  // namespace memtrace::analyzer
