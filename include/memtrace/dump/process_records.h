// SPDX-License-Identifier: Apache-2.0
//
// Records about the process as a whole: the recorded process and its settings, the progress that
// the program reports, its end, and what a reader must know.
#pragma once

#include <cstdint>

#include "memtrace/dump/field_coding.h"
#include "memtrace/dump/names.h"

namespace memtrace {

// The program reports its progress: a point, or the begin or end of a phase.
struct Mark {
    static constexpr uint8_t tag = 14;
    static constexpr const char* name = "mark";
    uint64_t time = 0;
    MarkKind kind = MarkKind::mark;
    Text text = {};
    MarkSource source = MarkSource::program;
    Text domain = {};    // nvtx: the annotating component; empty: the default domain
    uint64_t range = 0;  // nvtx: the number of a range that another thread may end; 0: none
    MarkScope scope = MarkScope::process;

    static constexpr void fields(auto&& self, auto&& each) {
        each("kind", self.kind, coding::plain);
        each("text", self.text, coding::text);
        each("source", self.source, coding::plain);
        each("domain", self.domain, coding::text);
        each("range", self.range, coding::plain);
        each("scope", self.scope, coding::plain);
    }
};

// The process forked. Traced children write separate dumps.
struct Fork {
    static constexpr uint8_t tag = 15;
    static constexpr const char* name = "fork";
    uint64_t time = 0;
    uint64_t child_pid = 0;

    static constexpr void fields(auto&& self, auto&& each) {
        each("child_pid", self.child_pid, coding::plain);
    }
};

// The program is about to end. Events may still follow, from destructors or after a failed exec.
struct End {
    static constexpr uint8_t tag = 16;
    static constexpr const char* name = "end";
    uint64_t time = 0;
    EndKind kind = EndKind::exit;
    uint64_t code = 0;

    static constexpr void fields(auto&& self, auto&& each) {
        each("kind", self.kind, coding::plain);
        each("code", self.code, coding::plain);
    }
};

// The program has done its work. What follows is clean-up, and what is freed there does not change
// what was held while it ran. Python's record comes when the interpreter begins to finalise. The
// program's comes when exit() is called or main() has returned, before exit handlers and static
// destructors. A program that ends without either was at work until the end.
struct WorkEnd {
    static constexpr uint8_t tag = 44;
    static constexpr const char* name = "work_end";
    uint64_t time = 0;
    WorkEndKind kind = WorkEndKind::program;

    static constexpr void fields(auto&& self, auto&& each) {
        each("kind", self.kind, coding::plain);
    }
};

// Something that a reader of the report must know: what could not be watched, and why.
struct Note {
    static constexpr uint8_t tag = 17;
    static constexpr const char* name = "note";
    uint64_t time = 0;
    Text subject = {};  // a word: coverage, unwinder, stopped, fallback
    Text text = {};     // a sentence

    static constexpr void fields(auto&& self, auto&& each) {
        each("subject", self.subject, coding::text);
        each("text", self.text, coding::text);
    }
};

// The recorded process. The first chunk contains only this record, Options and a Clock.
struct Process {
    static constexpr uint8_t tag = 18;
    static constexpr const char* name = "process";
    uint64_t time = 0;
    uint64_t pid = 0;
    uint64_t parent_pid = 0;
    uint64_t forked_from = 0;  // pid whose heap it inherited by fork; 0: started by exec
    Text executable = {};
    Text arguments = {};  // each ended by a zero byte
    Text rank = {};       // for example "RANK=3"; empty: none
    Text shim_version = {};
    uint64_t machine_memory = 0;  // bytes; 0: not known, as in older dumps
    uint64_t memory_limit = 0;    // lowest limit of its control groups; 0: none, or an older dump

    static constexpr void fields(auto&& self, auto&& each) {
        each("pid", self.pid, coding::plain);
        each("parent_pid", self.parent_pid, coding::plain);
        each("forked_from", self.forked_from, coding::plain);
        each("executable", self.executable, coding::text);
        each("arguments", self.arguments, coding::text);
        each("rank", self.rank, coding::text);
        each("shim_version", self.shim_version, coding::text);
        each("machine_memory", self.machine_memory, coding::plain);
        each("memory_limit", self.memory_limit, coding::plain);
    }
};

// One setting of the recording.
struct Option {
    static constexpr uint8_t tag = 19;
    static constexpr const char* name = "option";
    uint64_t time = 0;
    Text key = {};
    Text value = {};

    static constexpr void fields(auto&& self, auto&& each) {
        each("key", self.key, coding::text);
        each("value", self.value, coding::text);
    }
};

// Of the heap, only a sample is recorded. Every requested byte was chosen with the same chance, 1
// in `interval`, and a block that has a chosen byte is in the sample. So a block of `size` bytes
// stands for 1 / (1 - exp(-size / interval)) blocks. A resize of a sampled heap is a Release and an
// Acquire.
//
// Among the records about the process (time 0), it holds for every thread. In a thread's lane, it
// holds for the lane's acquisitions from there on, until the next one. If none is about the
// process, all blocks before the first in a lane are recorded, and so are their releases. From then
// on there may be releases of blocks that the dump does not have.
struct HeapSample {
    static constexpr uint8_t tag = 50;
    static constexpr const char* name = "heap_sample";
    uint64_t time = 0;
    uint64_t interval = 0;  // bytes

    static constexpr void fields(auto&& self, auto&& each) {
        each("interval", self.interval, coding::plain);
    }
};

// The recording was switched off or on while the program ran (option start=later, `memtrace start`
// and `memtrace stop`). Among the records about the process (time 0), it was off from the start.
//
// What the program does between `off` and the next `on` is not in the dump, but for events of
// threads that were at work on them when it was switched. So any block that was acquired before
// `on` may be gone, and other blocks may lie at its addresses.
struct RecordingSwitch {
    static constexpr uint8_t tag = 52;
    static constexpr const char* name = "recording_switch";
    uint64_t time = 0;
    SwitchState state = SwitchState::off;

    static constexpr void fields(auto&& self, auto&& each) {
        each("state", self.state, coding::plain);
    }
};

// Memory of the process that the shim's own tables take. No other figure except the resident set
// contains it. A later record replaces earlier ones.
struct ShimTables {
    static constexpr uint8_t tag = 43;
    static constexpr const char* name = "shim_tables";
    uint64_t time = 0;
    uint64_t stacks = 0;      // bytes: nodes of call stacks, of all threads
    uint64_t rules = 0;       // unwind rules by return address, of all threads
    uint64_t python = 0;      // code objects of Python, of all threads
    uint64_t threads = 0;     // what threads remember of their last stacks, in total
    uint64_t thread_max = 0;  // of these: the thread with the most

    static constexpr void fields(auto&& self, auto&& each) {
        each("stacks", self.stacks, coding::delta);
        each("rules", self.rules, coding::delta);
        each("python", self.python, coding::delta);
        each("threads", self.threads, coding::delta);
        each("thread_max", self.thread_max, coding::delta);
    }
};

}  // namespace memtrace
