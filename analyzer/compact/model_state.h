// SPDX-License-Identifier: Apache-2.0
//
// The parts of the Model that a replay fills before it is finished, for archive.h.
#pragma once

#include "analyzer/archive/archive.h"
#include "analyzer/gpu/gpu_segments.h"
#include "analyzer/ledger/host_snapshot.h"
#include "analyzer/model/model.h"
#include "analyzer/replay/slice_plan.h"

namespace memtrace::analyzer {

template <class T, class Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

// ---- where --------------------------------------------------------------------------------------

// Of these, bytes could have a truth value that is none.
void state_of(Is<Location> auto& location, auto& each) {
    each(location.address, location.module, location.backward, location.kind, location.defined,
         location.group);
}
void state_of(Is<SlicePlan::Slice> auto& slice, auto& each) {
    each(slice.end, slice.steps, slice.events, slice.is_part, slice.is_after);
}
void state_of(Is<GpuSegments::Range> auto& range, auto& each) {
    each(range.end, range.site, range.is_mapped, range.is_segment, range.is_lent, range.used);
}
void state_of(Is<GpuRefusal> auto& refusal, auto& each) {
    each(refusal.time_ns, refusal.by_tensors, refusal.api, refusal.stack, refusal.size,
         refusal.device_type, refusal.device, refusal.result, refusal.free, refusal.memory,
         refusal.allocated, refusal.reserved);
}

void state_of(Is<ModuleInfo> auto& module, auto& each) {
    each(module.begin, module.end, module.bias, module.path, module.build_id);
}
void state_of(Is<PythonCodeInfo> auto& code, auto& each) {
    each(code.name, code.file, code.first_line, code.lines, code.lines_whole, code.lines_format);
}
void state_of(Is<StackTree> auto& stacks, auto& each) { each(stacks.nodes, stacks.modules); }
void state_of(Is<SourceLoop> auto& loop, auto& each) {
    each(loop.function, loop.file, loop.line, loop.thread, loop.threads, loop.count, loop.why_not,
         loop.parent, loop.is_own, loop.entries, loop.begin_ns, loop.end_ns);
}
void state_of(Is<SourceLoops> auto& loops, auto& each) {
    each(loops.loops, loops.steps, loops.why_none);
}
void state_of(Is<LoopTurns> auto& turns, auto& each) {
    each(turns.begins, turns.entries, turns.inside, turns.name, turns.count);
}

// ---- what happened ------------------------------------------------------------------------------

void state_of(Is<ThreadInfo> auto& thread, auto& each) {
    each(thread.tid, thread.name, thread.start_ns, thread.end_ns, thread.allocations,
         thread.allocated_bytes, thread.merged);
}
void state_of(Is<MarkInfo> auto& mark, auto& each) { each(mark.time_ns, mark.kind, mark.text); }
void state_of(Is<NoteInfo> auto& note, auto& each) { each(note.subject, note.text); }
void state_of(Is<AnomalyInfo> auto& anomaly, auto& each) {
    each(anomaly.time_ns, anomaly.lane, anomaly.address, anomaly.what);
}
void state_of(Is<LostSearchInfo> auto& search, auto& each) {
    each(search.stage, search.cause, search.time_ns, search.pause_ns, search.copies, search.threads,
         search.blocks, search.bytes, search.work_ns, search.later_blocks, search.later_bytes,
         search.gone_garbage_blocks, search.gone_garbage_bytes, search.text);
}
void state_of(Is<PhaseInfo> auto& phase, auto& each) {
    each(phase.name, phase.is_mark, phase.open, phase.occurrences, phase.depth,
         phase.first_begin_ns, phase.duration_ns);
}

// ---- the process --------------------------------------------------------------------------------

void state_of(Is<ProcessInfo> auto& process, auto& each) {
    each(process.command, process.executable, process.shim_version, process.rank, process.pid,
         process.parent_pid, process.forked_from, process.machine_memory, process.memory_limit);
}
void state_of(Is<PythonInfo> auto& python, auto& each) {
    each(python.state, python.version, python.why);
}
void state_of(Is<ObjectsInfo> auto& objects, auto& each) { each(objects.state, objects.why); }
// What finish() fills is not in it.
void state_of(Is<Capture> auto& capture, auto& each) {
    each(capture.anomalies, capture.inherited_frees, capture.earlier_frees, capture.python,
         capture.python_objects, capture.tables, capture.first_anomalies);
}
void state_of(Is<Model> auto& model, auto& each) {
    each(model.process, model.capture, model.stacks, model.samples, model.marks, model.notes,
         model.options, model.program_suppressions);
    each(model.gpu);
}

// ---- the resident set ---------------------------------------------------------------------------

void state_of(Is<HostLedger> auto& ledger, auto& each) {
    each(ledger.time_ns, ledger.occasion, ledger.resident, ledger.parts, ledger.swapped,
         ledger.shared_with_others, ledger.heap_held, ledger.free_pages, ledger.free_at_top,
         ledger.pinned, ledger.unknown_regions, ledger.pins, ledger.mapped, ledger.not_touched,
         ledger.untouched);
}
void state_of(Is<HostInfo> auto& host, auto& each) {
    each(host.moments, host.duration_ns, host.highest, host.at_peak, host.at_end);
}
void state_of(Is<SnapshotRegion> auto& region, auto& each) {
    each(region.begin, region.end, region.access, region.rss, region.anonymous, region.shared,
         region.swap, region.path, region.resident);
}
void state_of(Is<HostSnapshot> auto& snapshot, auto& each) {
    each(snapshot.moment, snapshot.end, snapshot.regions, snapshot.own, snapshot.stacks);
}

// ---- GPUs ---------------------------------------------------------------------------------------

void state_of(Is<GpuSourceInfo> auto& source, auto& each) {
    each(source.backend, source.driver_version, source.why);
}
void state_of(Is<GpuFigures> auto& figures, auto& each) {
    each(figures.time_ns, figures.held, figures.tensors, figures.segments, figures.cached,
         figures.holes, figures.largest_hole, figures.context, figures.slack, figures.lent);
}
void state_of(Is<GpuDeviceInfo> auto& device, auto& each) {
    each(device.device, device.memory, device.pci, device.model, device.at_peak, device.at_end,
         device.check, device.had_tensors);
}
void state_of(Is<GpuHolders> auto& holders, auto& each) {
    each(holders.figures, holders.device, holders.tensors, holders.tensors_space, holders.holes,
         holders.mark, holders.mark_time_ns, holders.half_time_ns);
}
void state_of(Is<GpuInfo> auto& gpu, auto& each) {
    each(gpu.source, gpu.devices, gpu.usages, gpu.refusals, gpu.refusals_more, gpu.holders,
         gpu.imported, gpu.registered, gpu.reserved, gpu.driver_reserved, gpu.graph_nodes,
         gpu.implicit_frees, gpu.implicit_bytes, gpu.contradictions);
}

}  // namespace memtrace::analyzer
