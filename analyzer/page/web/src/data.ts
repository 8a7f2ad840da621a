// SPDX-License-Identifier: Apache-2.0
//
// The data of the page, as analyzer/page/page_data.cpp writes it.

import type {TrainingData} from "./training_data";

export interface Program {
  command: string;
  title: string;
  dump: string;
  is_compacted: boolean;
  pid: number;
  processes: number; // whose sum the figures are
  commands: number;  // of these processes, if they are different
  rank: string;
  start_ns: number;
  duration_ns: number;
  work_end_ns: number | null;
  end: string;
  machine_memory: number;
  memory_limit: number;
  events: number;
  lost_events: number;
  lost_events_exact: boolean;  // these are all
  anomalies: number;
  // What figures of a sample are worth: so many bytes may be so far off. null: there is no sample.
  sample: {text: string; bytes: number; off: string} | null;
  captures: number;
  captures_complete: number;
  dump_bytes: number;
  threads: number;
  python: string;
  python_objects: string;
  gpu: string;
  damaged: boolean;
  version: string;
}

export interface Slices {
  end_ns: number[];
  steps: number[];    // of a slice that was cut further: of its last part
  is_part: number[];  // 1: the slice goes on in the next one
  step: string;
  all_steps: number;
  is_found: boolean;
  is_trimmed: boolean;
}

export interface Figures<T> {
  peak: T;
  peak_blocks: T;
  held: T;
  held_blocks: T;
  live: T;
  live_blocks: T;
  allocated: T;
  calls: T;
  temporary: T;
}

// One element for each site. `history` has points as differences from the point before: slice,
// bytes, blocks, calls, allocated bytes.
export interface SiteColumns extends Figures<number[]> {
  node: number[];
  row: number[];
  stacks: number[];
  folded: number[];
  history: number[][];
}

// The largest blocks, one by one, by their begin: as differences from the block before, in
// microseconds. A life of -1 has no end: the block is alive at the end of the recording.
export interface BlockColumns {
  site: number[];
  begin: number[];
  life: number[];
  bytes: number[];
}

export interface SpaceData {
  name: string;
  is_estimate: boolean;
  // Of a sample: where the truth lies in 95 of 100 cases, of the whole run. null: no sample.
  ranges: Partial<Record<string, [number, number]>> | null;
  is_gpu: boolean;
  peak_ns: number;
  peak_bytes: number;
  changed_after_work: boolean;
  recorded_sites: number;
  folded_stacks: number;
  folded_at_peak: number;
  totals: Figures<number>;
  curve: number[];
  // By slice of Data.course_ends, as differences from the slice before; null: not known.
  course: {lowest: number[]; highest: number[]} | null;
  blocks: BlockColumns | null;  // null: not known
  sites: SiteColumns;
  threads?: ThreadColumns;  // if more than one thread acquired memory
}

// Whose memory it is: of most sites that of one thread, of the others there are shares.
export interface ThreadColumns {
  of_sites: number[];  // by site: an index into Data.threads, or -1: see `shares`
  shares: Figures<number[]> & {site: number[]; thread: number[]};
}

export interface Finding {
  space: string;
  verdict: string;
  is_growth: boolean;
  confidence: number;
  held_bytes: number;
  held_blocks: number;
  grown_bytes: number;
  grown_blocks: number;
  acquired_blocks: number;
  grown_steps: number;
  since_ns: number;
  sites: number;
  per_step: number | null;
  per_hour: number;
  why: string;
  reason: string;
  frames: number[];
  lines: [number, number][];
  held?: number[];  // at the ends of the page's slices
  born?: number[];  // by slice that is judged
}

export interface Leaks {
  not_judged: string;
  by_steps: boolean;
  points: number;
  ends_ns: number[];  // of the slices that are judged
  all_findings: number;
  findings: Finding[];
  spaces: {space: string; verdict: string; is_growth: boolean; held_bytes: number;
           per_hour: number; why: string}[];
  ends: {of: string; capacity: number; used: number; per_hour: number; after_ns: number;
         not_known: string}[];
}

export interface Amount {
  blocks: number;
  bytes: number;
}

// What a search for lost blocks has found.
export interface LostBlocks {
  why_not: string;  // why there is nothing newer; "": nothing was in the way
  text: string;     // about the search; "": none was done
  kinds: (Amount & {name: string; meaning: string; stacks: (Amount & {frames: number[]})[];
                    more: Amount & {stacks: number}})[];
  reachable?: Amount;
  later?: Amount;
}

export interface HostMoment {
  time_ns: number;
  resident: number;
  parts: Record<string, number>;
  not_explained: number;
  pinned: number;
  free_at_top: number;
}

export interface GpuMoment {
  time_ns: number;
  recorded: number;
  rows: {key: string; name: string; bytes: number; is_estimate: boolean; detail: string}[];
  not_explained: number | null;
}

export interface Ledgers {
  host_ledger: {absent: string | null; highest: number | null; highest_sample: number;
                missed_peak: boolean;  // Clearly less was resident at `peak` than at the peak.
                peak: HostMoment | null; end: HostMoment | null};
  gpu_ledger: {device: number; peak: GpuMoment; end: GpuMoment}[];
}

export interface SourceData {
  file: number;
  why?: string;
  is_changed?: boolean;
  lines?: [number, string][];
}

export type RowKind = "line" | "backward" | "import" | "library" | "rest";

// The tables that are on every page: each name is in them once.
export interface NamesData {
  nodes: {parent: number[]; frame: number[]; all: number};
  texts: string[];
  frames: {function: number[]; file: number[]; line: number[]; group: number[]; flags: number[]};
}

export interface Data extends NamesData {
  kind?: undefined;  // A comparison has the kind "diff".
  program: Program;
  filters: string[];      // words of a command; empty: all of the recording
  slices: Slices;
  nothing: string;        // why there is no space, if there is none
  no_course: string;      // why there is no course of what was held; "": there is one
  course_ends: number[];  // the begin and the ends of its slices, as differences; empty: not known
  lost: [number, number][];  // times in which events are missing
  samples: [number, number][];
  // Begin, end (null: it was not ended), how many others were open then, name.
  phases: [number, number | null, number, string][];
  marks: [number, string][];  // those that are no phases
  // What the recording has and the page has not; of some phases the recording has no end.
  left_out: {phases: number; phases_without_end: number; marks: number};
  refusals: [number, number, number][];
  remarks: [string, string][];
  threads: [number, string, number][];  // number, name; more than one: a sum of so many
  rows: [RowKind, string, number][];
  spaces: SpaceData[];
  leaks: Leaks;
  lost_blocks: LostBlocks | null;  // null: no search was asked for
  ledgers: Ledgers;
  training: TrainingData | null;  // null: the program does not train, or that was not looked for
  sources: SourceData[];
}

// Flags of frames, as in analyzer/page/page_frames.h.
export const own = 1;
export const importing = 2;
export const python = 4;
export const backward = 8;
export const missing = 16;

// Reads the compressed data of the page.
export async function readData<T>(text: string): Promise<T> {
  const packed = atob(text);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return (await new Response(stream).json()) as T;
}
