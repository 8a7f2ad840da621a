// SPDX-License-Identifier: Apache-2.0
//
// Merges everything of recordings but call stacks and figures of sites. Each rule is a sum, a
// minimum, a maximum or a union, so order and grouping do not matter.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/model/merged_parts.h"
#include "analyzer/profile/merge_searches.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// Returns the processes of a recording: those of a merged profile, or the only one.
std::vector<ProcessPart> processes_of(const Recording& recording);

class HeadSums {
public:
    void add(const Recording& part);

    // Sets the members of `sum` that this class merges. Its spaces must be there already.
    void finish(Recording& sum);

    // Texts of the notes that a merged profile has about itself have this subject.
    static constexpr const char* subject = "merged";

private:
    void add_texts(const Recording& part);
    void add_capture(const Capture& part);
    void add_threads(const std::vector<ThreadInfo>& threads);
    void add_left_out(const Recording& part);
    void finish_process(Recording& sum) const;
    void finish_peaks(Model& sum) const;
    void add_notes(Recording& sum) const;

    bool is_first_ = true;
    std::vector<ProcessPart> processes_;
    LeftOut left_out_;
    Capture capture_;
    bool damaged_ = false;
    std::map<std::string, std::string> options_;
    std::set<std::pair<std::string, std::string>> notes_;
    std::multiset<std::tuple<std::string, uint64_t, uint64_t>> problems_;
    std::set<std::tuple<std::string, uint64_t, uint64_t>> name_problems_;
    std::set<std::string> name_notes_;
    std::map<std::string, ThreadInfo> threads_;
    std::set<std::string> program_suppressions_;
    SearchSums searches_;
};

}  // namespace memtrace::analyzer
