// SPDX-License-Identifier: Apache-2.0
#include "analyzer/symbolise/demangle.h"

#include <cxxabi.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "analyzer/symbolise/demangle_rust.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t length_max = 1 << 16;  // The demangler is slow on longer names.

}  // namespace

std::string demangle(const std::string& name) {
    if (name.size() > length_max) return name;
    if (name.starts_with("_R")) return demangle_rust(name);
    if (!name.starts_with("_Z") && !name.starts_with("___Z")) return name;
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string readable = status == 0 && text != nullptr ? text : name;
    std::free(text);
    return is_old_rust(readable) ? clean_old_rust(readable) : readable;
}

}  // namespace memtrace::analyzer
