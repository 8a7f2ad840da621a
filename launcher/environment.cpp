// SPDX-License-Identifier: Apache-2.0
#include "launcher/environment.h"

#include <fmt/format.h>
#include <sys/auxv.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "analyzer/base/error.h"

namespace memtrace::launcher {
namespace {

namespace fs = std::filesystem;
using analyzer::Error;

constexpr std::string_view shim_name = "libmemtrace.so";
constexpr const char* separators = ": \t\n";  // where the loader splits LD_PRELOAD

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Calls visit(entry) for each entry that is not empty.
template <class Visit>
void for_each_entry(std::string_view list, Visit visit) {
    while (!list.empty()) {
        const size_t end = list.find_first_of(separators);
        const std::string_view entry = list.substr(0, end);
        if (!entry.empty()) visit(entry);
        list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
    }
}

std::string checked(const fs::path& path) {
    std::string text = fs::canonical(path).string();
    if (text.find_first_of(separators) != std::string::npos) {
        throw Error(
            fmt::format("{}: the loader cuts LD_PRELOAD at spaces and colons; put the "
                        "library where its path has none, and say so in "
                        "MEMTRACE_LIBRARY",
                        text));
    }
    return text;
}

}  // namespace

std::string own_folder() {
    std::error_code error;
    fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (error) {
        const auto* const path = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
        if (path != nullptr) self = fs::canonical(path, error);
    }
    return error ? "" : self.parent_path().string();
}

std::string find_shim() {
    std::error_code error;
    if (const char* named = std::getenv("MEMTRACE_LIBRARY"); named != nullptr && *named != '\0') {
        if (fs::is_regular_file(named, error)) return checked(named);
        throw Error(fmt::format("MEMTRACE_LIBRARY is {}, and there is no such file", named));
    }
    const fs::path folder = own_folder();
    if (folder.empty()) {
        throw Error(
            "memtrace cannot find its own folder, because /proc is not mounted; set "
            "MEMTRACE_LIBRARY to the path of libmemtrace.so");
    }
    const std::array<fs::path, 4> folders{folder, folder / ".." / MEMTRACE_LIBDIR,
                                          folder / "../lib", folder / "../lib64"};
    for (const fs::path& candidate : folders) {
        const fs::path shim = candidate / shim_name;
        if (fs::is_regular_file(shim, error)) return checked(shim);
    }
    throw Error(
        fmt::format("{} is neither in {} nor in ../{} of it; set MEMTRACE_LIBRARY to its "
                    "path",
                    shim_name, folder.string(), MEMTRACE_LIBDIR));
}

std::string list_without_shim(std::string_view present) {
    std::string list;
    for_each_entry(present, [&](std::string_view entry) {
        if (file_name(entry) == shim_name) return;
        list.append(list.empty() ? "" : ":").append(entry);
    });
    return list;
}

std::string preload_list(std::string_view present, const std::string& shim) {
    const std::string others = list_without_shim(present);
    return others.empty() ? shim : shim + ":" + others;
}

bool names_shim(std::string_view list) {
    bool found = false;
    for_each_entry(list, [&](std::string_view entry) { found |= file_name(entry) == shim_name; });
    return found;
}

}  // namespace memtrace::launcher
