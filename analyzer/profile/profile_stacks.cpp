// SPDX-License-Identifier: Apache-2.0
//
// Frames, modules and call stacks of a profile (profile.proto: Names and Tree).
#include <limits>
#include <string_view>
#include <unordered_map>

#include "analyzer/profile/profile.pb.h"
#include "analyzer/profile/profile_parts.h"
#include "analyzer/profile/recent_places.h"

namespace memtrace::analyzer {
namespace {

constexpr uint32_t named_bit = 16;      // in the kind of a frame
constexpr uint32_t undefined_bit = 16;  // in the kind of a place

class Texts {
public:
    explicit Texts(stored::Names& names) : names_(names) {}

    uint32_t number_of(const std::string& text) {
        const auto next = static_cast<uint32_t>(names_.texts_size());
        const auto [entry, is_new] = numbers_.try_emplace(text, next);
        if (is_new) names_.add_texts(text);
        return entry->second;
    }

private:
    stored::Names& names_;
    std::unordered_map<std::string_view, uint32_t> numbers_;
};

void write_frames(const Symbols& symbols, stored::Names& names) {
    Texts texts(names);
    int64_t line = 0;
    for (const Frame& frame : symbols.frames) {
        names.add_function(texts.number_of(frame.function));
        names.add_file(texts.number_of(frame.file));
        names.add_module(texts.number_of(frame.module));
        names.add_operation(texts.number_of(frame.operation));
        names.add_line(int64_t{frame.line} - line);
        line = frame.line;
        names.add_kind(static_cast<uint32_t>(frame.kind) | (frame.named ? named_bit : 0));
        names.add_end_line(frame.end_line);
        names.add_column(frame.column);
        names.add_end_column(frame.end_column);
    }
}

void read_frames(Symbols& symbols, const stored::Names& names) {
    const int count = names.function_size();
    require_sound(names.file_size() == count && names.module_size() == count &&
                      names.operation_size() == count && names.line_size() == count &&
                      names.kind_size() == count && names.end_line_size() == count &&
                      names.column_size() == count && names.end_column_size() == count,
                  "the frames");
    const auto text = [&](uint32_t number) -> const std::string& {
        require_sound(number < static_cast<uint32_t>(names.texts_size()), "the name of a frame");
        return names.texts(static_cast<int>(number));
    };
    uint64_t line = 0;
    symbols.frames.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
        Frame& frame = symbols.frames.emplace_back();
        frame.function = text(names.function(i));
        frame.file = text(names.file(i));
        frame.module = text(names.module(i));
        frame.operation = text(names.operation(i));
        line += static_cast<uint64_t>(names.line(i));
        frame.line = static_cast<uint32_t>(line);
        const uint32_t kind = names.kind(i) & ~named_bit;
        require_sound(kind <= static_cast<uint32_t>(FrameKind::backward), "the kind of a frame");
        frame.kind = static_cast<FrameKind>(kind);
        frame.named = (names.kind(i) & named_bit) != 0;
        frame.end_line = names.end_line(i);
        frame.column = names.column(i);
        frame.end_column = names.end_column(i);
    }
}

void write_modules(const NamedTree& tree, stored::Names& names) {
    for (const NamedModule& module : tree.modules) {
        stored::Module& file = *names.add_modules();
        file.set_path(module.path);
        file.set_build_id(module.build_id);
        file.set_names(static_cast<uint32_t>(module.names));
        file.set_is_listed(module.is_listed);
    }
}

void read_modules(NamedTree& tree, const stored::Names& names) {
    for (const stored::Module& file : names.modules()) {
        require_sound(file.names() <= static_cast<uint32_t>(Names::lines), "the names of a module");
        tree.modules.push_back(
            {file.path(), file.build_id(), static_cast<Names>(file.names()), file.is_listed()});
    }
}

void write_places(const NamedTree& tree, stored::Tree& file) {
    for (const NamedPlace& place : tree.places) {
        file.add_frame_count(static_cast<uint32_t>(place.frames.size()));
        for (const FrameId frame : place.frames) file.add_frame(frame);
        file.add_module(place.module);
        file.add_kind(static_cast<uint32_t>(place.kind) | (place.defined ? 0 : undefined_bit));
        file.add_group(static_cast<uint32_t>(place.group));
        file.add_reason(place.reason);
    }
}

void read_places(NamedTree& tree, const stored::Tree& file, size_t frames) {
    const int count = file.frame_count_size();
    require_sound(file.module_size() == count && file.kind_size() == count &&
                      file.group_size() == count && file.reason_size() == count,
                  "the places");
    int next = 0;
    for (int i = 0; i < count; ++i) {
        NamedPlace& place = tree.places.emplace_back();
        require_sound(file.frame_count(i) <= static_cast<uint32_t>(file.frame_size() - next),
                      "the frames of a place");
        for (uint32_t left = file.frame_count(i); left > 0; --left) {
            require_sound(file.frame(next) < frames, "a frame of a place");
            place.frames.push_back(file.frame(next++));
        }
        const uint32_t kind = file.kind(i) & ~undefined_bit;
        require_sound(file.module(i) <= tree.modules.size(), "the module of a place");
        require_sound(kind <= std::numeric_limits<uint8_t>::max(), "the kind of a place");
        require_sound(file.group(i) < group_count, "the group of a place");
        require_sound(file.reason(i) <= 1u + std::numeric_limits<uint8_t>::max(),
                      "the reason of a place");
        place.module = file.module(i);
        place.kind = static_cast<NodeKind>(kind);
        place.defined = (file.kind(i) & undefined_bit) == 0;
        place.group = static_cast<Group>(file.group(i));
        place.reason = file.reason(i);
    }
    require_sound(next == file.frame_size(), "the frames of places");
}

size_t list_of(const NamedTree& tree, uint32_t parent) {
    return parent == no_stack ? 0 : size_t{tree.place_of[parent]} + 1;
}

void write_nodes(const NamedTree& tree, stored::Tree& file) {
    RecentPlaces recent(tree.places.size() + 1);
    const auto count = static_cast<int>(tree.parents.size());
    file.mutable_distance()->Reserve(count);
    file.mutable_recent()->Reserve(count);
    uint32_t last = 0;
    for (uint32_t id = 1; id < tree.parents.size(); ++id) {
        const uint32_t parent = tree.parents[id];
        file.add_distance(id - parent);
        const uint32_t index = recent.take(list_of(tree, parent), tree.place_of[id]);
        file.add_recent(index);
        if (index == RecentPlaces::count) file.add_place(tree.place_of[id]);
        if (tree.complete[id] == tree.complete[parent]) continue;
        file.add_complete(id - last);
        last = id;
    }
    last = 0;
    for (const auto& [node, forward] : tree.forwards) {
        file.add_backward(node - last);
        file.add_forward(forward);
        last = node;
    }
}

void read_nodes(NamedTree& tree, const stored::Tree& file) {
    const int count = file.distance_size();
    require_sound(file.recent_size() == count, "the call stacks");
    RecentPlaces recent(tree.places.size() + 1);
    tree.parents.reserve(static_cast<size_t>(count) + 1);
    tree.place_of.reserve(static_cast<size_t>(count) + 1);
    tree.complete.reserve(static_cast<size_t>(count) + 1);
    int place = 0, change = 0;
    uint64_t next_change = file.complete_size() == 0 ? 0 : file.complete(0);
    for (int i = 0; i < count; ++i) {
        const auto id = static_cast<uint32_t>(i) + 1;
        const uint32_t distance = file.distance(i);
        require_sound(distance >= 1 && distance <= id, "the caller of a node");
        const uint32_t parent = id - distance;
        const size_t list = list_of(tree, parent);
        const uint32_t index = file.recent(i);
        require_sound(index <= RecentPlaces::count, "the place of a node");
        uint32_t found = 0;
        if (index < RecentPlaces::count) {
            const std::optional<uint32_t> seen = recent.at(list, index);
            require_sound(seen.has_value(), "a place that was not seen yet");
            found = *seen;
        } else {
            require_sound(place < file.place_size(), "the list of places");
            found = file.place(place++);
            require_sound(found < tree.places.size(), "the number of a place");
            recent.take(list, found);
        }
        bool is_complete = tree.complete[parent];
        if (change < file.complete_size() && id == next_change) {
            is_complete = !is_complete;
            if (++change < file.complete_size()) next_change += file.complete(change);
        }
        tree.parents.push_back(parent);
        tree.place_of.push_back(found);
        tree.complete.push_back(is_complete);
    }
    require_sound(place == file.place_size() && change == file.complete_size(),
                  "the ends of call stacks");
}

void read_forwards(NamedTree& tree, const stored::Tree& file) {
    require_sound(file.backward_size() == file.forward_size(), "the backward nodes");
    uint64_t node = 0;
    for (int i = 0; i < file.backward_size(); ++i) {
        node += file.backward(i);
        const uint32_t forward = file.forward(i);
        require_sound(file.backward(i) != 0 && node < tree.parents.size(), "a backward node");
        require_sound(forward < tree.parents.size(), "the forward stack of a node");
        require_sound(!tree.places[tree.place_of[node]].frames.empty(), "an unnamed backward node");
        tree.forwards.emplace_back(static_cast<uint32_t>(node), forward);
    }
    require_sound(tree.forwards.empty() || in_order(tree).has_value(),
                  "forward stacks that lead to themselves");
}

}  // namespace

std::vector<uint32_t> write_tree(const Recording& recording, stored::Profile& file) {
    stored::Names& names = *file.mutable_names();
    write_frames(recording.symbols, names);
    for (const Problem& problem : recording.symbols.problems) {
        stored::Problem& written = *names.add_problems();
        written.set_what(problem.what);
        written.set_offset(problem.offset);
        written.set_bytes(problem.bytes);
    }
    for (const std::string& note : recording.symbols.notes) names.add_notes(note);
    TakenTree taken = take_tree(recording);
    write_modules(taken.tree, names);
    write_places(taken.tree, *file.mutable_tree());
    write_nodes(taken.tree, *file.mutable_tree());
    return std::move(taken.node_of);
}

void read_tree(Recording& recording, const stored::Profile& file) {
    const stored::Names& names = file.names();
    read_frames(recording.symbols, names);
    for (const stored::Problem& problem : names.problems()) {
        recording.symbols.problems.push_back({problem.what(), problem.offset(), problem.bytes()});
    }
    recording.symbols.notes.assign(names.notes().begin(), names.notes().end());
    NamedTree tree;
    read_modules(tree, names);
    read_places(tree, file.tree(), recording.symbols.frames.size());
    read_nodes(tree, file.tree());
    read_forwards(tree, file.tree());
    put_tree(tree, recording);
}

}  // namespace memtrace::analyzer
