// SPDX-License-Identifier: Apache-2.0
//
// The kinds of damage that a file can take on disks, in copies and by hands: bits and bytes that
// change, parts that are cut off, zero, moved, doubled or in between, single pages, single headers.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tests/tools/dump_builder.h"

namespace memtrace::test {

using Random = std::mt19937_64;

// Where a dump may be damaged: the bytes, and the sections that stood in them at first.
struct Patient {
    struct Section {
        uint64_t begin;
        uint64_t end;
    };
    Bytes bytes;
    std::vector<Section> sections;
};

struct DamageKind {
    const char* name;
    void (*apply)(Patient&, Random&);
};

const std::vector<DamageKind>& damage_kinds();

// Finds the sections of a whole dump.
Patient make_patient(const Bytes& whole);

// Returns the dump with a damage of this kind, which changes at least one byte or the size; the
// dump as it is if this kind of damage cannot change it. The same seed makes the same damage.
Bytes damaged(const Patient& whole, const DamageKind& kind, uint64_t seed);

}  // namespace memtrace::test
