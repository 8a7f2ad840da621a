// SPDX-License-Identifier: Apache-2.0
//
// Locations are grouped by module and their addresses are sorted, so each file is opened once and
// its tables are read from front to back.
#include "analyzer/symbolise/symbolise.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analyzer/base/enum_names.h"
#include "analyzer/base/paths.h"
#include "analyzer/base/units.h"
#include "analyzer/frames/frame_filter.h"
#include "analyzer/frames/interpreter_frames.h"
#include "analyzer/frames/start_functions.h"
#include "analyzer/model/known_modules.h"
#include "analyzer/symbolise/backward_names.h"
#include "analyzer/symbolise/binary_finder.h"
#include "analyzer/symbolise/debuginfod.h"
#include "analyzer/symbolise/demangle.h"
#include "analyzer/symbolise/dwarf_lines.h"
#include "analyzer/symbolise/elf_symbols.h"
#include "analyzer/symbolise/frame_list.h"
#include "analyzer/symbolise/python_names.h"
#include "analyzer/symbolise/thread_root.h"
#include "analyzer/symbolise/used_nodes.h"

namespace memtrace::analyzer {
namespace {

struct Wanted {
    uint64_t address;
    uint32_t location;
    auto operator<=>(const Wanted&) const = default;
};

// Returns the address by which a location is looked up. A return address is one past its call.
uint64_t lookup_address(const Location& location, const ModuleInfo& module) {
    return location.address - module.bias - (location.kind == NodeKind::entry ? 0 : 1);
}

class Symboliser {
public:
    Symboliser(const StackTree& tree, UsedNodes used, const SymbolOptions& options,
               const Progress& progress)
        : tree_(tree),
          nodes_(tree.nodes),
          options_(options),
          progress_(progress),
          used_(std::move(used)),
          frames_(symbols_.frames),
          starts_(nodes_.location_count()),
          follows_entry_(nodes_.location_count()) {
        symbols_.nodes = nodes_;
        symbols_.ranges.resize(nodes_.location_count());
    }

    Symbols run() {
        if (options_.debuginfod) {
            const std::string obstacle = debuginfod_obstacle();
            if (!obstacle.empty()) symbols_.notes.push_back(obstacle);
            options_.debuginfod = obstacle.empty();
        }
        name_python();
        if (!options_.folded_lines) find_folded();
        group_by_module();
        uint64_t done = 0;
        for (auto& [id, addresses] : wanted_) {
            name_module(id, addresses);
            if (progress_) progress_(++done, wanted_.size());
        }
        note_unknown_python();
        name_special_locations();
        name_backwards_of_tree();
        find_complete();
        note_missing();
        note_too_long();
        return std::move(symbols_);
    }

private:
    // Finds the locations of the interpreter and of plumbing that occur only in stacks with
    // interesting Python functions.
    void find_folded() {
        std::vector<uint8_t> is_function(nodes_.location_count());
        for_each_used([&](uint32_t number, const Location& location) {
            if (!is_python(location)) return;
            const Frame& frame = symbols_.frames[python_.at(location.address)];
            is_function[number] = !is_interpreter_frame(frame) && is_interesting(frame);
        });
        folded_ = used_.only_with(is_function);
        std::unordered_set<uint32_t> dull;
        for (const auto& [id, module] : tree_.modules) {
            if (is_interpreter_module(module.path) || is_plumbing_module(module.path))
                dull.insert(id);
        }
        for_each_used([&](uint32_t number, const Location& location) {
            if (module_of(location) == nullptr || !dull.contains(location.module))
                folded_[number] = 0;
        });
    }

    template <class Visit>
    void for_each_used(Visit&& visit) const {
        for (uint32_t number = 0; number < nodes_.location_count(); ++number) {
            if (used_.has_location(number)) visit(number, nodes_.location(number));
        }
    }

    void group_by_module() {
        for_each_used([this](uint32_t number, const Location& location) {
            const ModuleInfo* module = module_of(location);
            if (module == nullptr) return;
            wanted_[location.module].push_back({lookup_address(location, *module), number});
        });
        for (auto& [id, wanted] : wanted_) std::sort(wanted.begin(), wanted.end());
    }

    const ModuleInfo* module_of(const Location& location) const {
        const bool code = location.kind == NodeKind::native || location.kind == NodeKind::entry ||
                          location.kind == NodeKind::guessed;
        if (!location.defined || location.group != Group::none || location.backward != 0 || !code) {
            return nullptr;
        }
        const auto found = tree_.modules.find(location.module);
        return found == tree_.modules.end() ? nullptr : &found->second;
    }

    void name_module(uint32_t id, const std::vector<Wanted>& wanted) {
        const ModuleInfo& module = tree_.modules.at(id);
        std::vector<uint64_t> addresses;
        std::vector<uint64_t> placed;  // those whose source lines are wanted
        for (const Wanted& location : wanted) {
            if (addresses.empty() || addresses.back() != location.address) {
                addresses.push_back(location.address);
            }
            if (!folded_.empty() && folded_[location.location]) continue;
            if (placed.empty() || placed.back() != location.address) {
                placed.push_back(location.address);
            }
        }
        const Binary binary = find_binary(module, options_);
        std::vector<SymbolHit> hits(addresses.size());
        std::vector<std::vector<SourceFrame>> lines(placed.size());
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
            if (known != Names::lines && find_lines(*file, placed, lines)) known = Names::lines;
        }
        symbols_.modules[id] = known;
        std::optional<ThreadRootFinder> starts;
        if (binary.image != nullptr) starts.emplace(*binary.image);
        const bool begins_greenlets = is_greenlet_module(module.path);
        static const std::vector<SourceFrame> no_lines;
        size_t i = 0, at_line = 0;  // indexes into addresses and placed
        FrameRange range;
        for (size_t at = 0; at < wanted.size(); ++at) {
            const auto [address, location] = wanted[at];
            const bool is_new = at == 0 || address != wanted[at - 1].address;
            if (is_new) {
                if (at != 0) ++i;
                const bool has_lines = at_line < placed.size() && placed[at_line] == address;
                range = put(
                    frames_at(module, address, hits[i], has_lines ? lines[at_line++] : no_lines));
            }
            symbols_.ranges[location] = range;
            if (used_.is_second(location)) follows_entry_[location] = follows_entry(hits[i].name);
            if (!used_.is_outermost(location)) continue;
            starts_[location] = begins_greenlets || is_start_function(hits[i].name) ||
                                (starts && starts->is_start(address));
        }
    }

    FrameRange put(const std::vector<FrameId>& frames) {
        const auto begin = static_cast<uint32_t>(symbols_.of_locations.size());
        symbols_.of_locations.insert(symbols_.of_locations.end(), frames.begin(), frames.end());
        return {begin, static_cast<uint32_t>(frames.size())};
    }

    std::vector<FrameId> frames_at(const ModuleInfo& module, uint64_t address, const SymbolHit& hit,
                                   const std::vector<SourceFrame>& lines) {
        std::vector<FrameId> frames;
        for (const SourceFrame& source : lines) {
            Frame frame;
            frame.kind = source.inlined ? FrameKind::inlined : FrameKind::native;
            frame.function = source.mangled ? readable_kept(source.function) : source.function;
            // The linker's name is better if there is one: it has the parameters, and of the names
            // of one function (__GI___strdup, strdup) it is the one that the program calls.
            const bool is_mangled = source.mangled && is_mangled_name(source.function);
            if (!source.inlined && !is_mangled && !hit.name.empty()) {
                frame.function = readable_kept(std::string(hit.name));
            }
            frame.file = source.file;
            frame.line = source.line;
            frame.module = module.path;
            frame.named = !frame.function.empty();
            if (!frame.named) frame.function = offset_name(module, address);
            frames.push_back(frames_.add(std::move(frame)));
        }
        const bool has_function = !lines.empty() && !lines.back().inlined;
        if (has_function) return frames;
        // Addresses are sorted, so those of one function come one after another.
        const bool is_again = lines.empty() && !hit.name.empty() && hit.name == last_.name &&
                              module.path == last_.module;
        if (is_again) return {last_.frame};
        Frame frame;
        frame.module = module.path;
        frame.named = !hit.name.empty();
        frame.function = frame.named ? readable(hit.name) : offset_name(module, address);
        frames.push_back(frames_.add(std::move(frame)));
        if (lines.empty()) last_ = {std::string(hit.name), module.path, frames.back()};
        return frames;
    }

    void name_python() {
        std::vector<uint64_t> addresses;
        for_each_used([&](uint32_t, const Location& location) {
            if (is_python(location)) addresses.push_back(location.address);
        });
        unknown_python_ =
            name_python_frames(tree_, std::move(addresses), [this](uint64_t address, Frame frame) {
                python_[address] = frames_.add(std::move(frame));
            });
    }

    void note_unknown_python() {
        if (unknown_python_ == 0) return;
        symbols_.notes.push_back(
            fmt::format("{} of Python {} in stacks and not in the dump: shown as a number",
                        counted(unknown_python_, "function"), unknown_python_ == 1 ? "is" : "are"));
    }

    void name_backwards_of_tree() {
        backwards_.resize(tree_.backwards.size());
        if (backwards_.size() < 2) return;
        const auto frames_of = [this](uint32_t node) {
            std::vector<const Frame*> frames;
            for (const FrameId id : symbols_.frames_of(node))
                frames.push_back(&symbols_.frames[id]);
            return frames;
        };
        std::vector<Frame> names =
            name_backwards(tree_, find_operations(tree_, options_), frames_of);
        for (size_t id = 1; id < names.size(); ++id)
            backwards_[id] = frames_.add(std::move(names[id]));
        std::vector<uint8_t> is_backward(nodes_.location_count());
        for_each_used([&](uint32_t number, const Location& location) {
            if (location.backward == 0) return;
            is_backward[number] = true;
            symbols_.ranges[number] = put({backwards_[location.backward]});
        });
        for (uint32_t node = 1; node < nodes_.size(); ++node) {
            const uint32_t location = nodes_.location_of(node);
            if (!is_backward[location] || !used_.has(node)) continue;
            symbols_.forwards[node] = tree_.backwards[nodes_.location(location).backward].forward;
        }
    }

    void note_too_long() {
        if (too_long_.empty()) return;
        const bool is_one = too_long_.size() == 1;
        symbols_.notes.push_back(fmt::format(
            "{} too long to be written out: shown as the linker has {}",
            is_one ? "the name of a function is"
                   : fmt::format("the names of {} are", counted(too_long_.size(), "function")),
            is_one ? "it" : "them"));
    }

    std::string offset_name(const ModuleInfo& module, uint64_t address) const {
        const std::string name = base_name(module.path);
        return fmt::format("{}+0x{:x}", name.empty() ? "[no file]" : name, address);
    }

    std::string readable(std::string_view mangled) {
        bool is_too_long = false;
        std::string name = demangle(std::string(mangled), &is_too_long);
        if (is_too_long) too_long_.emplace(mangled);
        return name;
    }

    // Keeps the name. What is inlined is so in many places, but the addresses of a function without
    // debug information come one after another.
    const std::string& readable_kept(const std::string& mangled) {
        auto [entry, is_new] = readable_.try_emplace(mangled);
        if (is_new) entry->second = readable(mangled);
        return entry->second;
    }

    static bool is_python(const Location& location) {
        return location.defined && location.kind == NodeKind::python &&
               location.group == Group::none && location.backward == 0;
    }

    // Names the locations that are not addresses in a module, except backward nodes.
    void name_special_locations() {
        for_each_used([this](uint32_t number, const Location& location) {
            if (location.backward != 0 || module_of(location) != nullptr) return;
            symbols_.ranges[number] = put({special_frame(location)});
        });
    }

    // Returns the only frame of a location that is not an address in a module.
    FrameId special_frame(const Location& node) {
        Frame frame;
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
        return frames_.add(std::move(frame));
    }

    // A stack is complete if its outermost frame is the start of a thread. The entry of a program
    // whose names are missing is known by what it calls.
    void find_complete() {
        std::vector<bool>& complete = symbols_.complete;
        complete.assign(nodes_.size(), false);
        for (uint32_t id = 1; id < nodes_.size(); ++id) {  // callers first
            const uint32_t parent = nodes_.parent(id);
            if (parent != no_stack && complete[parent]) {  // as most are
                if (used_.has(id)) complete[id] = true;
                continue;
            }
            if (!used_.has(id)) continue;
            const uint32_t location = nodes_.location_of(id);
            complete[id] = parent == no_stack
                               ? starts_[location] || nodes_.location(location).group != Group::none
                               : nodes_.parent(parent) == no_stack && follows_entry_[location];
        }
    }

    void note_missing() {
        std::vector<std::string> missing;
        for (const auto& [id, known] : symbols_.modules) {
            if (known == Names::none) missing.push_back(tree_.modules.at(id).path);
        }
        const std::string note = note_of_missing(missing);
        if (!note.empty()) symbols_.notes.push_back(note);
    }

    const StackTree& tree_;
    const StackNodes& nodes_;
    SymbolOptions options_;
    const Progress& progress_;
    Symbols symbols_;
    UsedNodes used_;
    FrameList frames_;
    std::vector<uint8_t> starts_;  // by location: it is the outermost one, and starts a thread
    std::vector<uint8_t> follows_entry_;  // by location: only the entry of a program calls it
    std::vector<uint8_t> folded_;         // by location: its lines are not wanted; empty: all are
    std::map<uint32_t, std::vector<Wanted>> wanted_;  // by module, sorted
    uint64_t unknown_python_ = 0;                     // code objects that are not in the dump
    std::unordered_map<uint64_t, FrameId> python_;    // by address
    std::vector<FrameId> backwards_;                  // by StackTree::backwards
    struct {
        std::string name, module;
        FrameId frame = 0;
    } last_;                                                 // the last function without lines
    std::unordered_map<std::string, std::string> readable_;  // of readable_kept()
    std::unordered_set<std::string> too_long_;               // names that are shown mangled
};

}  // namespace

Symbols symbolise(const Model& model, const SymbolOptions& options, const Progress& progress) {
    return Symboliser(model.stacks, UsedNodes(model), options, progress).run();
}

Symbols symbolise(const StackTree& tree, std::vector<uint8_t> stacks,
                  const SymbolOptions& options) {
    return Symboliser(tree, UsedNodes(tree.nodes, std::move(stacks)), options, {}).run();
}

}  // namespace memtrace::analyzer
