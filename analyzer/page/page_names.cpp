// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_names.h"

#include <algorithm>
#include <utility>

#include "analyzer/base/paths.h"
#include "analyzer/frames/backward_frames.h"
#include "analyzer/frames/import_frames.h"
#include "analyzer/frames/short_name.h"
#include "analyzer/frames/stable_name.h"
#include "analyzer/frames/user_code.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t function_width = 400;  // The page cuts names where they have no room.
constexpr size_t path_width = 200;
// A name of more bytes is cut before anything reads it: templates and hostile names are longer.
constexpr size_t name_bytes_max = 4000;

bool is_call(const Frame& frame) {
    return frame.kind != FrameKind::cut && frame.kind != FrameKind::gap &&
           frame.kind != FrameKind::group;
}

std::string shown_function(const Frame& frame) {
    if (frame.kind == FrameKind::backward) {
        return "backward of " + cut_middle(backward_function(frame), function_width);
    }
    const std::string_view name = begin_of(frame.function, name_bytes_max);
    if (frame.kind == FrameKind::python || !is_call(frame)) {
        return cut_middle(std::string(name), function_width);
    }
    return shorten(name, function_width);
}

}  // namespace

std::string_view begin_of(std::string_view text, size_t most) {
    constexpr size_t longest = 4;  // bytes of a character
    if (text.size() <= most) return text;
    const auto goes_on = [&](size_t at) { return (text[at] & 0xc0) == 0x80; };
    size_t end = most;
    while (end > 0 && most - end < longest && goes_on(end)) --end;
    return text.substr(0, goes_on(end) ? most : end);  // What is not UTF-8 may be cut anywhere.
}

std::string path_without_folders(const std::string& path) {
    if (path.find('/') == std::string::npos) return path;
    return stable_file(path);
}

std::string with_short_paths(const std::string& text) {
    std::string out;
    bool begins_word = true;
    for (size_t i = 0; i < text.size();) {
        const size_t end = std::min(text.find_first_of(" \n\t'\"()[],;=:", i), text.size());
        const std::string word = text.substr(i, end - i);
        out += begins_word && word.starts_with('/') ? path_without_folders(word) : word;
        begins_word = true;
        if (end < text.size()) out += text[end];
        i = end + 1;
    }
    return out;
}

PageNames::PageNames(const Recording& recording, const PageOptions& options)
    : recording_(recording), options_(options) {}

std::string PageNames::shown_path(const std::string& path) const {
    return cut_middle(options_.short_paths ? path_without_folders(path)
                                           : std::string(begin_of(path, name_bytes_max)),
                      path_width);
}

// Returns the name of a library that several of its frames have in common.
std::string PageNames::group_of(const Frame& frame, bool is_own) const {
    if (frame.kind == FrameKind::python || frame.kind == FrameKind::backward) {
        const std::string name = is_own ? base_name(frame.file) : top_package(frame.file);
        return cut_middle(name.empty() ? "Python" : name, path_width);
    }
    if (!is_call(frame)) return "";
    const std::string name = base_name(frame.module);
    return cut_middle(name.empty() ? "code without a file" : name, path_width);
}

ShownFrame PageNames::shown(FrameId id) const {
    const Frame& frame = recording_.symbols.frames[id];
    const bool is_own = is_call(frame) && is_user_code(frame, recording_.code);
    uint8_t flags = 0;
    if (is_own) flags |= ShownFrame::own;
    if (is_import_frame(frame) || (!is_own && is_module_frame(frame))) {
        flags |= ShownFrame::importing;
    }
    if (frame.kind == FrameKind::python) flags |= ShownFrame::python;
    if (frame.kind == FrameKind::backward) flags |= ShownFrame::backward;
    if (!is_call(frame)) flags |= ShownFrame::missing;
    return {shown_function(frame), shown_path(frame.file), frame.line, group_of(frame, is_own),
            flags};
}

uint32_t PageNames::frame(FrameId id) {
    const auto [entry, is_new] = frames_by_id_.try_emplace(id, static_cast<uint32_t>(used_.size()));
    if (!is_new) return entry->second;
    ShownFrame frame = shown(id);
    used_.push_back({id, frame.flags});
    frames_.add(std::move(frame));
    return entry->second;
}

}  // namespace memtrace::analyzer
