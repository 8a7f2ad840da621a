// SPDX-License-Identifier: Apache-2.0
//
// The contents of a dump after replay: plain data that reports read and never change.
//
// Invariant: for every space, the sum over its sites equals the space's totals, field by field.
// Events without a stack belong to a site of their own (stack 0), so nothing is ever missing. The
// invariant also holds for a model of a single phase.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/gpu_model.h"
#include "analyzer/model/host_model.h"
#include "analyzer/model/phase_model.h"
#include "analyzer/model/site_groups.h"
#include "analyzer/model/site_histories.h"
#include "analyzer/model/sites.h"
#include "analyzer/model/source_loop.h"
#include "analyzer/model/stack_nodes.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

struct RunWatch;  // run_watch.h

// ---- where -------------------------------------------------------------------------------------

struct ModuleInfo {
    uint64_t begin = 0;  // mapped addresses [begin, end)
    uint64_t end = 0;
    uint64_t bias = 0;  // address in memory - address in the ELF file
    std::string path;
    std::string build_id;  // raw bytes; empty: none
};

// A node that autograd ran backward. The forward operation ran where the node's own block was
// allocated.
struct Backward {
    uint64_t type = 0;            // address in the vtable of its class
    uint32_t module = no_module;  // module that contains the vtable
    uint32_t forward = no_stack;  // stack that allocated the node; no_stack: not recorded
};

// True if the node stands for missing frames of Python. python_gap_of() returns the reason.
constexpr bool is_python_gap(const Location& node) {
    return node.defined && node.kind == NodeKind::python && python_code_of(node.address) == 0;
}
constexpr PythonGap python_gap_of(const Location& node) {
    return static_cast<PythonGap>(python_position_of(node.address));
}

// A code object of Python.
struct PythonCodeInfo {
    std::string name;  // in UTF-8, as is the file
    std::string file;
    uint64_t first_line = 0;
    std::string lines;  // line table, from its beginning as far as the dump contains it
    bool lines_whole = false;
    PythonLinesFormat lines_format = PythonLinesFormat::lnotab;
};

// Every call stack of the dump. A stack is the id of its innermost node; `parent` leads to the
// root.
struct StackTree {
    StackNodes nodes;                          // by id; nodes[0] is "no stack"
    std::map<uint32_t, ModuleInfo> modules;    // by id, 0 excluded
    std::map<uint32_t, PythonCodeInfo> codes;  // by id
    std::vector<Backward> backwards{1};        // [0]: none
    uint32_t autograd_module = no_module;      // module that contains the engine of autograd
};

// ---- how much ----------------------------------------------------------------------------------

// Data about Python's small objects as a whole.
struct ObjectsInfo {
    PythonObjectsState state = PythonObjectsState::off;
    std::string why;  // reason, if off or late
    // Bytes for each block of the sample; all figures are then estimates. 0: no sampling.
    uint64_t interval = 0;
    uint64_t sampled = 0;              // blocks of the sample
    uint64_t arena_bytes_at_peak = 0;  // mapped for arenas when the space was at its peak
    uint64_t arena_bytes = 0;          // the same at the end
    uint64_t gone_with_arenas = 0;     // blocks that were alive when their arena was unmapped
};

struct Space {
    std::string name;  // "host", "mmap", "python", "device:0", …
    Totals totals;
    uint64_t peak_time_ns = 0;  // from the start of the recording
    Sites sites;                // one for each stack that ever acquired memory here
    std::map<std::string, Totals>
        classes;  // in mmap: anonymous, file, shared, reserved, python_arena, gpu_driver; for
                  // GPUs: words of GpuMemory and kept_by_pools (no peaks by site)
    bool is_estimate = false;      // The figures are estimates from a sample.
    uint64_t sample_interval = 0;  // bytes for a block of the sample, at most; 0: no sample
    uint64_t sampled = 0;          // blocks of the sample
    // When an exact recording became a sample (option max_dump); nothing: at no time, or at once.
    std::optional<uint64_t> exact_until_ns;
    // Then, by site: the part of allocated_bytes that is an estimate. Empty: not known, so all.
    std::vector<uint64_t> estimated_bytes;
    // Histories of the whole space and of each site, only if LoadOptions requested them.
    SiteHistory history;
    SiteHistories histories;
    // By site: true if threads that LoadOptions did not request acquired its memory; empty: none.
    // The sum over the sites includes these sites until the filters are applied.
    std::vector<bool> left_out;
    // By site: its number in the replay, by which RunWatch names it. Empty: nothing was watched.
    std::vector<uint32_t> numbers;
    // Alive at the end, and from before the last time that was not recorded: some of these blocks
    // may have been released then.
    uint64_t unsure_blocks = 0;
    uint64_t unsure_bytes = 0;
    uint64_t unsure_at_peak_bytes = 0;  // the same of the bytes that were alive at the peak
};

// A site stays if it passes all filters. A filter with several patterns is passed by any of them.
struct SiteFilters {
    std::vector<std::string> threads = {};  // names with wildcards, or thread ids
    std::vector<std::string> modules = {};  // as typed, like the next two
    std::vector<std::string> functions = {};
    std::vector<std::string> files = {};
    bool own = false;          // only stacks with a frame of the user's own code
    bool python_only = false;  // only stacks with a frame of Python, and only these frames

    bool empty() const {
        return threads.empty() && modules.empty() && functions.empty() && files.empty() && !own &&
               !python_only;
    }
};

// What the filters kept of a space.
struct FilteredSpace {
    std::string name;
    bool is_estimate = false;
    Totals whole;  // without the filters
    Totals kept;
};

struct FilterInfo {
    SiteFilters filters;
    std::vector<FilteredSpace> spaces;  // all spaces, also those of which nothing is left
};

// ---- what else ---------------------------------------------------------------------------------

struct Problem {
    std::string what;     // a sentence
    uint64_t offset = 0;  // bytes [offset, offset + bytes) of the dump; 0, 0: no single range
    uint64_t bytes = 0;
};

struct ThreadInfo {
    uint64_t tid = 0;
    std::string name;
    uint64_t start_ns = 0;
    std::optional<uint64_t> end_ns;
    uint64_t allocations = 0;
    uint64_t allocated_bytes = 0;
    // Ended threads that are one entry: the name is theirs but for digits, there is no tid, and
    // the times are those of the first and the last of them. 0: a single thread.
    uint64_t merged = 0;
};

inline uint64_t count_threads(const std::vector<ThreadInfo>& threads) {
    uint64_t count = 0;
    for (const ThreadInfo& thread : threads) count += thread.merged == 0 ? 1 : thread.merged;
    return count;
}

struct RssSample {
    uint64_t time_ns = 0;
    uint64_t rss = 0;
    uint64_t pss = 0;  // 0: not measured then
    uint64_t own = 0;  // part of rss that is memtrace's; 0: not measured then
};

struct MarkInfo {
    uint64_t time_ns = 0;
    MarkKind kind = MarkKind::mark;
    std::string text;
};

// A search for blocks that nothing points to any more (lost_records.h). The figures by call site
// are in Totals, of the last search that was done, and of blocks that were alive to the end.
struct LostSearchInfo {
    LostStage stage = LostStage::begun;
    LostCause cause = LostCause::work_end;
    uint64_t time_ns = 0;   // when the process was copied for the first time
    uint64_t pause_ns = 0;  // for which the program stood still, at most, for one copy
    uint64_t copies = 0;    // one, or two if other threads were alive
    uint64_t threads = 0;   // other threads that were alive
    uint64_t blocks = 0;    // that were searched
    uint64_t bytes = 0;
    uint64_t work_ns = 0;  // that the search took
    // Alive at the end and acquired after the moment of the search: nobody knows of these.
    uint64_t later_blocks = 0;
    uint64_t later_bytes = 0;
    // Garbage of Python that was freed after the search: its totals count it, and those of what is
    // alive at the end do not.
    uint64_t gone_garbage_blocks = 0;
    uint64_t gone_garbage_bytes = 0;
    // Processes whose searches are summed, or that were not searched; 0: a search of one process.
    uint64_t processes = 0;
    std::string text;  // why it failed, or what is not sure; empty: nothing
};

struct NoteInfo {
    std::string subject;
    std::string text;
};

// An event that contradicts earlier ones. The first few are kept for inspection.
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
    // The same while it runs, as it is on this machine: in a container it has another one. 0: it
    // does not run any more, or cannot be seen from here.
    uint64_t pid_here = 0;
    uint64_t parent_pid = 0;
    uint64_t forked_from = 0;  // 0: not a fork child
    uint64_t start_realtime_ns = 0;
    uint64_t duration_ns = 0;     // time from the first to the last record
    std::string end = "unknown";  // "exit 0", "exec", "running", "unknown" (killed, or a copy)
    // Time when the program began to clean up at its end; nothing: it did not, or not recorded.
    std::optional<uint64_t> work_end_ns;
    uint64_t half_ns = 0;          // the middle of the recording; 0: not known
    uint64_t last_library_ns = 0;  // when a library was met in a stack for the first time
    uint64_t children = 0;         // number of processes that it forked or spawned
    uint64_t machine_memory = 0;   // bytes; 0: not in this dump, which is an old one
    uint64_t memory_limit = 0;  // bytes that its control groups allow; 0: no limit, or an old dump
};

struct PythonInfo {
    PythonState state = PythonState::none;
    uint64_t version = 0;  // as PY_VERSION_HEX; 0: not known
    std::string why;       // reason, if off
};

// A time in which the program ran and nothing was recorded.
struct RecordingGap {
    uint64_t begin_ns = 0;           // 0: the recording began later than the program
    std::optional<uint64_t> end_ns;  // nothing: it was not switched on again
};

struct Capture {
    uint64_t events = 0;           // acquire, release, resize, map, unmap, remap, and those of GPUs
    uint64_t lost_events = 0;      // counted by the shim, plus the gaps found in the dump
    uint64_t anomalies = 0;        // acquisitions of live addresses, releases of unknown ones
    uint64_t inherited_frees = 0;  // in a fork child: releases of blocks from before the fork
    uint64_t earlier_frees = 0;    // releases of blocks from times that were not recorded
    uint64_t dump_bytes = 0;       // without reserved room that was not used
    uint64_t stacks = 0;           // stack nodes
    uint64_t captures = 0;         // acquisitions for which a stack was requested
    uint64_t captures_truncated = 0;   // part of captures: those with a cut stack (see Cut)
    std::map<Cut, uint64_t> cuts;      // truncated captures by reason
    std::optional<PythonInfo> python;  // nothing: not in the dump
    std::optional<ObjectsInfo> python_objects;
    Walks walks;                       // sums over all lanes; `of_lane` and `time` are unused here
    PythonWalks python_walks;          // the same for Python's stacks
    std::optional<ShimTables> tables;  // of the shim, at the end; nothing: an old dump
    std::map<PythonGap, uint64_t> python_gaps;  // captures with missing Python frames
    std::vector<AnomalyInfo> first_anomalies;
    std::vector<RecordingGap> gaps;  // times that were not recorded, in order
};

struct Model {
    ProcessInfo process;
    Capture capture;
    StackTree stacks;
    std::vector<Space> spaces;      // "host" first; a space without events is absent
    std::vector<Problem> problems;  // empty: the dump is complete
    std::vector<ThreadInfo> threads;
    std::vector<RssSample> samples;
    std::vector<MarkInfo> marks;
    std::vector<LostSearchInfo> searches;  // for lost blocks, by time
    std::optional<PhaseList> phases;       // nothing: not requested
    std::optional<AskedPhase> phase;  // If there is one, spaces and sites contain this phase only.
    std::optional<FilterInfo> filters;  // If there is one, spaces contain only what passes.
    GpuInfo gpu;
    HostInfo host;
    std::vector<NoteInfo> notes;                 // remarks of the shim for the reader of a report
    std::map<std::string, std::string> options;  // options of the recording
    std::string program_suppressions;            // what the program itself accepts as lost
    RunSlices slices;                            // slices of the histories; empty: not requested
    SourceLoops loops;                           // loops found by stacks; empty: not requested
    std::shared_ptr<const RunWatch> watch;       // lives of blocks, …; null: not requested
    bool damaged = false;  // Exit code 3: something is missing or could not be read.
};

}  // namespace memtrace::analyzer
