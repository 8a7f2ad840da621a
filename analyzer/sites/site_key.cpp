// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/site_key.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/frames/backward_frames.h"
#include "analyzer/frames/frame_filter.h"
#include "analyzer/frames/stable_name.h"

namespace memtrace::analyzer {

Executables executables_of(const Recording& recording) {
    Executables executables{recording.model.process.executable};
    for (const ProcessPart& part : recording.merged.processes)
        executables.insert(part.process.executable);
    return executables;
}

std::string stable_frame(const Frame& frame, const Executables& executables) {
    const std::string file = frame.file.empty() ? "" : " (" + stable_file(frame.file) + ")";
    switch (frame.kind) {
        case FrameKind::group: return frame.function;
        case FrameKind::python: return frame.function + file;
        case FrameKind::backward: return "backward of " + backward_function(frame) + file;
        default: break;
    }
    // The file of a native function is known only with debug information.
    const std::string module =
        frame.module.empty() ? "[no file]" : "[" + stable_module(frame.module) + "]";
    if (!frame.named) return module;
    const std::string function = stable_function(frame.function);
    return executables.contains(frame.module) ? function : function + " " + module;
}

std::vector<std::string_view> parts_of_key(std::string_view key) {
    constexpr std::string_view between = " < ";
    std::vector<std::string_view> parts;
    for (size_t begin = 0; begin <= key.size();) {
        const size_t end = std::min(key.find(between, begin), key.size());
        parts.push_back(key.substr(begin, end - begin));
        begin = end + between.size();
    }
    return parts;
}

SiteKeys::SiteKeys(const Recording& recording)
    : recording_(recording),
      executables_(executables_of(recording)),
      view_(recording.symbols),
      parts_(recording.symbols.frames.size()),
      frame_names_(recording.symbols.frames.size(), no_name) {}

SiteKeys::Part SiteKeys::part_of(FrameId id) {
    Part& part = parts_[id];
    if (part != Part::unknown) return part;
    const Frame& frame = recording_.symbols.frames[id];
    const bool is_python = frame.kind == FrameKind::python || frame.kind == FrameKind::backward;
    const bool is_hole = frame.kind == FrameKind::cut || frame.kind == FrameKind::gap;
    if (is_hole || !view_.facts().has(id, FrameFacts::interesting)) return part = Part::none;
    const bool is_own = is_user_code(frame, recording_.code) || frame.kind == FrameKind::group;
    return part = is_own ? Part::own : is_python ? Part::python : Part::native;
}

uint32_t SiteKeys::name_number(FrameId id) {
    uint32_t& number = frame_names_[id];
    if (number != no_name) return number;
    const Frame& frame = recording_.symbols.frames[id];
    const bool is_hole = frame.kind == FrameKind::cut || frame.kind == FrameKind::gap;
    std::string name = is_hole ? "" : stable_frame(frame, executables_);
    const auto [entry, is_new] =
        numbers_.try_emplace(std::move(name), static_cast<uint32_t>(names_.size()));
    if (is_new) names_.push_back(entry->first);
    return number = entry->second;
}

SiteKeys::Names SiteKeys::names_of(uint32_t stack) {
    Names own, python, native, inner, dull;
    const auto add = [](Names& names, size_t max, uint32_t name) {
        const bool known = std::find(names.begin(), names.end(), name) != names.end();
        if (!known && names.size() < max) names.push_back(name);
    };
    view_.walk(stack, [&](FrameId frame, uint32_t) {
        const Part part = part_of(frame);
        if (part == Part::none) {
            if (dull.size() < inner_max) add(dull, inner_max, name_number(frame));
            return true;
        }
        const uint32_t name = name_number(frame);
        add(inner, inner_max, name);
        if (part == Part::own) add(own, own_max, name);
        if (!own.empty()) return own.size() < own_max;
        if (part == Part::python) add(python, python_max, name);
        // The outermost native function is the one that was called from outside.
        if (part == Part::native && python.empty()) native = {name};
        return true;
    });
    if (own.empty()) return inner.empty() ? dull : inner;
    Names key = std::move(native);
    key.insert(key.end(), python.begin(), python.end());
    key.insert(key.end(), own.begin(), own.end());
    return key;
}

SiteKeys::Id SiteKeys::of(uint32_t stack) {
    const Names names = names_of(stack);
    const std::u32string key(names.begin(), names.end());
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    std::string text;
    for (const uint32_t name : names) {
        if (!names_[name].empty()) text += (text.empty() ? "" : " < ") + names_[name];
    }
    if (text.empty()) text = "[no stack]";
    const auto [entry, is_new] = ids_.try_emplace(text, static_cast<Id>(texts_.size()));
    if (is_new) texts_.push_back(text);
    known_.emplace(key, entry->second);
    return entry->second;
}

}  // namespace memtrace::analyzer
