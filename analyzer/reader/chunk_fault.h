// SPDX-License-Identifier: Apache-2.0
//
// What may be wrong with a chunk as a whole.
#pragma once

#include <cstdint>

#include "analyzer/reader/section_walk.h"
#include "memtrace/dump/format.h"
#include "memtrace/dump/hash.h"

namespace memtrace::analyzer {

// No chunk has more records. The shim writes at most 24,576 into one.
inline constexpr uint32_t chunk_records_max = 1 << 20;

// Returns the fault of the chunk whose sound header is at `offset`, or nullptr. `limit`: where the
// file ends, in bytes.
inline const char* fault_of_chunk(const DumpFile& file, uint64_t offset,
                                  const SectionHeader& header, uint64_t limit) {
    if (payload_end(offset, header) > limit) return "it is cut off";
    const uint64_t hash = hash_bytes(file.data() + offset + section_alignment, header.stored_bytes);
    if (static_cast<uint32_t>(hash) != header.payload_checksum) return "its checksum is wrong";
    if (header.raw_bytes > raw_bytes_max) return "it says that it is larger than any chunk is";
    if (header.record_count > chunk_records_max) {
        return "it says that it has more records than any chunk has";
    }
    if (header.packing != Packing::zstd && header.packing != Packing::none) {
        return "it is packed in a way that this program does not know";
    }
    return nullptr;
}

}  // namespace memtrace::analyzer
