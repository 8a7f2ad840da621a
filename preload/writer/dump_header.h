// SPDX-License-Identifier: Apache-2.0
//
// The words that stand at the beginning of a dump and of each section.
#pragma once

#include <cstdint>
#include <cstring>

#include "memtrace/dump/format.h"
#include "memtrace/dump/hash.h"
#include "preload/base/clock.h"
#include "preload/base/sys.h"

namespace memtrace::preload {

template <uint32_t whole>
void add_one(TwinNumber<whole>& number) {
    __atomic_fetch_add(&number.word, TwinNumber<whole>::one, __ATOMIC_RELEASE);
}

inline StoredSectionHeader stored(const SectionHeader& header) {
    StoredSectionHeader result{header, 0};
    result.checksum = hash_bytes(&header, sizeof header);
    return result;
}

// Fills the header of a new dump. `mapped`: rings lie in the file.
inline void fill_header(FileHeader& header, bool mapped, uint64_t process_start) {
    std::memcpy(header.magic, file_magic, sizeof file_magic);
    header.version = format_version;
    header.header_bytes = sizeof(FileHeader);
    header.features = mapped ? feature_none : feature_private_rings;
    header.pid = static_cast<uint64_t>(sys::pid());
    header.process_start = process_start;
    header.ticks_zero = ticks.zero;
    header.ticks_per_second = ticks.per_second;
    header.checksum = hash_bytes(&header, header_checksum_offset);
    header.file_end = page_bytes;
    header.lost_events_left = lost_events_whole;
    header.state = header.state.of(static_cast<uint32_t>(State::recording));
    header.children = header.children.of(0);
    header.sections = header.sections.of(0);
    header.rings_and_process = header.rings_and_process.of(0);
}

}  // namespace memtrace::preload
