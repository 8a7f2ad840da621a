// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/import_frames.h"

#include "analyzer/base/paths.h"
#include "analyzer/frames/stable_name.h"

namespace memtrace::analyzer {

namespace {

constexpr std::string_view frozen = "<frozen ";
// Folder of the extension modules that belong to Python itself.
constexpr std::string_view extensions = "lib-dynload/";

std::string before(std::string_view text, char end) {
    return std::string(text.substr(0, text.find(end)));
}

}  // namespace

bool is_import_frame(const Frame& frame) {
    return frame.kind == FrameKind::python && frame.file.starts_with("<frozen importlib");
}

bool is_module_frame(const Frame& frame) {
    return frame.kind == FrameKind::python && frame.function == "<module>";
}

std::string top_package(std::string_view path) {
    if (path.starts_with(frozen)) {
        path.remove_prefix(frozen.size());
        return before(path.substr(0, path.find('>')), '.');
    }
    if (path.starts_with('<')) return {};
    std::string_view inner = in_package(path);
    if (!inner.empty()) {
        if (inner.starts_with(extensions)) inner.remove_prefix(extensions.size());
        return before(before(inner, '/'), '.');
    }
    const std::string file = base_name(path);
    if (file != "__init__.py" && file != "__main__.py") return before(file, '.');
    if (path.size() < file.size() + 2) return {};
    return base_name(path.substr(0, path.size() - file.size() - 1));
}

bool is_in_installed_package(std::string_view path) {
    return path.find("/site-packages/") != std::string_view::npos ||
           path.find("/dist-packages/") != std::string_view::npos;
}

}  // namespace memtrace::analyzer
