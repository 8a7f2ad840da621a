// SPDX-License-Identifier: Apache-2.0
//
// The figures of every call site, in any range and by any measure.
//
// A range begins and ends at borders of slices. Border 0 is the start of the recording, and border
// b is the end of slice b - 1. An event exactly at a border belongs to the slice that begins there.
// Figures at borders are exact, so they equal those of `memtrace-report sites --to BORDER` to the
// byte. A range that ends at the last border has everything until the recording ended.

import type {Data, Figures, SpaceData, ThreadColumns} from "./data";
import {bytesText, countText} from "./format";
import {Names} from "./names";

export type Measure = "peak" | "held" | "grown" | "allocated" | "calls" | "temporary";

export interface Range {
  from: number;
  to: number;
}

const pointSize = 5;

// The course of one site or space: its points, at increasing slices.
export class History {
  readonly slices: Uint32Array;
  readonly bytes: Float64Array;
  readonly blocks: Float64Array;
  readonly calls: Float64Array;
  readonly allocated: Float64Array;

  constructor(points: number[]) {
    const count = points.length / pointSize;
    this.slices = new Uint32Array(count);
    this.bytes = new Float64Array(count);
    this.blocks = new Float64Array(count);
    this.calls = new Float64Array(count);
    this.allocated = new Float64Array(count);
    const sums = new Array<number>(pointSize).fill(0);
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < pointSize; k++) sums[k] += points[pointSize * i + k];
      [this.slices[i], this.bytes[i], this.blocks[i], this.calls[i], this.allocated[i]] = sums;
    }
  }

  // Returns the index of the last point at or before a border, or -1.
  private at(border: number): number {
    let low = 0;
    let high = this.slices.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.slices[middle] < border) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  private figure(figures: Float64Array, border: number): number {
    const at = this.at(border);
    return at < 0 ? 0 : figures[at];
  }
  bytesAt(border: number): number {
    return this.figure(this.bytes, border);
  }
  blocksAt(border: number): number {
    return this.figure(this.blocks, border);
  }

  // Each returns what was added in a range.
  callsIn(range: Range): number {
    return this.figure(this.calls, range.to) - this.figure(this.calls, range.from);
  }
  allocatedIn(range: Range): number {
    return this.figure(this.allocated, range.to) - this.figure(this.allocated, range.from);
  }

  // Returns the bytes at each border from 0 to `last`.
  dense(last: number): Float64Array {
    const dense = new Float64Array(last + 1);
    for (let border = 1, at = -1; border <= last; border++) {
      while (at + 1 < this.slices.length && this.slices[at + 1] < border) at++;
      dense[border] = at < 0 ? 0 : this.bytes[at];
    }
    return dense;
  }
}

export interface Values {
  bytes: Float64Array;   // by site: the measure's value, in bytes or, if isCount, a number
  blocks: Float64Array;  // by site
  isCount: boolean;
}

export class Space {
  readonly size: number;
  readonly history: History;
  readonly histories: History[];

  constructor(readonly data: SpaceData) {
    this.size = data.sites.node.length;
    this.history = new History(data.curve);
    this.histories = data.sites.history.map((points) => new History(points));
  }

  get name(): string {
    return this.data.name;
  }
}

export class Profile extends Names {
  readonly spaces: Space[];
  readonly last: number;  // the last border
  readonly borders: Float64Array;  // in nanoseconds
  private readonly hasAllocated: boolean;

  constructor(override readonly data: Data) {
    super(data);
    this.spaces = data.spaces.map((space) => new Space(space));
    // Without slices (a profile of processes that did different steps) the run is one slice.
    const ends = data.slices.end_ns.length > 0 ? data.slices.end_ns : [data.program.duration_ns];
    this.last = ends.length;
    this.borders = Float64Array.of(0, ...ends);
    this.hasAllocated = this.spaces.some(({history}) => history.allocated.some((sum) => sum > 0));
  }

  space(name: string): Space {
    return this.spaces.find((space) => space.name === name) ?? this.spaces[0];
  }

  isWhole(range: Range): boolean {
    return range.from === 0 && range.to === this.last;
  }

  // Returns the border whose time is nearest.
  borderNear(ns: number): number {
    let best = 0;
    for (let border = 1; border <= this.last; border++) {
      if (Math.abs(this.borders[border] - ns) < Math.abs(this.borders[best] - ns)) best = border;
    }
    return best;
  }

  // Returns the slice that contains a moment, as a range.
  sliceAt(ns: number): Range {
    let to = 1;
    while (to < this.last && this.borders[to] <= ns) to++;
    return {from: to - 1, to};
  }

  // Returns the range that a slice is a part of: whole steps, if it has any.
  wholeOf(slice: number): Range {
    const {is_part: isPart} = this.data.slices;
    let [from, to] = [slice, slice + 1];
    while (from > 0 && isPart[from - 1] === 1) from--;
    while (to < this.last && isPart[to - 1] === 1) to++;
    return {from, to};
  }

  // Returns the borders at which steps begin or end.
  stepBorders(): number[] {
    const {steps} = this.data.slices;
    const borders = new Set<number>();
    steps.forEach((count, slice) => {
      if (count === 0) return;
      const {from, to} = this.wholeOf(slice);
      borders.add(from).add(to);
    });
    return [...borders];
  }

  // Returns the shortest range that has all of a time.
  rangeAround(begin: number, end: number): Range {
    const {from, to: next} = this.sliceAt(begin);
    let to = next;
    while (to < this.last && this.borders[to] < end) to++;
    return {from, to};
  }

  // True if the space was at its peak inside the range: who held it then is known exactly.
  hasPeak(space: Space, range: Range): boolean {
    const peak = space.data.peak_ns;
    if (this.isWhole(range)) return true;
    return peak >= this.borders[range.from] &&
           (range.to === this.last || peak < this.borders[range.to]);
  }

  // Returns the border of the range at which the space held most; the last one, if others have no
  // more.
  highestBorder(space: Space, range: Range): number {
    let best = range.to;
    for (let border = range.from; border <= range.to; border++) {
      if (space.history.bytesAt(border) > space.history.bytesAt(best)) best = border;
    }
    return best;
  }

  // The threads that can be chosen.
  get threads(): {id: number; name: string}[] {
    if (!this.spaces.some(({data}) => data.threads)) return [];
    return this.data.threads.map(
      ([tid, name, count], id) => ({id, name: threadName(tid, name, count)}));
  }

  // Returns why a measure of the space is not known for the range; empty: it is.
  whyNot(measure: Measure, range: Range, {data}: Space): string {
    if (measure === "temporary" && data.is_estimate) return "not known of a sample";
    if (this.isWhole(range)) return "";
    if (measure === "allocated" && !this.hasAllocated) return "not known in an older profile";
    if (measure !== "temporary") return "";
    return "known for the whole run only; memtrace-report sites --from A --to B has it";
  }

  // `thread`: only the memory that this one acquired; everyThread: all memory. Threads are known
  // for the whole run only.
  values(space: Space, measure: Measure, range: Range, thread = everyThread): Values {
    if (thread !== everyThread) return this.valuesOfThread(space, measure, thread);
    const sites = space.data.sites;
    // What changed after the last border is known of the whole run only.
    const toEnd = range.to === this.last;
    const before = {from: 0, to: range.from};
    const taken = (all: number[], inside: (history: History, range: Range) => number) => toEnd
      ? Float64Array.from(all, (sum, site) => sum - inside(space.histories[site], before))
      : Float64Array.from(space.histories, (history) => inside(history, range));
    const exact = (bytes: number[], blocks: number[]): Values =>
      ({bytes: Float64Array.from(bytes), blocks: Float64Array.from(blocks), isCount: false});
    const at = (border: number): Values => border === this.last
      ? exact(sites.held, sites.held_blocks) : {
        bytes: Float64Array.from(space.histories, (history) => history.bytesAt(border)),
        blocks: Float64Array.from(space.histories, (history) => history.blocksAt(border)),
        isCount: false,
      };
    const calls = () => taken(sites.calls, (history, range) => history.callsIn(range));
    switch (measure) {
      case "peak":
        if (this.hasPeak(space, range)) return exact(sites.peak, sites.peak_blocks);
        return at(this.highestBorder(space, range));
      case "held": return at(range.to);
      case "grown": {
        const [begin, end] = [at(range.from), at(range.to)];
        return {bytes: end.bytes.map((bytes, site) => bytes - begin.bytes[site]),
                blocks: end.blocks.map((blocks, site) => blocks - begin.blocks[site]),
                isCount: false};
      }
      case "allocated": return {
        bytes: taken(sites.allocated, (history, range) => history.allocatedIn(range)),
        blocks: calls(), isCount: false,
      };
      case "calls": return {bytes: calls(), blocks: calls(), isCount: true};
      case "temporary": return {...exact(sites.temporary, sites.temporary), isCount: true};
    }
  }

  private valuesOfThread({data, size}: Space, measure: Measure, thread: number): Values {
    const [bytes, blocks] = columnsOfRun[measure];
    const {of_sites: owners, shares} = data.threads ?? noThreads;
    const of = (column: keyof Figures<number[]>): Float64Array => {
      const values = new Float64Array(size);
      for (let site = 0; site < size; site++) {
        if (owners[site] === thread) values[site] = data.sites[column][site];
      }
      shares.thread.forEach((owner, i) => {
        if (owner === thread) values[shares.site[i]] += shares[column][i];
      });
      return values;
    };
    return {bytes: of(bytes), blocks: of(blocks), isCount: bytes === blocks};
  }

  // Returns the moment at which "at peak" looks, in nanoseconds.
  peakMoment(space: Space, range: Range): number {
    if (this.hasPeak(space, range)) return space.data.peak_ns;
    return this.borders[this.highestBorder(space, range)];
  }
}

export const everyThread = -1;

const columnsOfRun: Record<Measure, [keyof Figures<number>, keyof Figures<number>]> = {
  peak: ["peak", "peak_blocks"], held: ["held", "held_blocks"], grown: ["held", "held_blocks"],
  allocated: ["allocated", "calls"], calls: ["calls", "calls"],
  temporary: ["temporary", "temporary"],
};
const noThreads: ThreadColumns = {
  of_sites: [],
  shares: {site: [], thread: [], peak: [], peak_blocks: [], held: [], held_blocks: [], live: [],
           live_blocks: [], allocated: [], calls: [], temporary: []},
};

function threadName(tid: number, name: string, count: number): string {
  if (count > 1) return `${count} other threads`;
  // Threads of several processes that were merged have names and no numbers.
  if (tid === 0 && name !== "") return name;
  if (tid === 0) return "a thread whose start is not in the dump";
  return `${tid} ${name === "" ? "(no name)" : name}`;
}

export const measureNames: Record<Measure, string> = {
  peak: "At peak", held: "Held at end", grown: "Grown", allocated: "Allocated", calls: "Calls",
  temporary: "Temporary",
};

// A figure of a space of which only a sample was recorded is an estimate, and says so.
export function figureText({data}: Space, value: number, isCount: boolean): string {
  return (data.is_estimate ? "~" : "") + (isCount ? countText(value) : bytesText(value));
}

export function sumOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum;
}
