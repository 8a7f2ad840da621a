// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/stable_name.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "analyzer/base/paths.h"
#include "analyzer/frames/interpreter_frames.h"
#include "analyzer/frames/short_name.h"

namespace memtrace::analyzer {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// Suffixes that compilers append to the name when they make a second version of a function.
constexpr auto clone_suffixes = std::to_array<std::string_view>(
    {".isra.", ".constprop.", ".part.", ".cold", ".lto_priv.", ".llvm.", ".localalias", ".clone.",
     "._omp_fn.", ".resume", ".destroy", ".cleanup"});

void cut_clone_suffix(std::string& name) {
    if (const size_t at = name.find(" [clone "); at != std::string::npos) name.resize(at);
    size_t first = std::string::npos;
    for (const std::string_view suffix : clone_suffixes) {
        first = std::min(first, name.find(suffix));
    }
    // A name that consists of a suffix alone stays.
    if (first != std::string::npos && first != 0) name.resize(first);
}

// Removes counters and addresses: "{lambda#2}" -> "{lambda}", "$_3" -> "$_", "at 0x7f12" -> "at".
std::string without_numbers(const std::string& name) {
    std::string result;
    for (size_t i = 0; i < name.size();) {
        const std::string_view rest = std::string_view(name).substr(i);
        const auto skip = [&](size_t prefix, auto is_part) {
            size_t end = i + prefix;
            while (end < name.size() && is_part(name[end])) ++end;
            return end;
        };
        const bool hash = rest[0] == '#' && rest.size() > 1 && is_digit(rest[1]);
        const bool address = rest.starts_with("0x") && rest.size() > 2 && is_hex(rest[2]);
        if (hash) {
            i = skip(1, is_digit);
        } else if (address) {
            i = skip(2, is_hex);
        } else if (rest.starts_with("$_")) {
            result += "$_";
            i = skip(2, is_digit);
        } else {
            result += name[i++];
        }
    }
    return result;
}

// Removes the hash that Python wheels add to the names of their libraries:
// libgomp-a34b3233.so.1.0.0.
std::string without_wheel_hash(const std::string& name) {
    static constexpr size_t digits = 8;
    for (size_t at = name.find('-'); at != std::string::npos; at = name.find('-', at + 1)) {
        const size_t end = at + 1 + digits;
        if (end >= name.size() || name[end] != '.') continue;
        const bool hash = std::all_of(name.begin() + static_cast<ptrdiff_t>(at) + 1,
                                      name.begin() + static_cast<ptrdiff_t>(end), is_hex);
        if (hash) return name.substr(0, at) + name.substr(end);
    }
    return name;
}

}  // namespace

std::string stable_function(const std::string& name) {
    std::string text = name;
    cut_clone_suffix(text);
    return without_numbers(shorten(text));
}

std::string stable_module(std::string_view path) {
    std::string name = without_wheel_hash(base_name(path));
    for (const std::string_view tag : {".cpython-", ".abi3.", ".pypy"}) {
        if (const size_t at = name.find(tag); at != std::string::npos) return name.substr(0, at);
    }
    const size_t library = name.find(".so");
    if (library == std::string::npos) {
        return is_interpreter_module(path) ? "python" : name;
    }
    name.resize(library);
    // libc-2.31.so, libpython3.11.so.1.0, libopenblas.3.23.dev.so
    if (name.starts_with("libpython")) return "libpython.so";
    for (size_t at = 1; at + 1 < name.size(); ++at) {
        if ((name[at] == '-' || name[at] == '.') && is_digit(name[at + 1])) {
            name.resize(at);
            break;
        }
    }
    return name + ".so";
}

std::string_view in_package(std::string_view path) {
    for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
        if (const size_t at = path.rfind(folder); at != std::string_view::npos) {
            return path.substr(at + folder.size());
        }
    }
    static constexpr std::string_view library = "/lib/python";
    const size_t at = path.rfind(library);
    if (at == std::string_view::npos) return {};
    size_t end = at + library.size();
    const size_t begin = end;
    while (end < path.size() && (is_digit(path[end]) || path[end] == '.')) ++end;
    if (end < path.size() && path[end] == 't') ++end;  // built without the GIL
    if (end == begin || end >= path.size() || path[end] != '/') return {};
    return path.substr(end + 1);
}

std::string stable_file(std::string_view path) {
    if (const std::string_view inner = in_package(path); !inner.empty()) return std::string(inner);
    if (path.starts_with('<')) return std::string(path);
    std::string name = base_name(path);
    if (name != "__init__.py" && name != "__main__.py") return name;
    // The folder of such a file is the package, whose name is the same everywhere.
    const size_t end = path.size() - name.size();
    if (end < 2) return name;
    return base_name(path.substr(0, end - 1)) + "/" + name;
}

}  // namespace memtrace::analyzer
