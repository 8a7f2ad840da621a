// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/process_memory.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/lost/range_set.h"

namespace memtrace::analyzer {
namespace {

constexpr uint64_t page = 4096;
constexpr size_t ranges_a_call = 1024;  // as the kernel takes (UIO_MAXIOV)

// Bits of an entry of /proc/PID/pagemap.
constexpr uint64_t is_present = uint64_t{1} << 63, is_swapped = uint64_t{1} << 62,
                   is_of_file = uint64_t{1} << 61;  // or of shared memory

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
    std::getline(fields >> std::ws, mapping.path);
    return mapping.begin < mapping.end;
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
    std::ifstream file(fmt::format("/proc/{}/smaps", pid));
    Mapping mapping;
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("VmFlags:")) {
            parse_line(line, mapping);
            continue;
        }
        const std::string flags = line + ' ';
        const auto has = [&](const char* flag) { return flags.find(flag) != std::string::npos; };
        if (!has(" dc ") && !has(" wf ")) continue;
        // A device's memory is copied by no fork, either.
        if (mapping.read && !has(" io ") && !has(" pf ")) found.push_back(mapping);
    }
    return found;
}

ProcessMemory::ProcessMemory(uint64_t pid, uint64_t original, std::span<const LostRange> own)
    : pid_(pid), mappings_(read_mappings(pid)) {
    memory_ = open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDONLY | O_CLOEXEC);
    if (memory_ < 0 || mappings_.empty()) {
        const int error = memory_ < 0 ? errno : ESRCH;
        if (memory_ >= 0) close(memory_);
        throw Error(
            fmt::format("The memory of the process cannot be read: {}.", std::strerror(error)));
    }
    pagemap_ = open(fmt::format("/proc/{}/pagemap", pid).c_str(), O_RDONLY | O_CLOEXEC);
    if (original != 0) {
        original_pagemap_ =
            open(fmt::format("/proc/{}/pagemap", original).c_str(), O_RDONLY | O_CLOEXEC);
        find_left_out(original, own);
    }
}

void ProcessMemory::find_left_out(uint64_t original, std::span<const LostRange> own) {
    RangeSet own_ranges, copied, left_out;
    for (const LostRange& range : own) own_ranges.add(range);
    for (const Mapping& mapping : mappings_) copied.add({mapping.begin, mapping.end});
    uint64_t bytes = 0;
    for (const Mapping& mapping : read_left_out_mappings(original)) {
        for (const LostRange& part : own_ranges.missing({mapping.begin, mapping.end})) {
            left_out.add(part);
            bytes += part.end - part.begin;
            for (const LostRange& missing : copied.missing(part)) {
                Mapping more = mapping;
                more.begin = missing.begin;
                more.end = missing.end;
                mappings_.push_back(std::move(more));
            }
        }
    }
    if (bytes == 0) return;
    std::sort(mappings_.begin(), mappings_.end(),
              [](const Mapping& a, const Mapping& b) { return a.begin < b.begin; });
    original_memory_ = open(fmt::format("/proc/{}/mem", original).c_str(), O_RDONLY | O_CLOEXEC);
    if (original_memory_ < 0) {
        bytes_left_out_ = bytes;
        return;
    }
    in_original_ = left_out.ranges();
    bytes_of_original_ = bytes;
}

ProcessMemory::Source ProcessMemory::source_of(LostRange range) const {
    const auto next =
        std::partition_point(in_original_.begin(), in_original_.end(),
                             [&](const LostRange& each) { return each.end <= range.begin; });
    if (next == in_original_.end() || next->begin >= range.end) return {memory_, range.end};
    if (next->begin > range.begin) return {memory_, next->begin};
    return {original_memory_, std::min(next->end, range.end)};
}

bool ProcessMemory::is_of_original(LostRange range) const {
    const Source source = source_of(range);
    return source.memory != memory_ || source.end != range.end;
}

ProcessMemory::~ProcessMemory() {
    close(memory_);
    if (pagemap_ >= 0) close(pagemap_);
    if (original_pagemap_ >= 0) close(original_pagemap_);
    if (original_memory_ >= 0) close(original_memory_);
}

void ProcessMemory::read_one(LostRange range, uint8_t* to) {
    while (range.begin < range.end) {
        const Source source = source_of(range);
        const ssize_t count =
            pread(source.memory, to, source.end - range.begin, static_cast<off_t>(range.begin));
        if (count < 0 && errno == EINTR) continue;
        if (count > 0) {
            range.begin += static_cast<uint64_t>(count);
            to += count;
            continue;
        }
        // A page that is not there. What follows may be.
        const uint64_t begin_of_next = (range.begin / page + 1) * page;  // 0: there is none
        const uint64_t next = begin_of_next == 0 ? range.end : std::min(range.end, begin_of_next);
        std::memset(to, 0, next - range.begin);
        to += next - range.begin;
        range.begin = next;
    }
}

void ProcessMemory::read(std::span<const LostRange> ranges, uint8_t* to) {
    while (!ranges.empty()) {
        const auto part = ranges.first(std::min(ranges.size(), ranges_a_call));
        iovec remote[ranges_a_call];
        size_t bytes = 0;
        for (size_t i = 0; i < part.size(); ++i) {
            const uint64_t size = part[i].end - part[i].begin;
            remote[i] = {reinterpret_cast<void*>(part[i].begin), size};
            bytes += size;
        }
        iovec local{to, bytes};
        const ssize_t copied =
            copies_ && part.size() > 1 &&
                    (in_original_.empty() ||
                     std::none_of(part.begin(), part.end(),
                                  [&](LostRange range) { return is_of_original(range); }))
                ? process_vm_readv(static_cast<pid_t>(pid_), &local, 1, remote, part.size(), 0)
                : -1;
        if (copied < 0 && part.size() > 1 && in_original_.empty() &&
            (errno == EPERM || errno == ENOSYS))
            copies_ = false;
        if (copied < 0 || static_cast<size_t>(copied) != bytes) {
            uint8_t* next = to;
            for (const LostRange& range : part) {
                read_one(range, next);
                next += range.end - range.begin;
            }
        }
        to += bytes;
        ranges = ranges.subspan(part.size());
    }
}

void ProcessMemory::for_each_own_part(LostRange range,
                                      const std::function<void(LostRange)>& visit) {
    auto mapping =
        std::upper_bound(mappings_.begin(), mappings_.end(), range.begin,
                         [](uint64_t address, const Mapping& each) { return address < each.end; });
    for (; mapping != mappings_.end() && mapping->begin < range.end; ++mapping) {
        for_each_own_part_of(
            *mapping, {std::max(range.begin, mapping->begin), std::min(range.end, mapping->end)},
            visit);
    }
}

void ProcessMemory::for_each_own_part_of(const Mapping& mapping, LostRange range,
                                         const std::function<void(LostRange)>& visit) {
    const bool is_of_a_file = mapping.path.starts_with('/') && !mapping.is_shared;
    const bool in_original = mapping.is_shared || is_of_original({mapping.begin, mapping.end});
    const int pagemap = in_original && original_pagemap_ >= 0 ? original_pagemap_ : pagemap_;
    const uint64_t first = range.begin / page * page;
    uint64_t entries[4096];
    uint64_t begin = 0, end = 0;  // of the part that is being put together
    for (uint64_t at = first; at < range.end;) {
        const size_t wanted =
            std::min<size_t>(std::size(entries), (range.end - at + page - 1) / page);
        const ssize_t got = pagemap < 0 ? -1
                                        : pread(pagemap, entries, wanted * sizeof(uint64_t),
                                                static_cast<off_t>(at / page * sizeof(uint64_t)));
        if (got < static_cast<ssize_t>(sizeof(uint64_t))) {
            // Nothing is known of the rest: it may be there.
            if (end != at) {
                if (begin < end) visit({std::max(begin, range.begin), end});
                begin = at;
            }
            end = range.end;
            break;
        }
        const size_t pages = static_cast<size_t>(got) / sizeof(uint64_t);
        for (size_t i = 0; i < pages; ++i, at += page) {
            const bool is_there = (entries[i] & (is_present | is_swapped)) != 0;
            if (!is_there || (is_of_a_file && (entries[i] & is_of_file) != 0)) continue;
            if (end != at) {
                if (begin < end) visit({std::max(begin, range.begin), std::min(end, range.end)});
                begin = at;
            }
            end = at + page;
        }
    }
    if (begin < end) visit({std::max(begin, range.begin), std::min(end, range.end)});
}

}  // namespace memtrace::analyzer
