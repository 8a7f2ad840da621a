// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/site_rows.h"

#include "analyzer/report/report_own_lines.h"
#include "analyzer/sites/json_sites.h"

namespace memtrace::analyzer {

SiteRows::SiteRows(const Recording& recording)
    : recording_(recording), lines_(find_own_lines(recording, true)) {
    for (size_t space = 0; space < recording.model.spaces.size(); ++space) {
        std::vector<uint32_t>& rows = of_numbers_.emplace_back();
        const std::vector<uint32_t>& numbers = recording.model.spaces[space].numbers;
        for (size_t site = 0; site < numbers.size(); ++site) {
            if (numbers[site] >= rows.size()) rows.resize(size_t{numbers[site]} + 1, none);
            rows[numbers[site]] = lines_.of_sites[space][site];
        }
    }
}

std::optional<uint32_t> SiteRows::row_of(size_t space, uint32_t number) const {
    const std::vector<uint32_t>& rows = of_numbers_[space];
    if (number >= rows.size() || rows[number] == none) return {};
    return rows[number];
}

bool SiteRows::is_own(uint32_t row) const {
    const OwnRow::Kind kind = lines_.rows[row].kind;
    return kind == OwnRow::Kind::line || kind == OwnRow::Kind::backward;
}

std::string SiteRows::text(uint32_t row, size_t room) const {
    const std::string text = own_row_text(recording_.symbols, lines_.rows[row], room);
    return display_width(text) <= room ? text : cut_to_width(text, room - 3) + "...";
}

Json SiteRows::json(uint32_t row) const {
    return own_row_json(recording_.symbols, lines_.rows[row]);
}

const SpaceWatch* watch_of(const Recording& recording, const Space& space) {
    if (recording.model.watch == nullptr) return nullptr;
    const auto found = recording.model.watch->spaces.find(space.name);
    return found == recording.model.watch->spaces.end() ? nullptr : &found->second;
}

}  // namespace memtrace::analyzer
