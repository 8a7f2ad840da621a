// SPDX-License-Identifier: Apache-2.0
//
// What a dump says, after replay: plain data that reports read and never change.
//
// Invariant: for every space, the sum over its sites equals the space's totals, field by field.
// Events without a stack belong to a site of their own (stack 0), so nothing is ever missing. That
// holds of a phase, too, where one was asked for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/gpu_model.h"
#include "analyzer/model/phase_model.h"
#include "analyzer/model/site_groups.h"
#include "analyzer/model/site_history.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

// ---- where -------------------------------------------------------------------------------------

struct ModuleInfo {
    uint64_t begin = 0;  // mapped addresses [begin, end)
    uint64_t end = 0;
    uint64_t bias = 0;  // address in memory - address in the ELF file
    std::string path;
    std::string build_id;  // raw bytes; empty if it has none
};

struct StackNode {
    uint32_t parent = no_stack;
    uint32_t module = no_module;
    NodeKind kind = NodeKind::native;
    uint64_t address = 0;
    bool defined = false;       // False: the dump uses this id and lost its definition.
    Group group = Group::none;  // No call, but memory that somebody keeps: see site_groups.h.
    // Not a frame of the program, but what its callees did: an index into StackTree::backwards.
    uint32_t backward = 0;
};

// A node that autograd ran backward. Where its own block was allocated an operation went forward.
struct Backward {
    uint64_t type = 0;            // an address in the vtable of its class
    uint32_t module = no_module;  // that has the vtable
    uint32_t forward = no_stack;  // that allocated the node; no_stack: not recorded
};

// Whether it says that frames of Python are missing, and why.
constexpr bool is_python_gap(const StackNode& node) {
    return node.defined && node.kind == NodeKind::python && python_code_of(node.address) == 0;
}
constexpr PythonGap python_gap_of(const StackNode& node) {
    return static_cast<PythonGap>(python_position_of(node.address));
}

// A code object of Python.
struct PythonCodeInfo {
    std::string name;  // UTF-8, as is the file
    std::string file;
    uint64_t first_line = 0;
    std::string lines;  // the line table, as far as the dump has it from its beginning on
    bool lines_whole = false;
    PythonLinesFormat lines_format = PythonLinesFormat::lnotab;
};

// Every call stack of the dump. A stack is the id of its innermost node; walk `parent` to the root.
struct StackTree {
    std::vector<StackNode> nodes;              // by id; nodes[0] is "no stack"
    std::map<uint32_t, ModuleInfo> modules;    // by id, 0 excluded
    std::map<uint32_t, PythonCodeInfo> codes;  // by id
    std::vector<Backward> backwards{1};        // [0]: none
    uint32_t autograd_module = no_module;      // that has the engine
};

// ---- how much ----------------------------------------------------------------------------------

// Counts of one site, or of one space. A resize counts as one free and one allocation.
struct Totals {
    uint64_t allocations = 0;
    uint64_t frees = 0;
    uint64_t allocated_bytes = 0;
    uint64_t live_blocks = 0;  // at the end: what is called leaked
    uint64_t live_bytes = 0;
    uint64_t at_peak_blocks = 0;  // while the space was at its peak
    uint64_t at_peak_bytes = 0;
    uint64_t own_peak_bytes = 0;  // the most that it ever held; for a space: its peak
    uint64_t temporary = 0;       // allocations freed by their thread before its next one
    uint64_t held_blocks = 0;     // when the work ended (ProcessInfo::work_end_ns)
    uint64_t held_bytes = 0;
};

struct Site {
    uint32_t stack = no_stack;
    Totals totals;
    uint32_t backward = 0;  // the one that is in the stack: index into StackTree::backwards
};

// What is known about Python's small objects as a whole.
struct ObjectsInfo {
    PythonObjectsState state = PythonObjectsState::off;
    std::string why;        // if off or late
    uint64_t interval = 0;  // not 0: a sample, one in so many bytes; all figures are estimates
    uint64_t sampled = 0;   // blocks of the sample
    uint64_t arena_bytes_at_peak = 0;  // mapped for arenas while the space was at its peak
    uint64_t arena_bytes = 0;          // at the end
    uint64_t gone_with_arenas = 0;     // blocks whose arena was unmapped under them
};

struct Space {
    std::string name;  // "host", "mmap", "python", later "device:0", …
    Totals totals;
    uint64_t peak_time_ns = 0;  // since the start of the recording
    std::vector<Site> sites;    // one for each stack that ever acquired here
    std::map<std::string, Totals>
        classes;  // mmap: anonymous, file, shared, reserved, python_arena, gpu_driver; of GPUs:
                  // words of GpuMemory, kept_by_pools (no peaks by site)
    bool is_estimate = false;  // of a sample
    // Only if they were asked for (LoadOptions): of the whole space, and of each site.
    SiteHistory history;
    std::vector<SiteHistory> histories;
};

// ---- what else ---------------------------------------------------------------------------------

struct Problem {
    std::string what;     // a sentence
    uint64_t offset = 0;  // bytes [offset, offset + bytes) of the dump; 0, 0: no single place
    uint64_t bytes = 0;
};

struct ThreadInfo {
    uint64_t tid = 0;
    std::string name;
    uint64_t start_ns = 0;
    std::optional<uint64_t> end_ns;
    uint64_t allocations = 0;
    uint64_t allocated_bytes = 0;
};

struct RssSample {
    uint64_t time_ns = 0;
    uint64_t rss = 0;
    uint64_t pss = 0;  // 0: not measured at this moment
};

struct MarkInfo {
    uint64_t time_ns = 0;
    MarkKind kind = MarkKind::mark;
    std::string text;
};

struct NoteInfo {
    std::string subject;
    std::string text;
};

// An event that contradicts what came before; the first few are kept, to be looked into.
struct AnomalyInfo {
    uint64_t time_ns = 0;
    uint32_t lane = 0;
    uint64_t address = 0;
    std::string what;  // "acquired while live", "released while not live", …
};

struct ProcessInfo {
    std::vector<std::string> command;
    std::string executable;
    std::string shim_version;
    std::string rank;  // "RANK=3"; empty: none
    uint64_t pid = 0;
    uint64_t parent_pid = 0;
    uint64_t forked_from = 0;  // 0: not a fork child
    uint64_t start_realtime_ns = 0;
    uint64_t duration_ns = 0;     // from the first to the last record
    std::string end = "unknown";  // "exit 0", "exec", "unknown" (still running or killed)
    // When the program began to tidy up; nothing: it did not, or the dump does not say.
    std::optional<uint64_t> work_end_ns;
    uint64_t children = 0;        // forked or spawned
    uint64_t machine_memory = 0;  // bytes; 0: an older dump does not say. So of the next
    uint64_t memory_limit = 0;    // of the process's control groups; 0: none
};

struct PythonInfo {
    PythonState state = PythonState::none;
    uint64_t version = 0;  // as PY_VERSION_HEX; 0: not known
    std::string why;       // if off
};

struct Capture {
    uint64_t events = 0;           // acquire, release, resize, map, unmap, remap; also of GPUs
    uint64_t lost_events = 0;      // counted by the shim, plus gaps found in the dump
    uint64_t anomalies = 0;        // acquisitions of live addresses, releases of unknown ones
    uint64_t inherited_frees = 0;  // fork child: releases of blocks of before the fork
    uint64_t dump_bytes = 0;
    uint64_t stacks = 0;               // stack nodes
    uint64_t captures = 0;             // acquisitions for which a stack was asked
    uint64_t captures_truncated = 0;   // of these: cut, see Cut
    std::map<Cut, uint64_t> cuts;      // truncated captures by reason
    std::optional<PythonInfo> python;  // nothing: the dump does not say
    std::optional<ObjectsInfo> python_objects;
    Walks walks;                       // of all lanes; `of_lane` and `time` say nothing here
    PythonWalks python_walks;          // the same of Python's stacks
    std::optional<ShimTables> tables;  // of the shim, at the end; old dumps do not say
    std::map<PythonGap, uint64_t> python_gaps;  // captures whose Python frames are not all there
    std::vector<AnomalyInfo> first_anomalies;
};

struct Model {
    ProcessInfo process;
    Capture capture;
    StackTree stacks;
    std::vector<Space> spaces;      // "host" first; a space without events is absent
    std::vector<Problem> problems;  // empty: the dump is whole
    std::vector<ThreadInfo> threads;
    std::vector<RssSample> samples;
    std::vector<MarkInfo> marks;
    std::optional<PhaseList> phases;  // nothing: they were not asked for
    std::optional<AskedPhase> phase;  // Spaces and sites are about this phase only.
    GpuInfo gpu;
    std::vector<NoteInfo> notes;                 // what the shim says that a reader must know
    std::map<std::string, std::string> options;  // that the recording ran with
    RunSlices slices;      // that histories count by; empty: none were asked for
    bool damaged = false;  // Exit code 3: something is missing or could not be read.
};

}  // namespace memtrace::analyzer
