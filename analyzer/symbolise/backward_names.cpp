// SPDX-License-Identifier: Apache-2.0
#include "analyzer/symbolise/backward_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include <tsl/robin_map.h>

#include "analyzer/frames/frame_filter.h"
#include "analyzer/symbolise/binary_finder.h"
#include "analyzer/symbolise/demangle.h"
#include "analyzer/symbolise/elf_symbols.h"

namespace memtrace::analyzer {

namespace {

constexpr const char* vtable_prefix = "vtable for ";

// Returns the folder of PyTorch's package, if the engine is in PACKAGE/lib/libtorch_cpu.so.
// Otherwise returns the path of the library itself, the only code known to be PyTorch's own.
std::string own_folder(const StackTree& tree) {
    const auto module = tree.modules.find(tree.autograd_module);
    if (module == tree.modules.end()) return "";
    const std::string& path = module->second.path;
    const size_t name = path.rfind("/lib/");
    return name == std::string::npos || path.find('/', name + 5) != std::string::npos
               ? path
               : path.substr(0, name + 1);
}

bool is_hole(const Frame& frame) {
    return frame.kind == FrameKind::cut || frame.kind == FrameKind::gap;
}

class Namer {
public:
    Namer(const StackTree& tree, const std::vector<std::string>& operations,
          const FramesOfNode& frames_of)
        : tree_(tree), operations_(operations), frames_of_(frames_of), own_(own_folder(tree)) {}

    std::vector<Frame> run() {
        names_.resize(tree_.backwards.size());
        // A node that was made while another node ran has the higher number.
        for (size_t id = 1; id < names_.size(); ++id) {
            Frame& name = names_[id];
            name = forward_line(tree_.backwards[id].forward, id);
            name.kind = FrameKind::backward;
            name.end_line = name.column = name.end_column = 0;
            name.operation = operations_[id];
        }
        return std::move(names_);
    }

private:
    bool is_own(const Frame& frame) const {
        const std::string& file = frame.kind == FrameKind::python ? frame.file : frame.module;
        return !own_.empty() && file.starts_with(own_);
    }

    Frame forward_line(uint32_t stack, size_t id) {
        // The best frames so far, if no other is found.
        const Frame* python = nullptr;
        const Frame* native = nullptr;
        const StackNodes& nodes = tree_.nodes;
        for (; stack != no_stack && stack < nodes.size(); stack = nodes.parent(stack)) {
            const uint32_t backward = nodes.location(nodes.location_of(stack)).backward;
            if (backward != 0 && backward < id) {
                // The node was itself made in a backward pass. The first forward operation is the
                // one in the program's source.
                return names_[backward];
            }
            for (const Frame* frame : frames_of_(stack)) {
                const Kind kind = kind_of(*frame);
                if (kind == Kind::python) return *frame;
                if (kind == Kind::own_python && python == nullptr) python = frame;
                if (kind == Kind::native && native == nullptr) native = frame;
            }
        }
        return python != nullptr ? *python : native != nullptr ? *native : Frame{};
    }

    // What a frame is worth as a name; own: of PyTorch itself.
    enum class Kind : uint8_t { unknown, none, python, own_python, native };

    Kind kind_of(const Frame& frame) {
        Kind& kind = kinds_[&frame];
        if (kind != Kind::unknown) return kind;
        if (!is_interesting(frame) || is_hole(frame)) return kind = Kind::none;
        const bool is_python = frame.kind == FrameKind::python;
        if (is_own(frame)) return kind = is_python ? Kind::own_python : Kind::none;
        return kind = is_python ? Kind::python : Kind::native;
    }

    const StackTree& tree_;
    const std::vector<std::string>& operations_;
    const FramesOfNode& frames_of_;
    std::string own_;
    std::vector<Frame> names_;
    tsl::robin_map<const Frame*, Kind> kinds_;
};

}  // namespace

std::string operation_of(const std::string& vtable) {
    std::string name = vtable;
    if (name.starts_with(vtable_prefix)) name.erase(0, std::string(vtable_prefix).size());
    // Template arguments belong to the name: CppNode<my::Function>.
    const size_t end = std::min(name.find('<'), name.size());
    const size_t colon = name.rfind("::", end);
    return colon == std::string::npos || end == 0 ? name : name.substr(colon + 2);
}

std::vector<std::string> find_operations(const StackTree& tree, const SymbolOptions& options) {
    std::map<uint32_t, std::vector<uint64_t>> wanted;  // by module, sorted, unique
    for (const Backward& of : tree.backwards) wanted[of.module].push_back(of.type);
    std::map<std::pair<uint32_t, uint64_t>, std::string> found;
    for (auto& [id, types] : wanted) {
        const auto module = tree.modules.find(id);
        if (module == tree.modules.end()) continue;
        std::sort(types.begin(), types.end());
        types.erase(std::unique(types.begin(), types.end()), types.end());
        std::vector<uint64_t> addresses;
        for (const uint64_t type : types) addresses.push_back(type - module->second.bias);
        std::vector<SymbolHit> hits(types.size());
        const Binary binary = find_binary(module->second, options);
        for (const ElfFile* file : {binary.debug.get(), binary.image.get()}) {
            if (file != nullptr) find_objects(*file, addresses, hits);
        }
        for (size_t i = 0; i < types.size(); ++i) {
            if (hits[i].name.empty()) continue;
            found[{id, types[i]}] = operation_of(demangle(std::string(hits[i].name)));
        }
    }
    std::vector<std::string> operations;
    for (const Backward& backward : tree.backwards) {
        const std::string& name = found[{backward.module, backward.type}];
        operations.push_back(name.empty() ? fmt::format("node class 0x{:x}", backward.type) : name);
    }
    return operations;
}

std::vector<Frame> name_backwards(const StackTree& tree, const std::vector<std::string>& operations,
                                  const FramesOfNode& frames_of) {
    return Namer(tree, operations, frames_of).run();
}

}  // namespace memtrace::analyzer
