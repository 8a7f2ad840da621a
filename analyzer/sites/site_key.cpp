// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/site_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "analyzer/frames/backward_frames.h"
#include "analyzer/frames/frame_filter.h"
#include "analyzer/frames/stable_name.h"

namespace memtrace::analyzer {

namespace {

// Returns the names with one in front of them. The outermost falls out if there is no room.
template <size_t max>
std::array<uint32_t, max> with_inner(std::array<uint32_t, max> names, uint32_t name) {
    const auto same = std::find(names.begin(), names.end(), name);
    const auto last = same != names.end() ? same : names.end() - 1;
    std::move_backward(names.begin(), last, last + 1);
    names[0] = name;
    return names;
}

}  // namespace

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
      paths_(view_, 0),
      parts_(recording.symbols.frames.size()),
      frame_names_(recording.symbols.frames.size(), no_name) {
    id_of(Draft());
}

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

// A stack's draft follows from that of its callers, and only few of them are different.
SiteKeys::DraftId SiteKeys::with_frame(DraftId callers, FrameId frame) {
    const Part part = part_of(frame);
    const Draft& draft = drafts_[callers];
    const bool has_part = draft.own[0] != no_name || draft.inner[0] != no_name;
    if (part == Part::none && has_part) return callers;
    const auto [entry, is_new] = called_.try_emplace(uint64_t{callers} << 32 | frame, 0);
    if (is_new) entry.value() = id_of(called(draft, frame, part));
    return entry->second;
}

SiteKeys::Draft SiteKeys::called(Draft draft, FrameId frame, Part part) {
    const uint32_t name = name_number(frame);
    if (part == Part::own) {
        draft = Draft{.own = with_inner(draft.own, name)};
    } else if (draft.own[0] == no_name) {
        if (part == Part::none) draft.dull = with_inner(draft.dull, name);
        else draft = Draft{.inner = with_inner(draft.inner, name)};
    } else if (part == Part::python) {
        draft.python = with_inner(draft.python, name);
        draft.native = no_name;
    } else if (draft.native == no_name) {
        draft.native = name;
    }
    return draft;
}

SiteKeys::DraftId SiteKeys::id_of(const Draft& draft) {
    const auto [entry, is_new] =
        draft_ids_.try_emplace(draft, static_cast<DraftId>(drafts_.size()));
    if (is_new) {
        drafts_.push_back(draft);
        keys_.emplace_back();
    }
    return entry->second;
}

SiteKeys::Id SiteKeys::key_of(const Draft& draft) {
    std::string text;
    const auto add = [&](std::span<const uint32_t> names) {
        for (const uint32_t name : names) {
            if (name == no_name || names_[name].empty()) continue;
            text += (text.empty() ? "" : " < ") + names_[name];
        }
    };
    if (draft.own[0] != no_name) {
        add({&draft.native, 1});
        add(draft.python);
        add(draft.own);
    } else {
        add(draft.inner[0] != no_name ? draft.inner : draft.dull);
    }
    if (text.empty()) text = "[no stack]";
    const auto [entry, is_new] = ids_.try_emplace(text, static_cast<Id>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return entry->second;
}

SiteKeys::Id SiteKeys::of(uint32_t stack) {
    const DraftId draft = paths_.of(
        stack, [&](DraftId callers, FrameId frame) { return with_frame(callers, frame); });
    if (!keys_[draft]) keys_[draft] = key_of(drafts_[draft]);
    return *keys_[draft];
}

}  // namespace memtrace::analyzer
