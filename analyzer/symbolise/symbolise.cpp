// SPDX-License-Identifier: Apache-2.0
//
// Nodes are grouped by module and their addresses are sorted, so each file is opened once and its
// tables are read from front to back.
#include "analyzer/symbolise/symbolise.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>

#include "analyzer/base/enum_names.h"
#include "analyzer/base/paths.h"
#include "analyzer/base/units.h"
#include "analyzer/frames/start_functions.h"
#include "analyzer/symbolise/backward_names.h"
#include "analyzer/symbolise/binary_finder.h"
#include "analyzer/symbolise/debuginfod.h"
#include "analyzer/symbolise/demangle.h"
#include "analyzer/symbolise/dwarf_lines.h"
#include "analyzer/symbolise/elf_symbols.h"
#include "analyzer/symbolise/python_names.h"
#include "analyzer/symbolise/thread_root.h"

namespace memtrace::analyzer {

namespace {

struct FrameHash {
    size_t operator()(const Frame& frame) const {
        const std::hash<std::string> hash;
        return hash(frame.function) * 31 + hash(frame.file) * 17 + hash(frame.module) * 7 +
               hash(frame.operation) * 11 + frame.line * 3 + frame.column * 5 +
               static_cast<size_t>(frame.kind);
    }
};

// The result for one address of a module.
struct Place {
    std::vector<FrameId> frames;
    bool is_start = false;
};

// Returns the address by which a node is looked up. A return address is one past its call.
uint64_t lookup_address(const StackNode& node, const ModuleInfo& module) {
    return node.address - module.bias - (node.kind == NodeKind::entry ? 0 : 1);
}

class Symboliser {
public:
    Symboliser(const Model& model, const SymbolOptions& options, const Progress& progress)
        : model_(model), tree_(model.stacks), options_(options), progress_(progress) {}

    Symbols run() {
        if (options_.debuginfod) {
            const std::string obstacle = debuginfod_obstacle();
            if (!obstacle.empty()) symbols_.notes.push_back(obstacle);
            options_.debuginfod = obstacle.empty();
        }
        mark_used();
        group_by_module();
        uint64_t done = 0;
        for (auto& [id, addresses] : wanted_) {
            name_module(id, addresses);
            if (progress_) progress_(++done, wanted_.size());
        }
        name_python();
        name_backwards_of_tree();
        fill_nodes();
        find_complete();
        note_missing();
        return std::move(symbols_);
    }

private:
    // Marks the nodes that occur in stacks of sites, and finds their parents. Cycles in damaged
    // dumps are cut.
    void mark_used() {
        enum : uint8_t { unseen, on_path, done };
        std::vector<uint8_t> state(tree_.nodes.size(), unseen);
        symbols_.parents.assign(tree_.nodes.size(), no_stack);
        std::vector<uint32_t> path;
        const auto mark = [&](uint32_t id) {
            for (path.clear(); id != no_stack && id < state.size() && state[id] == unseen;) {
                state[id] = on_path;
                path.push_back(id);
                id = tree_.nodes[id].parent;
            }
            const bool cycle = id < state.size() && state[id] == on_path;
            for (const uint32_t node : path) {
                const uint32_t parent = tree_.nodes[node].parent;
                if (parent < state.size()) symbols_.parents[node] = parent;
                state[node] = done;
            }
            if (cycle && !path.empty()) symbols_.parents[path.back()] = no_stack;
            used_.insert(used_.end(), path.rbegin(), path.rend());  // Callers first.
        };
        for (const Space& space : model_.spaces) {
            for (const Site& site : space.sites) mark(site.stack);
        }
        for (const GpuRefusal& refusal : model_.gpu.refusals) mark(refusal.stack);
    }

    void group_by_module() {
        for (const uint32_t id : used_) {
            const StackNode& node = tree_.nodes[id];
            const ModuleInfo* module = module_of(node);
            if (module == nullptr) continue;
            const uint64_t address = lookup_address(node, *module);
            wanted_[node.module].push_back(address);
            if (symbols_.parents[id] == no_stack) outermost_[node.module].insert(address);
        }
        for (auto& [id, addresses] : wanted_) {
            std::sort(addresses.begin(), addresses.end());
            addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
        }
    }

    const ModuleInfo* module_of(const StackNode& node) const {
        const bool code = node.kind == NodeKind::native || node.kind == NodeKind::entry ||
                          node.kind == NodeKind::guessed;
        if (!node.defined || node.group != Group::none || !code) return nullptr;
        const auto found = tree_.modules.find(node.module);
        return found == tree_.modules.end() ? nullptr : &found->second;
    }

    void name_module(uint32_t id, const std::vector<uint64_t>& addresses) {
        const ModuleInfo& module = tree_.modules.at(id);
        const Binary binary = find_binary(module, options_);
        std::vector<SymbolHit> hits(addresses.size());
        std::vector<std::vector<SourceFrame>> lines(addresses.size());
        Names known = Names::none;
        if (!binary.rebuilt.empty()) {
            known = Names::rebuilt;
            symbols_.problems.push_back(
                {fmt::format("{} was rebuilt since the recording: its names would be wrong, so its "
                             "frames are shown as offsets",
                             binary.rebuilt),
                 0, 0});
        }
        for (const ElfFile* file : {binary.debug.get(), binary.image.get()}) {
            if (file == nullptr) continue;
            find_symbols(*file, addresses, hits);
            known = std::max(known, Names::symbols);
            if (known != Names::lines && find_lines(*file, addresses, lines)) known = Names::lines;
        }
        symbols_.modules[id] = known;
        std::optional<ThreadRootFinder> starts;
        if (binary.image != nullptr) starts.emplace(*binary.image);
        std::vector<Place>& places = places_[id];
        places.resize(addresses.size());
        for (size_t i = 0; i < addresses.size(); ++i) {
            places[i] = make_place(module, addresses[i], hits[i], lines[i]);
            if (!outermost_[id].contains(addresses[i])) continue;
            places[i].is_start =
                is_start_function(hits[i].name) || (starts && starts->is_start(addresses[i]));
        }
    }

    Place make_place(const ModuleInfo& module, uint64_t address, const SymbolHit& hit,
                     const std::vector<SourceFrame>& lines) {
        Place place;
        for (const SourceFrame& source : lines) {
            Frame frame;
            frame.kind = source.inlined ? FrameKind::inlined : FrameKind::native;
            frame.function = source.mangled ? readable(source.function) : source.function;
            // The linker's name is better if there is one, because it has the parameters.
            if (!source.inlined && !source.mangled && !hit.name.empty()) {
                frame.function = readable(hit.name);
            }
            frame.file = source.file;
            frame.line = source.line;
            frame.module = module.path;
            frame.named = !frame.function.empty();
            if (!frame.named) frame.function = offset_name(module, address);
            place.frames.push_back(intern(std::move(frame)));
        }
        const bool has_function = !lines.empty() && !lines.back().inlined;
        if (has_function) return place;
        Frame frame;
        frame.module = module.path;
        frame.named = !hit.name.empty();
        frame.function = frame.named ? readable(hit.name) : offset_name(module, address);
        place.frames.push_back(intern(std::move(frame)));
        return place;
    }

    void name_python() {
        std::vector<uint64_t> addresses;
        for (const uint32_t id : used_) {
            const StackNode& node = tree_.nodes[id];
            if (node.defined && node.kind == NodeKind::python) addresses.push_back(node.address);
        }
        const uint64_t unknown = name_python_frames(
            tree_, std::move(addresses),
            [this](uint64_t address, Frame frame) { python_[address] = intern(std::move(frame)); });
        if (unknown == 0) return;
        symbols_.notes.push_back(
            fmt::format("{} of Python {} in stacks and not in the dump: shown as a number",
                        counted(unknown, "function"), unknown == 1 ? "is" : "are"));
    }

    std::vector<Frame> frames_at(uint32_t id) {
        const StackNode& node = tree_.nodes[id];
        const Place* place = place_of(node);
        if (place == nullptr) return {symbols_.frames[special_frame(node)]};
        std::vector<Frame> frames;
        for (const FrameId frame : place->frames) frames.push_back(symbols_.frames[frame]);
        return frames;
    }

    void name_backwards_of_tree() {
        backwards_.resize(tree_.backwards.size());
        if (backwards_.size() < 2) return;
        std::vector<Frame> names = name_backwards(tree_, find_operations(tree_, options_),
                                                  [this](uint32_t id) { return frames_at(id); });
        for (size_t id = 1; id < names.size(); ++id) backwards_[id] = intern(std::move(names[id]));
    }

    std::string offset_name(const ModuleInfo& module, uint64_t address) const {
        const std::string name = base_name(module.path);
        return fmt::format("{}+0x{:x}", name.empty() ? "[no file]" : name, address);
    }

    const std::string& readable(const std::string& mangled) {
        auto [entry, is_new] = readable_.try_emplace(mangled);
        if (is_new) entry->second = demangle(mangled);
        return entry->second;
    }

    FrameId intern(Frame frame) {
        const FrameId next = static_cast<FrameId>(symbols_.frames.size());
        auto [entry, is_new] = frame_ids_.try_emplace(frame, next);
        if (is_new) symbols_.frames.push_back(std::move(frame));
        return entry->second;
    }

    // Returns the only frame of a node that is not an address in a module.
    FrameId special_frame(const StackNode& node) {
        Frame frame;
        if (node.backward != 0) return backwards_[node.backward];
        if (node.group != Group::none) {
            frame.kind = FrameKind::group;
            frame.named = true;
            frame.function = name_of(node.group);
        } else if (!node.defined) {
            frame.kind = FrameKind::cut;
            frame.function = "[stack lost: its definition is missing in the dump]";
        } else if (node.kind == NodeKind::truncated) {
            frame.kind = FrameKind::cut;
            frame.function =
                fmt::format("[stack cut: {}]", reason_of(static_cast<Cut>(node.address)));
        } else if (node.kind == NodeKind::python) {
            return python_.at(node.address);
        } else {
            frame.function = fmt::format("0x{:x}", node.address);
        }
        return intern(std::move(frame));
    }

    const Place* place_of(const StackNode& node) const {
        const ModuleInfo* module = module_of(node);
        if (module == nullptr) return nullptr;
        const std::vector<uint64_t>& addresses = wanted_.at(node.module);
        const auto at =
            std::lower_bound(addresses.begin(), addresses.end(), lookup_address(node, *module));
        return &places_.at(node.module)[at - addresses.begin()];
    }

    void fill_nodes() {
        std::vector<bool> used(tree_.nodes.size());
        for (const uint32_t id : used_) used[id] = true;
        for (uint32_t id = 0; id < tree_.nodes.size(); ++id) {
            symbols_.first.push_back(static_cast<uint32_t>(symbols_.of_nodes.size()));
            if (!used[id]) continue;
            if (const Place* place = place_of(tree_.nodes[id]); place != nullptr) {
                symbols_.of_nodes.insert(symbols_.of_nodes.end(), place->frames.begin(),
                                         place->frames.end());
            } else {
                symbols_.of_nodes.push_back(special_frame(tree_.nodes[id]));
            }
            if (const uint32_t backward = tree_.nodes[id].backward; backward != 0) {
                symbols_.forwards[id] = tree_.backwards[backward].forward;
            }
        }
        symbols_.first.push_back(static_cast<uint32_t>(symbols_.of_nodes.size()));
    }

    // A stack is complete if its outermost frame is the start of a thread.
    void find_complete() {
        symbols_.complete.assign(tree_.nodes.size(), false);
        for (const uint32_t id : used_) {
            const uint32_t parent = symbols_.parents[id];
            const Place* place = parent == no_stack ? place_of(tree_.nodes[id]) : nullptr;
            const bool is_start =
                (place != nullptr && place->is_start) || tree_.nodes[id].group != Group::none;
            symbols_.complete[id] = parent != no_stack ? symbols_.complete[parent] : is_start;
        }
    }

    void note_missing() {
        std::string names;
        size_t count = 0;
        for (const auto& [id, known] : symbols_.modules) {
            const std::string name = base_name(tree_.modules.at(id).path);
            if (known != Names::none || name.empty() || name.starts_with('[') ||
                name.starts_with("linux-vdso")) {
                continue;
            }
            if (++count <= 5) names += (count > 1 ? ", " : "") + name;
        }
        if (count == 0) return;
        if (count > 5) names += fmt::format(" and {} more", count - 5);
        symbols_.notes.push_back(fmt::format(
            "not found here, so shown as offsets: {} (--sysroot or --debug-path says where to "
            "look)",
            names));
    }

    const Model& model_;
    const StackTree& tree_;
    SymbolOptions options_;
    const Progress& progress_;
    Symbols symbols_;
    std::vector<uint32_t> used_;
    std::map<uint32_t, std::vector<uint64_t>> wanted_;  // by module, sorted, unique
    std::map<uint32_t, std::set<uint64_t>> outermost_;  // addresses of roots
    std::map<uint32_t, std::vector<Place>> places_;     // by module, parallel to wanted_
    std::unordered_map<uint64_t, FrameId> python_;      // by address
    std::vector<FrameId> backwards_;                    // by StackTree::backwards
    std::unordered_map<Frame, FrameId, FrameHash> frame_ids_;
    std::unordered_map<std::string, std::string> readable_;
};

}  // namespace

Symbols symbolise(const Model& model, const SymbolOptions& options, const Progress& progress) {
    return Symboliser(model, options, progress).run();
}

}  // namespace memtrace::analyzer
