// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/user_code.h"

#include <algorithm>
#include <array>
#include <optional>

#include "analyzer/base/wildcards.h"
#include "analyzer/frames/distribution_files.h"
#include "analyzer/frames/frame_filter.h"
#include "analyzer/frames/interpreter_frames.h"
#include "analyzer/frames/stable_name.h"

namespace memtrace::analyzer {

namespace {

// Copies of other projects have folders with these names in many projects.
bool is_vendored(std::string_view path) {
    static constexpr auto folders = std::to_array<std::string_view>(
        {"/_vendor/", "/_vendored/", "/third_party/", "/thirdparty/"});
    return std::any_of(folders.begin(), folders.end(), [&](std::string_view folder) {
        return path.find(folder) != std::string_view::npos ||
               path.starts_with(folder.substr(1));  // relative to where the compiler ran
    });
}

// Libraries that pip put into a folder of the user's choice have a list beside them.
bool is_installed(std::string_view path) {
    if (!in_package(path).empty() || is_of_distribution(path)) return true;
    static constexpr auto folders = std::to_array<std::string_view>(
        {"/usr/lib", "/usr/local/lib", "/lib/", "/lib64/", "/lib32/", "/nix/store/", "/snap/"});
    return is_vendored(path) ||
           std::any_of(folders.begin(), folders.end(),
                       [&](std::string_view folder) { return path.starts_with(folder); });
}

// True if a library wrote this source of Python: a compiler into files that it keeps
// (TorchInductor, Triton, TensorFlow's AutoGraph), others into no file at all (SQLAlchemy, attrs,
// torch.fx). Code of the user that lies in no file has a name that Python or IPython gave it.
bool is_generated(std::string_view file) {
    if (file.starts_with('<')) return !is_typed(file) && !file.starts_with("<string>");
    static constexpr auto parts = std::to_array<std::string_view>(
        {"/torchinductor_", "/torchinductor/", "/.triton/", "/__autograph_generated_file"});
    return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
        return file.find(part) != std::string_view::npos;
    });
}

// True if the location of the frame's file is not one of installed files.
bool is_not_installed(const Frame& frame) {
    if (frame.kind == FrameKind::python || frame.kind == FrameKind::backward) {
        return !frame.file.empty() && !is_generated(frame.file) && !is_installed(frame.file) &&
               !is_interpreter_frame(frame);
    }
    // Sources of others may be compiled into the program.
    return !frame.module.empty() && !is_installed(frame.module) &&
           !is_interpreter_module(frame.module) && !is_vendored(frame.file);
}

// Returns the length of the longest pattern that matches the file or the module, or 0.
size_t longest_fit(const std::vector<std::string>& patterns, const Frame& frame) {
    size_t longest = 0;
    for (const std::string& pattern : patterns) {
        if (pattern.size() <= longest) continue;
        if (matches_path(pattern, frame.file) || matches_path(pattern, frame.module)) {
            longest = pattern.size();
        }
    }
    return longest;
}

// Returns the answer of the configuration, or nothing if no pattern matches.
std::optional<bool> told(const Frame& frame, const CodePatterns& patterns) {
    const size_t own = longest_fit(patterns.own, frame);
    const size_t library = longest_fit(patterns.libraries, frame);
    if (own == 0 && library == 0) return std::nullopt;
    return own >= library;
}

}  // namespace

bool is_foreign_source(std::string_view file) {
    if (file.starts_with('<')) return !is_typed(file);
    static constexpr auto folders = std::to_array<std::string_view>(
        {"/usr/include/", "/usr/local/include/", "/rustc/", "/rust/deps/", "/nix/store/"});
    static constexpr auto parts =
        std::to_array<std::string_view>({"/include/c++/", "/.cargo/registry/", "/.cargo/git/",
                                         "/vcpkg_installed/", "/.conan/", "/.conan2/"});
    const auto begins = [&](std::string_view folder) { return file.starts_with(folder); };
    const auto contains = [&](std::string_view part) { return file.find(part) != file.npos; };
    return std::ranges::any_of(folders, begins) || std::ranges::any_of(parts, contains) ||
           !in_package(file).empty();
}

bool is_typed(std::string_view file) {
    static constexpr auto names =
        std::to_array<std::string_view>({"<stdin>", "<console>", "<ipython-input", "<doctest "});
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return file.starts_with(name); });
}

bool matches_path(std::string_view pattern, std::string_view path) {
    while (pattern.ends_with('/')) pattern.remove_suffix(1);
    if (pattern.empty() || path.empty()) return false;
    // "<string>" and the like are not files, and no pattern of files means them.
    if (path.starts_with('<')) return pattern == path;
    const std::string whole(pattern), inside = whole + "/*";
    if (matches_wildcards(whole, path) || matches_wildcards(inside, path)) return true;
    if (pattern.starts_with('/')) return false;
    return matches_wildcards("*/" + whole, path) || matches_wildcards("*/" + inside, path);
}

bool is_user_code(const Frame& frame, const CodePatterns& patterns) {
    // malloc is never own code, whatever the configuration contains.
    return is_interesting(frame) && is_user_code_if_interesting(frame, patterns);
}

bool is_user_code_if_interesting(const Frame& frame, const CodePatterns& patterns) {
    switch (frame.kind) {
        case FrameKind::cut:
        case FrameKind::gap:
        case FrameKind::group: return false;
        case FrameKind::python:
        case FrameKind::backward:
        case FrameKind::native:
        case FrameKind::inlined: break;
    }
    return told(frame, patterns).value_or(is_not_installed(frame));
}

}  // namespace memtrace::analyzer
