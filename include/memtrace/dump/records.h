// SPDX-License-Identifier: Apache-2.0
//
// The records of a dump. Each record is a plain struct with a tag and one function, fields(), that
// lists its fields once for all users: the writer, the reader, the text view and the tests. Records
// about the process as a whole are in process_records.h, about Python in python_records.h, about
// autograd in autograd_records.h, about GPUs in gpu_records.h, about the resident set in
// host_records.h.
//
//   fields(self, each)   calls each(name, field, coding) for every field in order.
//
// `coding` (field_coding.h) tells columns.h how to pack the field. It never changes the meaning of
// the field. Tags and field order are stored in existing dumps: append, never renumber, never
// reuse. A reader skips unknown tags and unknown trailing fields, and leaves fields that an old
// dump lacks at their defaults.
//
// Units: time in ticks since FileHeader::ticks_zero (Clock records relate ticks to nanoseconds),
// sizes in bytes, addresses as in the traced process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "memtrace/dump/autograd_records.h"  // IWYU pragma: export
#include "memtrace/dump/field_coding.h"
#include "memtrace/dump/gpu_records.h"   // IWYU pragma: export
#include "memtrace/dump/host_records.h"  // IWYU pragma: export
#include "memtrace/dump/lost_records.h"
#include "memtrace/dump/names.h"            // IWYU pragma: export
#include "memtrace/dump/process_records.h"  // IWYU pragma: export
#include "memtrace/dump/python_records.h"   // IWYU pragma: export

namespace memtrace {

// ---- records -----------------------------------------------------------------------------------

// One frame of a call stack: `address`, called from the stack `parent`.
struct Node {
    static constexpr uint8_t tag = 1;
    static constexpr const char* name = "node";
    uint64_t time = 0;
    uint32_t id = 0;
    uint32_t parent = no_stack;
    uint32_t module = no_module;
    NodeKind kind = NodeKind::native;
    uint64_t address = 0;

    static constexpr void fields(auto&& self, auto&& each) {
        each("id", self.id, coding::delta);
        each("parent", self.parent, coding::delta);
        each("module", self.module, coding::delta);
        each("kind", self.kind, coding::plain);
        each("address", self.address, coding::delta);
    }
};

// A heap block came into being.
struct Acquire {
    static constexpr uint8_t tag = 2;
    static constexpr const char* name = "acquire";
    uint64_t time = 0;  // after the allocator returned
    Api api = Api::none;
    uint32_t stack = no_stack;
    uint64_t size = 0;  // requested bytes
    uint64_t address = 0;

    static constexpr void fields(auto&& self, auto&& each) {
        each("api", self.api, coding::plain);
        each("stack", self.stack, coding::stack);
        each("size", self.size, coding::size);
        each("address", self.address, coding::acquired);
    }
};

// A heap block goes away.
struct Release {
    static constexpr uint8_t tag = 3;
    static constexpr const char* name = "release";
    uint64_t time = 0;  // before the allocator was called
    Api api = Api::none;
    uint64_t address = 0;

    static constexpr void fields(auto&& self, auto&& each) {
        each("api", self.api, coding::plain);
        each("address", self.address, coding::released);
    }
};

// A heap block was resized, perhaps moved. Written only if the call succeeded. The old address was
// the block's until time + duration, unless another event took it in between. Then it was free from
// `time` on.
struct Resize {
    static constexpr uint8_t tag = 4;
    static constexpr const char* name = "resize";
    uint64_t time = 0;      // before the allocator was called
    uint64_t duration = 0;  // ticks until it returned
    Api api = Api::none;
    uint64_t old_address = 0;
    uint32_t stack = no_stack;
    uint64_t size = 0;  // the new size
    uint64_t address = 0;

    static constexpr void fields(auto&& self, auto&& each) {
        each("duration", self.duration, coding::plain);
        each("api", self.api, coding::plain);
        each("old_address", self.old_address, coding::released);
        each("stack", self.stack, coding::stack);
        each("size", self.size, coding::size);
        each("address", self.address, coding::acquired);
    }
};

// Pages were mapped. Earlier mappings of these pages are gone.
struct Map {
    static constexpr uint8_t tag = 5;
    static constexpr const char* name = "map";
    uint64_t time = 0;  // after the call
    Api api = Api::none;
    MapClass map_class = MapClass::anonymous;
    uint64_t address = 0;
    uint64_t size = 0;  // whole pages
    uint32_t stack = no_stack;
    MapPurpose purpose = MapPurpose::unknown;

    static constexpr void fields(auto&& self, auto&& each) {
        each("api", self.api, coding::plain);
        each("class", self.map_class, coding::plain);
        each("address", self.address, coding::delta);
        each("size", self.size, coding::plain);
        each("stack", self.stack, coding::stack);
        each("purpose", self.purpose, coding::plain);
    }
};

// Pages were unmapped: a mapping, a part of a mapping, or several mappings.
struct Unmap {
    static constexpr uint8_t tag = 6;
    static constexpr const char* name = "unmap";
    uint64_t time = 0;  // before the call; written only if it succeeded
    Api api = Api::none;
    uint64_t address = 0;
    uint64_t size = 0;

    static constexpr void fields(auto&& self, auto&& each) {
        each("api", self.api, coding::plain);
        each("address", self.address, coding::delta);
        each("size", self.size, coding::plain);
    }
};

// A mapping was resized or moved. Its class stays the same.
struct Remap {
    static constexpr uint8_t tag = 7;
    static constexpr const char* name = "remap";
    uint64_t time = 0;  // before the call; written only if it succeeded
    uint64_t duration = 0;
    Api api = Api::none;
    uint64_t old_address = 0;
    uint64_t old_size = 0;
    uint64_t address = 0;
    uint64_t size = 0;
    uint32_t stack = no_stack;

    static constexpr void fields(auto&& self, auto&& each) {
        each("duration", self.duration, coding::plain);
        each("api", self.api, coding::plain);
        each("old_address", self.old_address, coding::delta);
        each("old_size", self.old_size, coding::plain);
        each("address", self.address, coding::delta);
        each("size", self.size, coding::plain);
        each("stack", self.stack, coding::stack);
    }
};

// A loaded object whose code occurs in stacks. Nodes refer to it by id.
struct Module {
    static constexpr uint8_t tag = 8;
    static constexpr const char* name = "module";
    uint64_t time = 0;
    uint32_t id = 0;
    uint64_t begin = 0;  // first mapped address
    uint64_t end = 0;    // one past the last
    uint64_t bias = 0;   // address in memory - address in the ELF file
    Text path = {};
    Text build_id = {};  // raw bytes of the GNU note; empty if it has none

    static constexpr void fields(auto&& self, auto&& each) {
        each("id", self.id, coding::plain);
        each("begin", self.begin, coding::plain);
        each("end", self.end, coding::plain);
        each("bias", self.bias, coding::plain);
        each("path", self.path, coding::text);
        each("build_id", self.build_id, coding::text);
    }
};

// From here on the lane belongs to this thread.
struct ThreadStart {
    static constexpr uint8_t tag = 9;
    static constexpr const char* name = "thread_start";
    uint64_t time = 0;
    uint64_t tid = 0;

    static constexpr void fields(auto&& self, auto&& each) { each("tid", self.tid, coding::plain); }
};

// The current name of a thread. The last record counts.
struct ThreadName {
    static constexpr uint8_t tag = 10;
    static constexpr const char* name = "thread_name";
    uint64_t time = 0;
    Text text = {};
    uint64_t tid = 0;  // 0: the thread that the lane belongs to

    static constexpr void fields(auto&& self, auto&& each) {
        each("text", self.text, coding::text);
        each("tid", self.tid, coding::plain);
    }
};

// The thread runs its last destructors. Events may still follow.
struct ThreadEnd {
    static constexpr uint8_t tag = 11;
    static constexpr const char* name = "thread_end";
    uint64_t time = 0;

    static constexpr void fields(auto&&, auto&&) {}
};

// The same moment on three clocks: `time`, CLOCK_MONOTONIC and CLOCK_REALTIME.
struct Clock {
    static constexpr uint8_t tag = 12;
    static constexpr const char* name = "clock";
    uint64_t time = 0;
    uint64_t monotonic_ns = 0;
    uint64_t realtime_ns = 0;

    static constexpr void fields(auto&& self, auto&& each) {
        each("monotonic_ns", self.monotonic_ns, coding::delta);
        each("realtime_ns", self.realtime_ns, coding::delta);
    }
};

// Memory of the process, as reported by the kernel.
struct Sample {
    static constexpr uint8_t tag = 13;
    static constexpr const char* name = "sample";
    uint64_t time = 0;
    uint64_t rss = 0;
    uint64_t pss = 0;  // 0: not measured this time (it costs the kernel a walk of all pages)
    uint64_t own = 0;  // part of rss that is memtrace's; 0: not measured, or an older dump

    static constexpr void fields(auto&& self, auto&& each) {
        each("rss", self.rss, coding::delta);
        each("pss", self.pss, coding::delta);
        each("own", self.own, coding::delta);
    }
};

// Totals of a lane's stack walks since it was begun. A later record replaces earlier ones.
struct Walks {
    static constexpr uint8_t tag = 20;
    static constexpr const char* name = "walks";
    uint64_t time = 0;
    uint64_t of_lane = 0;
    uint64_t walked = 0;      // frames for which an unwind rule was applied
    uint64_t verified = 0;    // frames that were compared with an earlier stack and had not changed
    uint64_t splices = 0;     // stacks whose outer part, or all, came from an earlier stack
    uint64_t mismatches = 0;  // times that a word of the last stack had changed
    uint64_t bridged = 0;     // frames that were found by a full step
    uint64_t guessed = 0;     // frames without unwind data that were found through rbp
    uint64_t recognised = 0;  // stacks recognised whole: all words read to find them are equal

    static constexpr void fields(auto&& self, auto&& each) {
        each("of_lane", self.of_lane, coding::plain);
        each("walked", self.walked, coding::delta);
        each("verified", self.verified, coding::delta);
        each("splices", self.splices, coding::delta);
        each("mismatches", self.mismatches, coding::delta);
        each("bridged", self.bridged, coding::delta);
        each("guessed", self.guessed, coding::delta);
        each("recognised", self.recognised, coding::delta);
    }
};

// All records of a dump.
template <class... Record>
struct TypeList {};
using Records =
    TypeList<Node, Acquire, Release, Resize, Map, Unmap, Remap, Module, ThreadStart, ThreadName,
             ThreadEnd, Clock, Sample, Mark, Fork, End, Note, Process, Option, Walks, PythonCode,
             PythonLines, PythonStatus, PythonObjects, PythonWalks, AutogradEngine, AutogradNode,
             GpuSource, GpuDevice, GpuAcquire, GpuRelease, GpuRetain, GpuMap, GpuUnmap, GpuContext,
             GpuOverhead, GpuPool, GpuRefused, GpuUsage, TensorAcquire, TensorRelease,
             TensorRefused, ShimTables, WorkEnd, HostMoment, HostRegion, HostPages, HostRange,
             HostMomentEnd, HeapSample, ObjectSample, RecordingSwitch, LostSearch, LostBlock,
             LostScope>;
inline constexpr unsigned tag_max = 55;
inline constexpr unsigned fields_max = 8;

// Calls f(std::type_identity<Record>) for the record with this tag. Returns false if there is none.
template <class... Record>
constexpr bool with_record(TypeList<Record...>, unsigned tag, auto&& f) {
    return ((tag == Record::tag ? (f(std::type_identity<Record>{}), true) : false) || ...);
}

template <class... Record>
constexpr void for_each_record(TypeList<Record...>, auto&& f) {
    (f(std::type_identity<Record>{}), ...);
}

}  // namespace memtrace
