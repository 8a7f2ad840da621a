// SPDX-License-Identifier: Apache-2.0
#include "analyzer/symbolise/binary_finder.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "analyzer/base/paths.h"
#include "analyzer/symbolise/debuginfod.h"

namespace memtrace::analyzer {

namespace {

constexpr std::string_view system_debug = "/usr/lib/debug";

// Opens files until one of them is the module.
class Matcher {
public:
    explicit Matcher(const std::string& build_id) : build_id_(build_id) {}

    // Opens a file that may be the module or its debug information. Returns null if it is neither.
    std::unique_ptr<ElfFile> open(const std::string& path) {
        std::unique_ptr<ElfFile> file = ElfFile::open(path);
        if (file == nullptr || build_id_.empty() || file->build_id() == build_id_) return file;
        if (other_.empty()) other_ = path;
        return nullptr;
    }

    const std::string& other() const { return other_; }

private:
    const std::string& build_id_;
    std::string other_;  // path of the first file with another build-id
};

std::string folder_of(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? std::string(".") : path.substr(0, slash);
}

// Returns the folders with the layout of /usr/lib/debug.
std::vector<std::string> debug_roots(const SymbolOptions& options) {
    std::vector<std::string> roots = options.debug_paths;
    if (!options.sysroot.empty()) roots.push_back(options.sysroot + std::string(system_debug));
    roots.emplace_back(system_debug);
    return roots;
}

std::unique_ptr<ElfFile> find_image(const ModuleInfo& module, const SymbolOptions& options,
                                    Matcher& matcher) {
    if (module.path.starts_with('/')) {
        if (auto file = matcher.open(options.sysroot + module.path)) return file;
    }
    for (const std::string& folder : options.debug_paths) {
        if (auto file = matcher.open(folder + "/" + module.path)) return file;
        if (auto file = matcher.open(folder + "/" + base_name(module.path))) return file;
    }
    return nullptr;
}

std::unique_ptr<ElfFile> find_debug(const ModuleInfo& module, const SymbolOptions& options,
                                    const ElfFile* image) {
    Matcher matcher(module.build_id);
    const std::string id = hex(module.build_id);
    const auto roots = debug_roots(options);
    for (const std::string& root : roots) {
        if (id.size() < 4) break;
        const std::string path =
            fmt::format("{}/.build-id/{}/{}.debug", root, id.substr(0, 2), id.substr(2));
        if (auto file = matcher.open(path)) return file;
    }
    // Without a build-id nothing proves that a file of that name belongs to the module.
    if (image == nullptr || id.empty()) return nullptr;
    const auto [link, checksum] = image->debug_link();
    if (link.empty() || link.find('/') != std::string::npos) return nullptr;
    const std::string folder = folder_of(image->path());
    std::vector<std::string> places{folder, folder + "/.debug"};
    for (const std::string& root : roots) {
        places.push_back(root);
        places.push_back(root + folder_of(module.path));
    }
    for (const std::string& place : places) {
        if (place + "/" + link == image->path()) continue;
        if (auto file = matcher.open(place + "/" + link)) return file;
    }
    return nullptr;
}

}  // namespace

Binary find_binary(const ModuleInfo& module, const SymbolOptions& options) {
    Binary binary;
    if (module.path.empty()) return binary;
    Matcher matcher(module.build_id);
    binary.image = find_image(module, options, matcher);
    const bool has_lines = binary.image != nullptr && (binary.image->has_section(".debug_info") ||
                                                       binary.image->has_section(".zdebug_info"));
    if (!has_lines) binary.debug = find_debug(module, options, binary.image.get());
    if (!has_lines && binary.debug == nullptr && options.debuginfod && !module.build_id.empty()) {
        const std::string path = fetch_debug_file(module.build_id);
        if (!path.empty()) binary.debug = Matcher(module.build_id).open(path);
    }
    if (binary.image == nullptr && binary.debug == nullptr) binary.rebuilt = matcher.other();
    return binary;
}

std::string note_of_missing(const std::vector<std::string>& paths) {
    constexpr size_t named_max = 5;
    std::string names;
    size_t count = 0;
    for (const std::string& path : paths) {
        const std::string name = base_name(path);
        if (name.empty() || name.starts_with('[') || name.starts_with("linux-vdso")) continue;
        if (++count <= named_max) names += (count > 1 ? ", " : "") + name;
    }
    if (count == 0) return "";
    if (count > named_max) names += fmt::format(" and {} more", count - named_max);
    return fmt::format(
        "not found here, so shown as offsets: {} (--sysroot or --debug-path says where to look)",
        names);
}

}  // namespace memtrace::analyzer
