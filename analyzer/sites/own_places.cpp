// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/own_places.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>

#include <tsl/robin_map.h>

#include "analyzer/base/number_hash.h"
#include "analyzer/base/paths.h"
#include "analyzer/frames/frame_facts.h"
#include "analyzer/frames/frame_filter.h"
#include "analyzer/frames/import_frames.h"
#include "analyzer/frames/interpreter_frames.h"
#include "analyzer/frames/stable_name.h"
#include "analyzer/frames/user_code.h"

namespace memtrace::analyzer {

namespace {

using Kind = OwnPlace::Kind;

template <size_t count>
bool begins_with(std::string_view text, const std::array<std::string_view, count>& starts) {
    return std::any_of(starts.begin(), starts.end(),
                       [&](std::string_view start) { return text.starts_with(start); });
}

bool has_thread_starts(std::string_view path) {
    static constexpr auto libraries =
        std::to_array<std::string_view>({"libc.so", "libc-2", "libpthread"});
    return begins_with(base_name(path), libraries);
}

std::string library_name(std::string_view path) {
    std::string name = stable_module(path);
    if (name.ends_with(".so")) name.resize(name.size() - 3);
    return name;
}

class Finder {
public:
    explicit Finder(const Recording& recording)
        : code_(recording.code), symbols_(recording.symbols), facts_(facts_of(symbols_)) {
        found_.names = {"", "the interpreter"};
    }

    OwnPlaces run() {
        const StackNodes& nodes = symbols_.nodes;
        found_.of_locations.resize(nodes.location_count());
        for (uint32_t i = 0; i < found_.of_locations.size(); ++i) {
            const auto frames = symbols_.frames_of_location(i);
            if (!frames.empty()) found_.of_locations[i] = place_of(frames, nodes.location(i));
        }
        return std::move(found_);
    }

private:
    // Views of the names of frames.
    struct Files {
        std::string_view file, module;
        FrameKind kind;
        bool operator==(const Files&) const = default;
    };
    struct HashFiles {
        size_t operator()(const Files& files) const {
            const std::hash<std::string_view> hash;
            return hash(files.file) * 31 + hash(files.module) * 7 + static_cast<size_t>(files.kind);
        }
    };
    struct PythonFile {
        std::string package;
        bool is_installed = false;
    };

    OwnPlace place_of(std::span<const FrameId> frames, const Location& location) {
        const Frame& first = symbols_.frames[frames.front()];
        OwnPlace place;
        place.is_python = first.kind == FrameKind::python;
        place.begins_module = is_module_frame(first);
        place.frame = own_of(frames);
        if (first.kind == FrameKind::backward) {
            place.kind = Kind::backward;
        } else if (first.kind == FrameKind::group) {
            place.kind = Kind::kept;
            place.frame = frames.front();
        } else if (place.frame != no_frame) {
            place.kind = Kind::own;
            place.is_foreign = is_foreign_source(symbols_.frames[place.frame].file);
        } else if (is_import_frame(first)) {
            place.kind = Kind::importing;
        } else if (place.is_python) {
            place.kind = Kind::library;
            name_python(place, first);
        } else if (first.kind == FrameKind::native || first.kind == FrameKind::inlined) {
            return place_of_module(location.module, first.module);
        }
        return place;
    }

    // Returns the innermost frame of own code. Foreign text counts only if there is no other.
    FrameId own_of(std::span<const FrameId> frames) {
        FrameId foreign = no_frame;
        for (const FrameId id : frames) {
            const Frame& frame = symbols_.frames[id];
            if (!facts_->has(id, FrameFacts::interesting)) continue;
            if (!is_own(id)) continue;
            if (!is_foreign_source(frame.file)) return id;
            if (foreign == no_frame) foreign = id;
        }
        return foreign;
    }

    // Of an interesting frame. Its file and its module tell it, except of the interpreter's own
    // Python functions, and thousands of frames have the same ones.
    bool is_own(FrameId id) {
        const Frame& frame = symbols_.frames[id];
        if (facts_->has(id, FrameFacts::interpreter)) {
            return is_user_code_if_interesting(frame, code_);
        }
        const Files files{frame.file, frame.module, frame.kind};
        const auto [entry, is_new] = own_.try_emplace(files, false);
        if (is_new) entry->second = is_user_code_if_interesting(frame, code_);
        return entry->second;
    }

    void name_python(OwnPlace& place, const Frame& frame) {
        const auto [entry, is_new] = python_files_.try_emplace(frame.file);
        PythonFile& file = entry->second;
        if (is_new) file = {top_package(frame.file), is_in_installed_package(frame.file)};
        place.library = file.is_installed ? number_of(file.package) : OwnPlaces::interpreter;
        if (place.begins_module) place.package = number_of(file.package);
    }

    // Locations without own code are all the same in a module.
    OwnPlace place_of_module(uint32_t number, const std::string& path) {
        if (number == no_module) return make_place_of_module(path);
        const auto [entry, is_new] = modules_.try_emplace(number);
        if (is_new) entry.value() = make_place_of_module(path);
        return entry->second;
    }

    OwnPlace make_place_of_module(const std::string& path) {
        OwnPlace place;
        place.can_start_thread = has_thread_starts(path);
        if (path.empty() || is_plumbing_module(path)) return place;
        place.kind = Kind::library;
        place.library = is_interpreter_module(path) ? uint32_t{OwnPlaces::interpreter}
                                                    : number_of(library_name(path));
        // An extension module without Python code of its own.
        if (!in_package(path).empty()) place.package = number_of(top_package(path));
        return place;
    }

    uint32_t number_of(const std::string& name) {
        if (name.empty()) return OwnPlaces::no_name;
        const auto next = static_cast<uint32_t>(found_.names.size());
        const auto [entry, is_new] = numbers_.try_emplace(name, next);
        if (is_new) found_.names.push_back(name);
        return entry->second;
    }

    const CodePatterns& code_;
    const Symbols& symbols_;
    std::shared_ptr<const FrameFacts> facts_;
    OwnPlaces found_;
    std::unordered_map<std::string, uint32_t> numbers_;       // by name
    tsl::robin_map<uint32_t, OwnPlace, NumberHash> modules_;  // by number
    std::unordered_map<Files, bool, HashFiles> own_;
    std::unordered_map<std::string_view, PythonFile> python_files_;  // by path
};

}  // namespace

OwnPlaces find_own_places(const Recording& recording) { return Finder(recording).run(); }

}  // namespace memtrace::analyzer
