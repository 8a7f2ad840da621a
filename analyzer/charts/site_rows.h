// SPDX-License-Identifier: Apache-2.0
//
// The own line of each site that a RunWatch names by its number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/base/json_text.h"
#include "analyzer/model/run_watch.h"
#include "analyzer/sites/own_lines.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

class SiteRows {
public:
    explicit SiteRows(const Recording& recording);

    // Returns the row of a site of the space with this index in the model; nothing if the filters
    // have left the site out.
    std::optional<uint32_t> row_of(size_t space, uint32_t number) const;

    size_t size() const { return lines_.rows.size(); }
    const OwnLines& lines() const { return lines_; }
    // True if the row is a line of the user's own, also one that autograd runs backward.
    bool is_own(uint32_t row) const;
    std::string text(uint32_t row, size_t room) const;
    Json json(uint32_t row) const;

private:
    static constexpr uint32_t none = 0xffffffff;

    const Recording& recording_;
    OwnLines lines_;
    std::vector<std::vector<uint32_t>> of_numbers_;  // by space, by number
};

// What was watched of a space; nullptr: nothing.
const SpaceWatch* watch_of(const Recording& recording, const Space& space);

}  // namespace memtrace::analyzer
