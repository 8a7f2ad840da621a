// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/short_notes.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "analyzer/base/paths.h"

namespace memtrace::analyzer {

std::vector<NoteInfo> short_notes(const std::vector<NoteInfo>& notes) {
    std::vector<NoteInfo> short_ones;
    std::vector<std::string> others;  // of each: files of which the same is true
    std::map<std::tuple<std::string_view, std::string_view>, size_t> places;
    for (const NoteInfo& note : notes) {
        const std::string_view text = note.text;
        const size_t path_bytes = text.starts_with('/') ? text.find(".so") : std::string::npos;
        const size_t space =
            path_bytes == std::string::npos ? path_bytes : text.find(' ', path_bytes);
        if (space == std::string::npos) {
            short_ones.push_back(note);
            others.emplace_back();
            continue;
        }
        const auto [place, is_new] =
            places.try_emplace({note.subject, text.substr(space)}, short_ones.size());
        if (is_new) {
            short_ones.push_back(note);
            others.emplace_back();
            continue;
        }
        std::string& names = others[place->second];
        names += (names.empty() ? "" : ", ") + base_name(text.substr(0, space));
    }
    for (size_t i = 0; i < short_ones.size(); ++i) {
        if (others[i].empty()) continue;
        short_ones[i].text += fmt::format(" The same is true of {}.", others[i]);
    }
    return short_ones;
}

}  // namespace memtrace::analyzer
