// SPDX-License-Identifier: Apache-2.0
//
// A dump that was compacted. Inputs are changed inside the state that it was compacted to, and its
// sizes and checksums made to fit.
#include <algorithm>
#include <cstring>
#include <string>

#include "analyzer/base/error.h"
#include "analyzer/reader/packed_state.h"
#include "memtrace/dump/hash.h"
#include "tests/damage/kinds.h"
#include "tests/fuzz/report_run.h"
#include "tests/fuzz/targets.h"
#include "tests/tools/files.h"

namespace memtrace::test {
namespace {

constexpr size_t raw_max = 1 << 20;

// The sections of the dump, and which of them is the past.
struct Parts {
    Bytes before, after;
    analyzer::Past past;
    std::string state;
};

bool take_apart(const Bytes& bytes, Parts& parts) {
    for (const Patient::Section& section : make_patient(bytes).sections) {
        SectionHeader header;
        std::memcpy(&header, bytes.data() + section.begin, sizeof header);
        if (header.kind != SectionKind::past) continue;
        analyzer::Problems problems;
        const TempFile file(bytes);
        const analyzer::DumpFile dump(file.path(), problems);
        if (read_past(dump, section.begin, header, bytes.size(), parts.past) != nullptr)
            return false;
        if (parts.past.raw_bytes > raw_max) return false;
        analyzer::StateUnpacker state(parts.past, dump);
        while (parts.state.size() < parts.past.raw_bytes) parts.state += state.next();
        const auto begin = bytes.begin() + static_cast<ptrdiff_t>(section.begin);
        const auto end = bytes.begin() + static_cast<ptrdiff_t>(section.end);
        parts.before.assign(bytes.begin(), begin);
        parts.after.assign(end, bytes.end());
        return true;
    }
    return false;
}

}  // namespace

size_t mutate_past(uint8_t* data, size_t size, size_t size_max, unsigned seed,
                   const ChangeBytes& change) {
    Parts parts;
    try {
        if (seed % 16 == 0 || !take_apart(Bytes(data, data + size), parts))
            return change(data, size, size_max);
    } catch (const analyzer::Error&) {
        return change(data, size, size_max);
    }
    const size_t old_size = parts.state.size();
    parts.state.resize(old_size + 64);
    parts.state.resize(
        change(reinterpret_cast<uint8_t*>(parts.state.data()), old_size, parts.state.size()));
    analyzer::StatePacker packer;
    packer.add(parts.state);
    const analyzer::PackedState packed = packer.finish();
    parts.past.raw_bytes = packed.raw_bytes;
    const std::string section = analyzer::write_past(parts.past, packed.bytes);
    Bytes made = parts.before;
    made.insert(made.end(), section.begin(), section.end());
    made.insert(made.end(), parts.after.begin(), parts.after.end());
    if (made.size() > size_max) return size;
    const uint64_t end = made.size();
    std::memcpy(made.data() + offsetof(FileHeader, file_end), &end, sizeof end);
    std::copy(made.begin(), made.end(), data);
    return made.size();
}

void run_past(const uint8_t* data, size_t size) { report_on(Bytes(data, data + size)); }

}  // namespace memtrace::test
