// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/past.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/reader/section_walk.h"
#include "memtrace/dump/control.h"
#include "memtrace/dump/hash.h"

namespace memtrace::analyzer {
namespace {

// What a run holds is far smaller. A section that says more is damaged or was made by hand.
constexpr uint64_t raw_state_max = uint64_t{16} << 30;

// The first bytes of a dump: its header page, and the header of its first section.
constexpr size_t first_bytes = page_bytes + section_alignment;

uint64_t newest_past_in(const uint8_t* first_page) {
    Control control;
    std::memcpy(&control, first_page + control_offset, sizeof control);
    return uint64_t{asked(control.newest_past)} * page_bytes;
}

// A damaged header may say anything, so the first section counts, too.
bool is_compacted(const uint8_t* bytes) {
    if (newest_past_in(bytes) != 0) return true;
    FileHeader header;
    std::memcpy(&header, bytes, sizeof header);
    if (is_sound_file_header(header)) return (header.features & feature_compacted) != 0;
    SectionHeader section;
    std::memcpy(&section, bytes + page_bytes, sizeof section);
    return is_sound_frame_header(bytes + page_bytes) && section.kind == SectionKind::past;
}

// Reads the first bytes of a regular file. False also of a pipe, which must not be read from here.
bool read_first_bytes(const std::string& path, std::array<char, first_bytes>& bytes) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;
    std::ifstream file(path, std::ios::binary);
    return static_cast<bool>(file.read(bytes.data(), bytes.size()));
}

void append(std::string& out, const auto& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Moves `count` values from the bytes to the list.
template <class Value>
const uint8_t* take(const uint8_t* bytes, uint64_t count, std::vector<Value>& list) {
    list.resize(count);
    if (count > 0) std::memcpy(list.data(), bytes, count * sizeof(Value));
    return bytes + count * sizeof(Value);
}

bool is_by_place(const std::vector<PastGone>& gone, uint64_t limit) {
    uint64_t at = page_bytes;
    for (const PastGone& range : gone) {
        if (range.begin < at || range.end < range.begin || range.end > limit) return false;
        if (range.begin % section_alignment != 0 || range.end % section_alignment != 0)
            return false;
        if (range.sections > (range.end - range.begin) / section_alignment) return false;
        at = range.end;
    }
    return true;
}

}  // namespace

const char* read_past(const DumpFile& file, uint64_t offset, const SectionHeader& header,
                      uint64_t limit, Past& past) {
    if (payload_end(offset, header) > limit) return "it is cut off";
    const uint8_t* const payload = file.data() + offset + section_alignment;
    const uint64_t hash = hash_bytes(payload, header.stored_bytes);
    if (static_cast<uint32_t>(hash) != header.payload_checksum) return "its checksum is wrong";
    PastHeader head;
    if (header.stored_bytes < sizeof head) return "it is too short";
    std::memcpy(&head, payload, sizeof head);
    const uint64_t rest = header.stored_bytes - sizeof head;
    if (head.lane_count > rest / sizeof(PastLane) || head.gone_count > rest / sizeof(PastGone) ||
        head.lane_count * sizeof(PastLane) + head.gone_count * sizeof(PastGone) > rest ||
        head.state_bytes !=
            rest - head.lane_count * sizeof(PastLane) - head.gone_count * sizeof(PastGone) ||
        head.raw_bytes > raw_state_max) {
        return "its sizes disagree";
    }
    past.key = head.key;
    past.raw_bytes = head.raw_bytes;
    take(take(payload + sizeof head, head.lane_count, past.lanes), head.gone_count, past.gone);
    if (!is_by_place(past.gone, limit)) return "what is gone cannot be where it says";
    past.packed_bytes = head.state_bytes;
    past.packed_at = payload_end(offset, header) - head.state_bytes;
    return nullptr;
}

uint64_t newest_past(const DumpFile& file) {
    return file.size() < page_bytes ? 0 : newest_past_in(file.data());
}

uint64_t newest_past(const std::string& path) {
    std::array<char, first_bytes> bytes{};
    return read_first_bytes(path, bytes)
               ? newest_past_in(reinterpret_cast<const uint8_t*>(bytes.data()))
               : 0;
}

NoCompaction::NoCompaction(const std::string& path)
    : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct flock lock = lock_of_byte(F_RDLCK, reader_lock_offset);
    if (fd_ >= 0) fcntl(fd_, F_OFD_SETLK, &lock);
}

NoCompaction::~NoCompaction() {
    if (fd_ >= 0) close(fd_);
}

std::optional<Past> read_newest_past(const DumpFile& file, Problems& problems) {
    const uint64_t offset = newest_past(file);
    if (offset == 0) return std::nullopt;
    Past past;
    const char* fault = "it is cut off";
    uint64_t bytes = section_alignment;
    if (offset + section_alignment <= file.size()) {
        const SectionHeader header = header_at(file, offset);
        const bool is_sound =
            is_sound_frame_header(file.data() + offset) && header.kind == SectionKind::past;
        if (is_sound) bytes += header.stored_bytes;
        fault = is_sound ? read_past(file, offset, header, file.size(), past)
                         : "another thing is in its place";
    }
    if (fault == nullptr) return past;
    problems.damage("past", fmt::format("What the dump was compacted to is damaged: {}.", fault),
                    offset, bytes);
    return std::nullopt;
}

uint64_t gone_bytes(std::span<const PastGone> gone) {
    uint64_t bytes = 0;
    for (const PastGone& range : gone) bytes += range.end - range.begin;
    return bytes;
}

uint64_t gone_bytes(const std::optional<Past>& past) { return past ? gone_bytes(past->gone) : 0; }

std::string write_past(const Past& past, std::string_view packed) {
    std::string payload;
    append(payload, PastHeader{past.key, past.lanes.size(), past.gone.size(), packed.size(),
                               past.raw_bytes});
    for (const PastLane& lane : past.lanes) append(payload, lane);
    for (const PastGone& range : past.gone) append(payload, range);
    payload += packed;
    if (payload.size() > UINT32_MAX) {
        throw Error(
            "what is alive and what happened takes more than 4 GiB, and no section of a dump does");
    }
    SectionHeader header = {};
    header.magic = section_magic;
    header.kind = SectionKind::past;
    header.packing = Packing::none;
    header.stored_bytes = static_cast<uint32_t>(payload.size());
    header.raw_bytes = header.stored_bytes;
    header.lane = lane_none;
    header.payload_checksum = static_cast<uint32_t>(hash_bytes(payload.data(), payload.size()));
    std::string section;
    append(section, StoredSectionHeader{header, hash_bytes(&header, sizeof header)});
    section += payload;
    section.resize(align_section(section.size()));
    return section;
}

bool is_compacted(const std::string& path) {
    std::array<char, first_bytes> bytes{};
    return read_first_bytes(path, bytes) &&
           is_compacted(reinterpret_cast<const uint8_t*>(bytes.data()));
}

std::string refusal_of_compacted(const std::string& path, const std::string& why) {
    return fmt::format("{} was compacted, and {}. {}.", printable(path), why,
                       newest_past(path) != 0 ? "Record without max_dump to have it"
                                              : "Use a copy of it from before");
}

void refuse_compacted(const DumpFile& file, const char* why) {
    if (file.size() < first_bytes || !is_compacted(file.data())) return;
    throw Error(fmt::format("{} was compacted, and {}.", printable(file.path()), why));
}

}  // namespace memtrace::analyzer
