// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/mappings.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>

namespace memtrace::analyzer {
namespace {

bool parse_line(const std::string& line, Mapping& mapping) {
    std::istringstream fields(line);
    std::string range, access, offset, device, inode;
    if (!(fields >> range >> access >> offset >> device >> inode)) return false;
    const size_t dash = range.find('-');
    if (dash == std::string::npos || access.size() < 4) return false;
    mapping.begin = std::strtoull(range.c_str(), nullptr, 16);
    mapping.end = std::strtoull(range.c_str() + dash + 1, nullptr, 16);
    mapping.read = access[0] == 'r';
    mapping.write = access[1] == 'w';
    mapping.execute = access[2] == 'x';
    mapping.is_shared = access[3] == 's';
    mapping.offset = std::strtoull(offset.c_str(), nullptr, 16);
    mapping.inode = std::strtoull(inode.c_str(), nullptr, 10);
    std::getline(fields >> std::ws, mapping.path);
    return mapping.begin < mapping.end;
}

// Only the administrator may open a mapping's own file. Others find it by its name, unless another
// file has that name by now.
int open_behind(uint64_t pid, const Mapping& mapping) {
    struct stat status;
    const std::string by_mapping =
        fmt::format("/proc/{}/map_files/{:x}-{:x}", pid, mapping.begin, mapping.end);
    const std::string by_name = fmt::format("/proc/{}/root{}", pid, mapping.path);
    for (const std::string& path : {by_mapping, by_name}) {
        // Opening what is no file may do anything.
        if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        if (status.st_ino != mapping.inode) continue;
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (file >= 0) return file;
    }
    return -1;
}

}  // namespace

std::vector<Mapping> read_mappings(uint64_t pid) {
    std::vector<Mapping> mappings;
    std::ifstream file(fmt::format("/proc/{}/maps", pid));
    for (std::string line; std::getline(file, line);) {
        Mapping mapping;
        if (parse_line(line, mapping)) mappings.push_back(std::move(mapping));
    }
    return mappings;
}

std::vector<Mapping> read_left_out_mappings(uint64_t pid) {
    std::vector<Mapping> found;
    const auto visit = [&](const Mapping& mapping, uint64_t kib, const std::string& flags) {
        const auto has = [&](const char* flag) { return flags.find(flag) != std::string::npos; };
        if (!has(" dc ") && !has(" wf ")) return;
        // A device's memory is copied by no fork, either.
        if ((mapping.read || kib != 0) && !has(" io ") && !has(" pf ")) found.push_back(mapping);
    };
    for_each_in_smaps(pid, visit);
    return found;
}

void for_each_in_smaps(uint64_t pid, const std::function<void(const Mapping& mapping, uint64_t kib,
                                                              const std::string& flags)>& visit) {
    std::ifstream file(fmt::format("/proc/{}/smaps", pid));
    Mapping mapping;
    uint64_t kib = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("VmFlags:")) {
            visit(mapping, kib, line + ' ');
        } else if (line.starts_with("Rss:") || line.starts_with("Swap:")) {
            kib += std::strtoull(line.c_str() + line.find(':') + 1, nullptr, 10);
        } else if (line[0] < 'A' || line[0] > 'Z') {  // numbers of a mapping have small letters
            parse_line(line, mapping);
            kib = 0;
        }
    }
}

MappedFile::MappedFile(uint64_t pid, const Mapping& mapping)
    : mapping_(mapping), file_(open_behind(pid, mapping)) {
    struct statfs system;
    if (file_ < 0 || (fstatfs(file_, &system) == 0 && system.f_type != HUGETLBFS_MAGIC)) return;
    close(file_);
    file_ = -1;
}

MappedFile::~MappedFile() {
    if (file_ >= 0) close(file_);
}

int64_t MappedFile::changed() const {
    struct stat status;
    return fstat(file_, &status) == 0 ? std::max(status.st_mtime, status.st_ctime) : 0;
}

std::vector<LostRange> MappedFile::data() const {
    std::vector<LostRange> parts;
    const auto size = static_cast<off_t>(mapping_.end - mapping_.begin);
    const auto first = static_cast<off_t>(mapping_.offset), last = first + size;
    const auto address_of = [&](off_t at) {
        return mapping_.begin + static_cast<uint64_t>(at - first);
    };
    for (off_t at = first; at < last;) {
        const off_t begin = lseek(file_, at, SEEK_DATA);
        if (begin < 0 || begin >= last) break;
        const off_t end = lseek(file_, begin, SEEK_HOLE);
        if (end <= begin) break;
        parts.push_back({address_of(begin), address_of(std::min(end, last))});
        at = end;
    }
    return parts;
}

bool is_nameless_memory(const std::string& path) {
    return path.empty() || path.starts_with("/dev/zero") || path.starts_with("/memfd:") ||
           path.starts_with("/dev/shm/") || path.starts_with("/SYSV") || path.starts_with("[anon");
}

int64_t begin_of_process(uint64_t pid) {
    constexpr int field = 22;        // in ticks since the system began
    constexpr int64_t margin_s = 2;  // Both numbers are rounded.
    int64_t ticks = -1, system_began = -1;
    std::string line, word;
    std::ifstream process(fmt::format("/proc/{}/stat", pid));
    std::getline(process, line);
    const size_t name_end = line.rfind(')');
    if (name_end == std::string::npos) return 0;
    std::istringstream fields(line.substr(name_end + 1));
    for (int i = 3; i < field; ++i) fields >> word;
    fields >> ticks;
    std::ifstream system("/proc/stat");
    while (system_began < 0 && std::getline(system, line)) {
        if (line.starts_with("btime ")) system_began = std::stoll(line.substr(6));
    }
    if (ticks < 0 || system_began < 0) return 0;
    return system_began + ticks / sysconf(_SC_CLK_TCK) - margin_s;
}

}  // namespace memtrace::analyzer
