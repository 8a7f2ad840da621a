// SPDX-License-Identifier: Apache-2.0
#include "preload/base/process_info.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

constexpr size_t environment_max = size_t{1} << 20;
constexpr size_t command_line_max = size_t{64} << 10;
constexpr size_t maps_max = size_t{1} << 20;

// Returns a whole file of /proc, kept for the life of the process; empty if it cannot be read.
std::string_view keep_file(const char* path, size_t size_max) {
    char* text = static_cast<char*>(sys::map_private(size_max));
    return text == nullptr ? std::string_view{}
                           : std::string_view(text, sys::read_file(path, text, size_max));
}

// Returns a field of /proc/<pid>/stat that follows the name, counted from 1; 0 if there is no such
// process.
uint64_t status_field(int pid, int wanted) {
    FixedText<64> path("/proc/");
    path << pid << "/stat";
    char text[1024];
    if (sys::read_file(path.c_str(), text, sizeof text) == 0) return 0;
    // The name, field 2, may contain anything. The fields after its closing bracket are plain.
    const char* field = std::strrchr(text, ')');
    for (int number = 2; field != nullptr && number < wanted; ++number) {
        field = std::strchr(field + 1, ' ');
    }
    if (field == nullptr) return 0;
    uint64_t value = 0;
    for (++field; *field >= '0' && *field <= '9'; ++field) {
        value = value * 10 + static_cast<uint64_t>(*field - '0');
    }
    return value;
}

// The loader corrects the auxiliary vector: the program's headers are in it, not its own.
bool append_program_of_loader(Path& path) {
    char* const text = static_cast<char*>(sys::map_private(maps_max));
    if (text == nullptr) return false;
    const std::string_view maps(text, sys::read_file("/proc/self/maps", text, maps_max));
    const std::string_view file = mapped_file_at(getauxval(AT_PHDR), maps);
    path << file;
    sys::unmap(text, maps_max);
    return !file.empty();
}

}  // namespace

std::string_view starting_environment(const char* name) {
    if (getauxval(AT_SECURE) != 0) return {};
    const size_t length = std::strlen(name);
    const auto value_in = [&](std::string_view entry) {
        return entry.size() > length && entry.substr(0, length) == name && entry[length] == '=';
    };
    if (environ != nullptr) {
        for (char** entry = environ; *entry != nullptr; ++entry) {
            if (value_in(*entry)) return std::string_view(*entry).substr(length + 1);
        }
        return {};
    }
    static const std::string_view all = keep_file("/proc/self/environ", environment_max);
    std::string_view rest = all;
    while (!rest.empty()) {
        const std::string_view entry = rest.substr(0, rest.find('\0'));
        if (value_in(entry)) return entry.substr(length + 1);
        rest = entry.size() == rest.size() ? std::string_view{} : rest.substr(entry.size() + 1);
    }
    return {};
}

std::string_view rank_variable() {
    for (const char* name :
         {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "LOCAL_RANK"}) {
        const std::string_view value = starting_environment(name);
        if (value.empty() || value.size() > 20) continue;
        static FixedText<64> text;
        text.clear();
        text << name << '=' << value;
        return text.view();
    }
    return {};
}

std::string_view command_line() {
    static const std::string_view text = keep_file("/proc/self/cmdline", command_line_max);
    return text;
}

uint64_t process_start_of(int pid) { return status_field(pid, 22); }

int parent_of(int pid) { return static_cast<int>(status_field(pid, 4)); }

void find_executable(Path& path) {
    if (getauxval(AT_BASE) == 0 && append_program_of_loader(path)) return;
    const size_t before = path.size();
    path.append_from(
        [](char* room, size_t size) { return sys::readlink("/proc/self/exe", room, size); });
    if (path.size() == before) path << "unknown";
}

// 7f1c2a000000-7f1c2a021000 r--p 00000000 fe:00 131090      /path
std::string_view mapped_file_at(uint64_t address, std::string_view maps) {
    while (!maps.empty()) {
        const std::string_view line = maps.substr(0, maps.find('\n'));
        maps.remove_prefix(std::min(line.size() + 1, maps.size()));
        uint64_t begin = 0, end = 0;
        const char* const last = line.data() + line.size();
        const char* const dash = std::from_chars(line.data(), last, begin, 16).ptr;
        if (dash == last || *dash != '-') continue;
        std::from_chars(dash + 1, last, end, 16);
        if (address < begin || address >= end) continue;
        const size_t path = line.find('/');
        return path == std::string_view::npos ? std::string_view{} : line.substr(path);
    }
    return {};
}

}  // namespace memtrace::preload
