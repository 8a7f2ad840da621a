// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/paths.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <system_error>

namespace memtrace::analyzer {

std::string base_name(std::string_view path) {
    const size_t slash = path.rfind('/');
    return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

bool is_descriptor(const std::string& path) {
    namespace fs = std::filesystem;
    constexpr int links_max = 40;
    std::error_code error;
    fs::path at = path;
    for (int i = 0; i < links_max; ++i) {
        const std::string name = at.lexically_normal().string();
        if (name.starts_with("/dev/fd/") || name.starts_with("/dev/std") ||
            name.starts_with("/proc/")) {
            return true;
        }
        const fs::path target = fs::read_symlink(at, error);
        if (error) return false;
        at = at.parent_path() / target;
    }
    return false;
}

std::string hex(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

}  // namespace memtrace::analyzer
