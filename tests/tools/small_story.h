// SPDX-License-Identifier: Apache-2.0
//
// A story of few records for tests of how dumps are read: two lanes, a text of several slots, and
// 57 bytes that are alive at the end.
#pragma once

#include "tests/tools/story.h"

namespace memtrace::test {

inline constexpr const char* small_story = R"(
    process pid=1 executable="/bin/x"
    acquire lane=0 time=10 stack=0 size=100 address=0x1000
    acquire lane=0 time=20 stack=0 size=50 address=0x2000
    acquire lane=1 time=25 stack=0 size=7 address=0x3000
    note lane=0 time=26 subject="a" text="a text of several slots in the ring of its lane"
    release lane=0 time=30 address=0x1000
)";

inline uint64_t live_bytes(const analyzer::Model& model) {
    return space_named(model, "host")->totals.live_bytes;
}

}  // namespace memtrace::test
