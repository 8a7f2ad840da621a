// SPDX-License-Identifier: Apache-2.0
//
// Records about searches for blocks that nothing points to any more.
//
// A search looks at a copy of the process as it was at one moment: a forked child that stands
// still. Its stages come in this order, all in one lane: `begun` for each copy, then one LostBlock
// for each block that is not plainly reachable, then `done`. Instead of `done` there may be
// `failed`, and a search that was not possible has only `refused`. A search that has no end yet
// says nothing.
#pragma once

#include <cstdint>

#include "memtrace/dump/field_coding.h"
#include "memtrace/dump/names.h"

namespace memtrace {

enum class LostStage : uint8_t { begun = 0, done = 1, failed = 2, refused = 3 };

enum class LostCause : uint8_t {
    work_end = 0,  // lost=exit, when the work ended
    asked = 1,     // `memtrace lost PID`
    program = 2,   // memtrace_check_lost() or a function of LeakSanitizer's interface
    interval = 3,  // lost=10m
};

// What memcheck calls a block's state. Every block that was searched and is not named is still
// reachable: a chain of pointers to the beginnings of blocks leads to it.
enum class LostKind : uint8_t {
    definitely = 0,  // no pointer to it
    indirectly = 1,  // pointers to it only in blocks that are lost
    possibly = 2,    // a pointer into its middle, or the search was not sure
    ignored = 3,     // the program said that it should be left out
    garbage = 4,     // only objects of Python that nothing else refers to hold it (gc.collect())
};

struct LostSearch {
    static constexpr uint8_t tag = 53;
    static constexpr const char* name = "lost_search";
    uint64_t time = 0;
    LostStage stage = LostStage::begun;
    LostCause cause = LostCause::work_end;
    uint64_t pause = 0;    // begun: ticks for which the program stood still
    uint64_t threads = 0;  // begun: other threads that were alive
    uint64_t blocks = 0;   // done: blocks that were searched
    uint64_t bytes = 0;    // done: their bytes
    uint64_t work = 0;     // done: microseconds that the search took
    Text text = {};        // a sentence: why it failed, or what is not sure; empty: nothing

    static constexpr void fields(auto&& self, auto&& each) {
        each("stage", self.stage, coding::plain);
        each("cause", self.cause, coding::plain);
        each("pause", self.pause, coding::plain);
        each("threads", self.threads, coding::plain);
        each("blocks", self.blocks, coding::plain);
        each("bytes", self.bytes, coding::plain);
        each("work", self.work, coding::plain);
        each("text", self.text, coding::text);
    }
};

struct LostBlock {
    static constexpr uint8_t tag = 54;
    static constexpr const char* name = "lost_block";
    uint64_t time = 0;
    uint64_t address = 0;
    LostKind kind = LostKind::definitely;

    static constexpr void fields(auto&& self, auto&& each) {
        each("address", self.address, coding::delta);
        each("kind", self.kind, coding::plain);
    }
};

// The program says that the blocks which this lane's thread acquires are not to be searched for
// (__lsan_disable), or that they are again.
struct LostScope {
    static constexpr uint8_t tag = 55;
    static constexpr const char* name = "lost_scope";
    uint64_t time = 0;
    uint64_t is_disabled = 0;  // 0 or 1

    static constexpr void fields(auto&& self, auto&& each) {
        each("is_disabled", self.is_disabled, coding::plain);
    }
};

}  // namespace memtrace
