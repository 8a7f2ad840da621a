// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/source_location.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "analyzer/base/paths.h"
#include "analyzer/frames/frame_filter.h"
#include "analyzer/frames/stable_name.h"
#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {

namespace fs = std::filesystem;

std::string text_of(const SourceLocation& place) {
    if (place.file.empty()) return place.function;
    return place.line == 0 ? place.file : fmt::format("{}:{}", place.file, place.line);
}

std::string relative_file(const std::string& path, const std::string& root) {
    if (path.empty() || path.starts_with('<')) return "";
    const fs::path file = fs::path(path).lexically_normal();
    if (file.is_relative()) return file.begin()->string() == ".." ? base_name(path) : file.string();
    const fs::path inside = file.lexically_relative(fs::path(root).lexically_normal());
    if (!inside.empty() && inside.begin()->string() != "..") return inside.string();
    if (const std::string_view rest = in_package(path); !rest.empty()) return std::string(rest);
    // For code built in another folder: /build/1234/src/net.cpp is src/net.cpp here.
    fs::path rest = file.relative_path();
    while (!rest.empty()) {
        std::error_code error;
        if (fs::is_regular_file(fs::path(root) / rest, error)) return rest.string();
        fs::path shorter;
        for (auto part = std::next(rest.begin()); part != rest.end(); ++part) shorter /= *part;
        rest = std::move(shorter);
    }
    return base_name(path);
}

SourceLocations::SourceLocations(const Recording& recording, std::string root)
    : recording_(recording),
      shown_(StackView(recording.symbols), no_frame),
      root_(std::move(root)),
      ranks_(recording.symbols.frames.size()),
      frame_ids_(recording.symbols.frames.size(), not_asked) {}

const std::string& SourceLocations::file_of(const Frame& frame) {
    const auto [entry, is_new] = files_.try_emplace(frame.file);
    if (is_new) entry->second = relative_file(frame.file, root_);
    return entry->second;
}

SourceLocations::Rank SourceLocations::rank_of(FrameId id) {
    Rank& rank = ranks_[id];
    if (rank != Rank::unknown) return rank;
    const Frame& frame = recording_.symbols.frames[id];
    const bool hole = frame.kind == FrameKind::cut || frame.kind == FrameKind::gap;
    if (hole || !is_interesting(frame)) return rank = Rank::none;
    if (frame.line == 0 || file_of(frame).empty()) return rank = Rank::unplaced;
    if (is_user_code(frame, recording_.code)) return rank = Rank::own;
    return rank = frame.kind == FrameKind::python ? Rank::python : Rank::native;
}

SourceLocation SourceLocations::location_of(FrameId id) {
    const Frame& frame = recording_.symbols.frames[id];
    const bool as_is = frame.kind != FrameKind::native && frame.kind != FrameKind::inlined;
    const std::string function = as_is ? frame.function : stable_function(frame.function);
    if (rank_of(id) == Rank::unplaced) return {frame.named || as_is ? function : "", "", 0};
    return {function, file_of(frame), frame.line};
}

SourceLocations::Id SourceLocations::id_of(uint32_t stack) {
    const FrameId found = shown_.of(stack, [&](FrameId outer, FrameId id) {
        const Rank rank = rank_of(id);
        if (rank == Rank::none) return outer;
        return outer == no_frame || rank >= rank_of(outer) ? id : outer;
    });
    if (found == no_frame) return 0;
    if (frame_ids_[found] != not_asked) return frame_ids_[found];
    SourceLocation location = location_of(found);
    const std::string text =
        fmt::format("{}\n{}\n{}", location.function, location.file, location.line);
    const auto [entry, is_new] = ids_.try_emplace(text, static_cast<Id>(locations_.size()));
    if (is_new) locations_.push_back(std::move(location));
    return frame_ids_[found] = entry->second;
}

}  // namespace memtrace::analyzer
