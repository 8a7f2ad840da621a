// SPDX-License-Identifier: Apache-2.0
//
// What a dump says about the process as a whole: who was recorded and how, where it says that it
// is, how it ends, and what a reader must know.
#pragma once

#include <cstdint>

#include "memtrace/dump/field_coding.h"
#include "memtrace/dump/names.h"

namespace memtrace {

// The program says where it is: a point, or the begin or end of a phase.
struct Mark {
    static constexpr uint8_t tag = 14;
    static constexpr const char* name = "mark";
    uint64_t time = 0;
    MarkKind kind = MarkKind::mark;
    Text text = {};
    MarkSource source = MarkSource::program;
    Text domain = {};    // nvtx: who annotates; empty: nobody in particular
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

// The process forked. Traced children write dumps of their own.
struct Fork {
    static constexpr uint8_t tag = 15;
    static constexpr const char* name = "fork";
    uint64_t time = 0;
    uint64_t child_pid = 0;

    static constexpr void fields(auto&& self, auto&& each) {
        each("child_pid", self.child_pid, coding::plain);
    }
};

// The program is about to end. Destructors and exec failures may let events follow.
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

// The program has done its work: what follows tidies up, and what is freed there says nothing of
// what was held while it ran. Python's comes when the interpreter begins to finalise; the program's
// when exit() is called or main() returned, before exit handlers and static destructors. A program
// that ends without coming here was at work to the end.
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

// Who was recorded: the only record of the first chunk, together with Options and a Clock.
struct Process {
    static constexpr uint8_t tag = 18;
    static constexpr const char* name = "process";
    uint64_t time = 0;
    uint64_t pid = 0;
    uint64_t parent_pid = 0;
    uint64_t forked_from = 0;  // pid whose heap it inherited by fork; 0: started by exec
    Text executable = {};
    Text arguments = {};  // each ended by a zero byte
    Text rank = {};       // "RANK=3" or the like; empty: none
    Text shim_version = {};
    uint64_t machine_memory = 0;  // bytes; 0: it is not known, as in older dumps. So is the next
    uint64_t memory_limit = 0;    // the least that a control group allows the process; 0: none

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

// One setting that the recording ran with.
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

// What the shim's own tables take of the process's memory: no other figure has it but the resident
// set. A later one replaces the earlier ones.
struct ShimTables {
    static constexpr uint8_t tag = 43;
    static constexpr const char* name = "shim_tables";
    uint64_t time = 0;
    uint64_t stacks = 0;      // bytes: nodes of call stacks, of all threads
    uint64_t rules = 0;       // unwind rules by return address, of all threads
    uint64_t python = 0;      // code objects of Python, of all threads
    uint64_t threads = 0;     // what threads remember of their last stacks, together
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
