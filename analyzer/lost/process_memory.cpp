// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/process_memory.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/lost/mappings.h"

namespace memtrace::analyzer {
namespace {

constexpr uint64_t page = 4096;
constexpr size_t ranges_a_call = 1024;  // as the kernel takes (UIO_MAXIOV)
// Of what files have that the program has not looked at. Reading it takes about a second.
constexpr uint64_t file_bytes_max = uint64_t{1} << 30;
// The pages of a larger mapping that cannot be accessed are not looked for one by one: programs
// reserve terabytes.
constexpr uint64_t reserve_min = uint64_t{256} << 20;

// Bits of an entry of /proc/PID/pagemap.
constexpr uint64_t is_present = uint64_t{1} << 63, is_swapped = uint64_t{1} << 62,
                   is_of_file = uint64_t{1} << 61;  // or of shared memory

}  // namespace

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
        began_ = begin_of_process(original);
        find_left_out(original, own);
    }
}

void ProcessMemory::check_is_there() const {
    char byte;
    for (const Mapping& mapping : mappings_) {
        if (!mapping.read || !mapping.execute || !mapping.path.starts_with('/')) continue;
        if (pread(memory_, &byte, 1, static_cast<off_t>(mapping.begin)) == 1) return;
    }
    throw Error(
        "The copy of the process was ended before the search: by the system, perhaps, because "
        "memory ran out.");
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
    const bool in_original = is_of_original({mapping.begin, mapping.end});
    if (mapping.is_shared || can_have_changed(mapping))
        return for_each_part_with_file(mapping, range, in_original, visit);
    if (!mapping.read && mapping.end - mapping.begin >= reserve_min && !has_pages(mapping)) return;
    const bool is_of_a_file = mapping.path.starts_with('/');
    for_each_page_that_is_there(range, in_original,
                                is_of_a_file ? Pages::of_process : Pages::of_file_too, visit);
}

bool ProcessMemory::has_pages(const Mapping& mapping) {
    if (!knows_with_pages_) {
        for_each_in_smaps(pid_, [&](const Mapping& each, uint64_t kib, const std::string&) {
            if (kib != 0) with_pages_.insert(each.begin);
        });
        knows_with_pages_ = true;
    }
    return is_of_original({mapping.begin, mapping.end}) || with_pages_.contains(mapping.begin);
}

bool ProcessMemory::can_have_changed(const Mapping& mapping) {
    if (mapping.path.starts_with("/memfd:") || mapping.path.starts_with("/dev/shm/")) return true;
    if (!mapping.path.starts_with('/') || began_ == 0) return false;
    const auto [known, is_new] = changed_.emplace(mapping.path, false);
    if (is_new) {
        const MappedFile file(pid_, mapping);
        known->second = file.is_open() && file.changed() >= began_;
    }
    return known->second;
}

// Returns false if files have so much data that this part is not read. It counts if the program
// writes there through a mapping, as it does to shared memory.
bool ProcessMemory::may_read_of_file(LostRange part, bool counts) {
    uint64_t bytes = 0;
    for (const LostRange& more : from_files_.missing(part)) bytes += more.end - more.begin;
    if (bytes_of_files_ + bytes <= file_bytes_max) {
        bytes_of_files_ += bytes;
        from_files_.add(part);
        return true;
    }
    if (counts) bytes_of_files_not_read_ = std::max(bytes_of_files_not_read_, bytes);
    return false;
}

// A page table tells nothing about such memory: a process has a page there when it has used it.
void ProcessMemory::for_each_part_with_file(const Mapping& mapping, LostRange range,
                                            bool in_original,
                                            const std::function<void(LostRange)>& visit) {
    RangeSet parts;
    for_each_page_that_is_there(range, in_original || mapping.is_shared, Pages::of_file_too,
                                [&](LostRange part) { parts.add(part); });
    const bool counts = mapping.is_shared || is_nameless_memory(mapping.path);
    const MappedFile file(pid_, mapping);
    for (LostRange data : file.is_open() ? file.data() : std::vector<LostRange>()) {
        data = {std::max(data.begin, range.begin), std::min(data.end, range.end)};
        for (const LostRange& part : parts.missing(data)) {
            if (may_read_of_file(part, counts)) parts.add(part);
        }
    }
    for (const LostRange& part : parts.ranges()) visit(part);
}

// Reads the entries of pages, those of the original as well if it has such memory.
bool ProcessMemory::read_pagemaps(uint64_t first, bool in_original,
                                  std::span<uint64_t> entries) const {
    const auto offset = static_cast<off_t>(first / page * sizeof(uint64_t));
    const size_t bytes = entries.size() * sizeof(uint64_t);
    const auto wanted = static_cast<ssize_t>(bytes);
    if (pagemap_ < 0 || pread(pagemap_, entries.data(), bytes, offset) != wanted) return false;
    if (!in_original || original_pagemap_ < 0) return true;
    std::vector<uint64_t> more(entries.size());
    if (pread(original_pagemap_, more.data(), bytes, offset) != wanted) return true;
    for (size_t i = 0; i < more.size(); ++i) entries[i] |= more[i];
    return true;
}

void ProcessMemory::for_each_page_that_is_there(LostRange range, bool in_original, Pages which,
                                                const std::function<void(LostRange)>& visit) const {
    const uint64_t first = range.begin / page * page;
    uint64_t entries[4096];
    uint64_t begin = 0, end = 0;  // of the part that is being put together
    for (uint64_t at = first; at < range.end;) {
        const size_t pages =
            std::min<size_t>(std::size(entries), (range.end - at + page - 1) / page);
        if (!read_pagemaps(at, in_original, {entries, pages})) {
            // Nothing is known of the rest: it may be there.
            if (end != at) {
                if (begin < end) visit({std::max(begin, range.begin), end});
                begin = at;
            }
            end = range.end;
            break;
        }
        for (size_t i = 0; i < pages; ++i, at += page) {
            const bool is_there = (entries[i] & (is_present | is_swapped)) != 0;
            if (!is_there || (which == Pages::of_process && (entries[i] & is_of_file) != 0))
                continue;
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
