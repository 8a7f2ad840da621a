// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/dump_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/reader/writer_process.h"
#include "memtrace/dump/control.h"
#include "memtrace/dump/hash.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t live_begin = offsetof(FileHeader, file_end);
constexpr size_t unused_begin = offsetof(FileHeader, children) + sizeof(uint64_t);

size_t live_end_of(const FileHeader& header) {
    const bool is_old = header.version < version_of_ring_sums;
    return is_old ? offsetof(FileHeader, rings_and_process)
                  : offsetof(FileHeader, rings_and_process) + sizeof(uint64_t);
}

template <class Number>
std::optional<uint64_t> sound_value(const Number& number, uint32_t version) {
    if (number.value() != number.again(version)) return std::nullopt;
    return number.value();
}

std::string why_not_opened(const std::string& path, int error) {
    switch (error) {
        case ENOENT:
            return fmt::format(
                "Cannot open {}: there is no such file. LD_PRELOAD=libmemtrace.so "
                "COMMAND makes a dump, and says at its end where it is.",
                path);
        case EACCES:
        case EPERM:
            return fmt::format(
                "Cannot open {}: you may not read it. A dump can be read by the user who "
                "recorded it.",
                path);
        default: return fmt::format("Cannot open {}: {}.", path, std::strerror(error));
    }
}

}  // namespace

bool is_sound_frame_header(const uint8_t* bytes) {
    StoredSectionHeader stored;
    std::memcpy(&stored, bytes, sizeof stored);
    return stored.header.magic == section_magic &&
           stored.checksum == hash_bytes(&stored.header, sizeof stored.header);
}

bool is_sound_file_header(const FileHeader& header) {
    return std::memcmp(header.magic, file_magic, sizeof file_magic) == 0 &&
           header.checksum == hash_bytes(&header, header_checksum_offset);
}

DumpFile::DumpFile(const std::string& path, Problems& problems)
    : path_(path == "-" ? "standard input" : path) {
    fd_ = path == "-" ? dup(0) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) throw Error(why_not_opened(path_, errno));
    try {
        struct stat status;
        if (fstat(fd_, &status) != 0) throw Error(why_not_opened(path_, errno));
        if (S_ISDIR(status.st_mode)) {
            throw Error(fmt::format("{} is a folder. Name one of the dumps in it.", path_));
        }
        if (S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && path != "-")) {
            throw Error(fmt::format("{} is a device, not a memtrace dump.", path_));
        }
        if (S_ISREG(status.st_mode)) map(static_cast<uint64_t>(status.st_size));
        else read_all();
        check_header(problems);
    } catch (...) {
        unmap();
        close(fd_);
        throw;
    }
}

DumpFile::~DumpFile() {
    unmap();
    close(fd_);
}

void DumpFile::map(uint64_t size) {
    size_ = size;
    if (size == 0) return;
    void* bytes = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd_, 0);
    if (bytes == MAP_FAILED) {
        read_all();  // The file system does not support mmap.
        return;
    }
    mapped_ = true;
    data_ = static_cast<const uint8_t*>(bytes);
}

void DumpFile::unmap() {
    if (mapped_) munmap(const_cast<uint8_t*>(data_), size_);
    mapped_ = false;
}

void DumpFile::read_all() {
    constexpr size_t part = size_t{1} << 20;
    for (;;) {
        const size_t have = bytes_.size();
        bytes_.resize(have + part);
        const ssize_t count = read(fd_, bytes_.data() + have, part);
        if (count < 0 && errno == EINTR) {
            bytes_.resize(have);
            continue;
        }
        if (count < 0) {
            throw Error(fmt::format("Cannot read {}: {}.", path_, std::strerror(errno)));
        }
        bytes_.resize(have + static_cast<size_t>(count));
        data_ = bytes_.data();
        size_ = bytes_.size();
        // An input that is not a dump may never end.
        const bool is_foreign = size_ >= page_bytes + section_alignment && !looks_like_a_dump();
        if (count == 0 || is_foreign) break;
    }
}

bool DumpFile::looks_like_a_dump() const {
    if (std::memcmp(data_, file_magic, std::min<uint64_t>(size_, sizeof file_magic)) == 0)
        return true;
    // A damaged magic number before sound section headers is still a dump.
    return size_ >= page_bytes + section_alignment && is_sound_frame_header(data_ + page_bytes);
}

void DumpFile::check_header(Problems& problems) {
    if (size_ == 0) {
        throw Error(
            fmt::format("{} is empty: the recording was stopped before it began, or the "
                        "file was never a dump.",
                        path_));
    }
    if (!looks_like_a_dump()) {
        throw Error(
            fmt::format("{} is not a memtrace dump: it does not begin with \"MEMTRACE\". "
                        "Name a file that libmemtrace.so wrote (memtrace.*.bin).",
                        path_));
    }
    if (size_ < sizeof(FileHeader)) {
        throw Error(
            fmt::format("{} is a memtrace dump that was cut off after {} bytes, inside its "
                        "header: nothing can be read from it. Copy or record it again.",
                        path_, size_));
    }
    std::memcpy(&header_, data_, sizeof header_);
    if (!is_sound_file_header(header_)) {
        problems.damage("header",
                        "The file header is damaged: its checksum is wrong. Process id and "
                        "clock are taken from the records where they say so.",
                        0, live_begin);
        header_.ticks_per_second = 0;
        header_.process_start = 0;
        header_.features &= ~uint64_t{feature_compacted};  // The section itself tells (past.h).
    } else if (header_.version > format_version) {
        throw Error(
            fmt::format("{} has format version {}, and this memtrace-report knows versions "
                        "up to {}. Use the memtrace-report that came with the shim that "
                        "recorded it, or a newer one.",
                        path_, header_.version, format_version));
    } else if ((header_.features & ~features_known) != 0) {
        throw Error(
            fmt::format("{} uses features ({:#x}) that this memtrace-report does not know. "
                        "Use a newer memtrace-report.",
                        path_, header_.features & ~features_known));
    }
    header_.file_end = file_end_now();
    check_live(problems);
    check_unused(unused_begin, offsetof(FileHeader, sections), problems);
    const uint64_t end = std::min<uint64_t>(size_, page_bytes);
    check_unused(live_end_of(header_), std::min(control_offset, end), problems);
    check_control(problems);
    check_unused(control_offset + sizeof(Control), end, problems);
}

// The numbers that the program wrote while it ran.
void DumpFile::check_live(Problems& problems) const {
    const auto contradicts = [&](std::string what, size_t at, uint64_t bytes) {
        problems.damage("header", "The file header contradicts itself: " + what, at, bytes);
    };
    const auto check = [&](const auto& number, const char* text, size_t at) {
        const uint32_t one = number.value(), other = number.again(header_.version);
        if (one != other) {
            contradicts(fmt::format(fmt::runtime(text), one, other), at, sizeof number);
        }
    };
    check(header_.state, "its state is {} and {}.", offsetof(FileHeader, state));
    if (const uint32_t state = header_.state.value(); state > 2) {
        contradicts(fmt::format("its state is {}.", state), offsetof(FileHeader, state), 4);
    }
    check(header_.children, "it counts {} and {} child processes.", offsetof(FileHeader, children));
    if (const uint64_t again = lost_events_again(header_); header_.lost_events != again) {
        contradicts(fmt::format("it counts {} and {} lost events.", header_.lost_events, again),
                    offsetof(FileHeader, lost_events), 16);
    }
    const char* const sections = "it counts {} and {} sections.";
    if (header_.header_bytes >= sizeof header_) {
        check(header_.sections, sections, offsetof(FileHeader, sections));
    }
    if (header_.version >= version_of_ring_sums) {
        check(header_.rings_and_process, sections, offsetof(FileHeader, rings_and_process));
    }
}

// What others asked of the program. Nothing in a report comes from it.
void DumpFile::check_control(Problems& problems) const {
    if (size_ < control_offset + sizeof(Control)) return;
    const auto check = [&](auto word, size_t at) {
        std::memcpy(&word, data_ + control_offset + at, sizeof word);
        if (word.word == 0 || word.value() == word.again(format_version)) return;
        problems.damage("header",
                        "A word in the header page, by which programs tell each other something, "
                        "is damaged.",
                        control_offset + at, sizeof word);
    };
    check(Control{}.searches, offsetof(Control, searches));
    check(Control{}.searches_ended, offsetof(Control, searches_ended));
    check(Control{}.recording_asked, offsetof(Control, recording_asked));
    check(Control{}.recording_obeyed, offsetof(Control, recording_obeyed));
    check(Control{}.newest_past, offsetof(Control, newest_past));
    check(Control{}.pages_given_back, offsetof(Control, pages_given_back));
    check(Control{}.compactions_asked, offsetof(Control, compactions_asked));
    check(Control{}.compactions_ended, offsetof(Control, compactions_ended));
    check(Control{}.compactions_failed, offsetof(Control, compactions_failed));
    check(Control{}.compaction_failure, offsetof(Control, compaction_failure));
}

void DumpFile::check_unused(uint64_t begin, uint64_t end, Problems& problems) const {
    for (uint64_t at = begin; at < end; ++at) {
        if (data_[at] == 0) continue;
        problems.damage("header", "An unused part of the header page is not zero.", at, end - at);
        break;
    }
}

std::optional<uint64_t> DumpFile::sections() const {
    if (header_.header_bytes < sizeof header_) return std::nullopt;
    return sound_value(header_.sections, header_.version);
}

std::optional<uint64_t> DumpFile::rings_and_process() const {
    if (header_.version < version_of_ring_sums) return std::nullopt;
    return sound_value(header_.rings_and_process, header_.version);
}

uint64_t DumpFile::file_end_now() const {
    // The mapping is page-aligned, so the field is aligned. The bytes of a pipe do not change.
    return __atomic_load_n(reinterpret_cast<const uint64_t*>(data_ + live_begin), __ATOMIC_ACQUIRE);
}

uint64_t DumpFile::writer() const {
    if (!mapped_) return 0;
    decltype(FileHeader::state) state;
    std::memcpy(&state, data_ + offsetof(FileHeader, state), sizeof state);
    if (state.value() != static_cast<uint32_t>(State::recording)) return 0;
    return running_process(header_.pid, header_.process_start);
}

void DumpFile::forget(uint64_t begin, uint64_t end) const {
    begin = (begin + page_bytes - 1) / page_bytes * page_bytes;
    end = std::min(end, size_) / page_bytes * page_bytes;
    if (!mapped_ || begin >= end) return;
    madvise(const_cast<uint8_t*>(data_) + begin, end - begin, MADV_DONTNEED);
}

void DumpFile::refresh() {
    struct stat status;
    if (!mapped_ || fstat(fd_, &status) != 0) return;
    if (static_cast<uint64_t>(status.st_size) <= size_) return;
    unmap();
    map(static_cast<uint64_t>(status.st_size));
}

uint64_t DumpFile::first_nonzero(uint64_t begin, uint64_t end) const {
    constexpr uint64_t part = uint64_t{1} << 18;
    std::vector<uint8_t> buffer;
    for (uint64_t at = begin; at < end;) {
        uint64_t length = std::min(part, end - at);
        const uint8_t* bytes = data_ + at;
        if (mapped_) {
            buffer.resize(length);
            const ssize_t count = pread(fd_, buffer.data(), length, static_cast<off_t>(at));
            // If the file was cut off meanwhile, this was reserved space.
            if (count <= 0) return end;
            length = static_cast<uint64_t>(count);
            bytes = buffer.data();
        }
        // Compares the bytes with themselves, shifted by one: equal if all bytes equal the first.
        if (bytes[0] != 0 || std::memcmp(bytes, bytes + 1, length - 1) != 0) {
            for (uint64_t i = 0; i < length; ++i) {
                if (bytes[i] != 0) return at + i;
            }
        }
        at += length;
    }
    return end;
}

}  // namespace memtrace::analyzer
