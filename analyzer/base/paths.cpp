// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/paths.h"

#include <fmt/format.h>

#include <iterator>

namespace memtrace::analyzer {

std::string base_name(std::string_view path) {
    const size_t slash = path.rfind('/');
    return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string hex(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

}  // namespace memtrace::analyzer
