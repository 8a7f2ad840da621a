// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/past.h"

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <zstd.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/reader/section_walk.h"
#include "memtrace/dump/hash.h"

namespace memtrace::analyzer {
namespace {

// What a run holds is far smaller. A section that says more is damaged or was made by hand.
constexpr uint64_t raw_state_max = uint64_t{16} << 30;
constexpr int packing_level = 3;

// The first bytes of a dump: its header page, and the header of its first section.
constexpr size_t first_bytes = page_bytes + section_alignment;

// A damaged header may say anything, so the first section counts, too.
bool is_compacted(const uint8_t* bytes) {
    FileHeader header;
    std::memcpy(&header, bytes, sizeof header);
    if (is_sound_file_header(header)) return (header.features & feature_compacted) != 0;
    SectionHeader section;
    std::memcpy(&section, bytes + page_bytes, sizeof section);
    return is_sound_frame_header(bytes + page_bytes) && section.kind == SectionKind::past;
}

void append(std::string& out, const auto& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
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
    if (head.lane_count > rest / sizeof(PastLane) ||
        head.state_bytes != rest - head.lane_count * sizeof(PastLane) ||
        head.raw_bytes > raw_state_max) {
        return "its sizes disagree";
    }
    past.key = head.key;
    past.raw_bytes = head.raw_bytes;
    past.lanes.resize(head.lane_count);
    if (head.lane_count > 0)
        std::memcpy(past.lanes.data(), payload + sizeof head, head.lane_count * sizeof(PastLane));
    past.packed = {reinterpret_cast<const char*>(payload) + header.stored_bytes - head.state_bytes,
                   head.state_bytes};
    return nullptr;
}

std::string write_past(const Past& past) {
    std::string payload;
    append(payload, PastHeader{past.key, past.lanes.size(), past.packed.size(), past.raw_bytes});
    for (const PastLane& lane : past.lanes) append(payload, lane);
    payload += past.packed;
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

std::string unpack_state(const Past& past, const std::string& path) {
    std::string state(past.raw_bytes, '\0');
    const size_t size =
        ZSTD_decompress(state.data(), state.size(), past.packed.data(), past.packed.size());
    if (ZSTD_isError(size) || size != state.size()) {
        throw Error(
            fmt::format("{} was compacted, and what it was compacted to cannot be "
                        "unpacked. Use a copy of it from before.",
                        printable(path)));
    }
    return state;
}

std::string pack_state(std::string_view state) {
    std::string packed(ZSTD_compressBound(state.size()), '\0');
    const size_t size =
        ZSTD_compress(packed.data(), packed.size(), state.data(), state.size(), packing_level);
    if (ZSTD_isError(size)) throw Error("zstd could not pack what the dump amounts to");
    packed.resize(size);
    return packed;
}

bool is_compacted(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;
    std::array<char, first_bytes> bytes{};
    std::ifstream file(path, std::ios::binary);
    if (!file.read(bytes.data(), bytes.size())) return false;
    return is_compacted(reinterpret_cast<const uint8_t*>(bytes.data()));
}

void refuse_compacted(const DumpFile& file, const char* why) {
    if (file.size() < first_bytes || !is_compacted(file.data())) return;
    throw Error(fmt::format("{} was compacted, and {}.", printable(file.path()), why));
}

}  // namespace memtrace::analyzer
