// SPDX-License-Identifier: Apache-2.0
//
// The figures of every call site, in any range and by any measure.
//
// A range begins and ends at borders of slices. Border 0 is the start of the recording, and border
// b is the end of slice b - 1. Figures at borders are exact, so they equal those of
// `memtrace-report sites --to BORDER` to the byte.

import type {Data, SpaceData} from "./data";

export type Measure = "peak" | "held" | "grown" | "allocated" | "calls" | "temporary";

export interface Range {
  from: number;
  to: number;
}

// The course of one site or space: its points, at increasing slices.
export class History {
  readonly slices: Uint32Array;
  readonly bytes: Float64Array;
  readonly blocks: Float64Array;
  readonly calls: Float64Array;

  constructor(points: number[]) {
    const count = points.length / 4;
    this.slices = new Uint32Array(count);
    this.bytes = new Float64Array(count);
    this.blocks = new Float64Array(count);
    this.calls = new Float64Array(count);
    for (let i = 0, slice = 0, bytes = 0, blocks = 0, calls = 0; i < count; i++) {
      this.slices[i] = slice += points[4 * i];
      this.bytes[i] = bytes += points[4 * i + 1];
      this.blocks[i] = blocks += points[4 * i + 2];
      this.calls[i] = calls += points[4 * i + 3];
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

  bytesAt(border: number): number {
    const at = this.at(border);
    return at < 0 ? 0 : this.bytes[at];
  }
  blocksAt(border: number): number {
    const at = this.at(border);
    return at < 0 ? 0 : this.blocks[at];
  }
  callsAt(border: number): number {
    const at = this.at(border);
    return at < 0 ? 0 : this.calls[at];
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
  bytes: Float64Array;   // by site: the measure's value (calls and temporary: a count)
  blocks: Float64Array;  // by site; zeros if not known
  isCount: boolean;
  when: string;          // what moment or range the values are of
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

export class Profile {
  readonly spaces: Space[];
  readonly last: number;  // the last border
  readonly borders: Float64Array;  // in nanoseconds

  constructor(readonly data: Data) {
    this.spaces = data.spaces.map((space) => new Space(space));
    this.last = data.slices.end_ns.length;
    this.borders = Float64Array.of(0, ...data.slices.end_ns);
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
    while (to < this.last && this.borders[to] < ns) to++;
    return {from: to - 1, to};
  }

  // True if the space was at its peak inside the range: who held it then is known exactly.
  hasPeak(space: Space, range: Range): boolean {
    const peak = space.data.peak_ns;
    if (this.isWhole(range)) return true;
    return peak > this.borders[range.from] && peak <= this.borders[range.to];
  }

  // Returns the border of the range at which the space held most.
  highestBorder(space: Space, range: Range): number {
    let best = range.from;
    for (let border = range.from; border <= range.to; border++) {
      if (space.history.bytesAt(border) > space.history.bytesAt(best)) best = border;
    }
    return best;
  }

  // Returns why a measure is not known for the range; empty: it is.
  whyNot(measure: Measure, range: Range): string {
    const wholeOnly = measure === "allocated" || measure === "temporary";
    if (!wholeOnly || this.isWhole(range)) return "";
    return "known for the whole run only; memtrace-report sites --from A --to B has it";
  }

  values(space: Space, measure: Measure, range: Range): Values {
    const sites = space.data.sites;
    const whole = this.isWhole(range);
    const exact = (bytes: number[], blocks: number[] | null, isCount = false): Values => ({
      bytes: Float64Array.from(bytes),
      blocks: blocks === null ? new Float64Array(space.size) : Float64Array.from(blocks),
      isCount, when: "",
    });
    const each = (value: (history: History) => number, block: (history: History) => number,
                  isCount = false): Values => ({
      bytes: Float64Array.from(space.histories, value),
      blocks: Float64Array.from(space.histories, block),
      isCount, when: "",
    });
    const at = (border: number) => each((history) => history.bytesAt(border),
                                        (history) => history.blocksAt(border));
    switch (measure) {
      case "peak":
        if (this.hasPeak(space, range)) return exact(sites.peak, sites.peak_blocks);
        return at(this.highestBorder(space, range));
      case "held": return whole ? exact(sites.held, sites.held_blocks) : at(range.to);
      case "grown":
        if (whole) return exact(sites.held, sites.held_blocks);
        return each((history) => history.bytesAt(range.to) - history.bytesAt(range.from),
                    (history) => history.blocksAt(range.to) - history.blocksAt(range.from));
      case "calls":
        if (whole) return exact(sites.calls, sites.calls, true);
        return each((history) => history.callsAt(range.to) - history.callsAt(range.from),
                    (history) => history.callsAt(range.to) - history.callsAt(range.from), true);
      case "allocated": return exact(sites.allocated, sites.calls);
      case "temporary": return exact(sites.temporary, sites.temporary, true);
    }
  }

  // Returns the moment at which "at peak" looks, in nanoseconds.
  peakMoment(space: Space, range: Range): number {
    if (this.hasPeak(space, range)) return space.data.peak_ns;
    return this.borders[this.highestBorder(space, range)];
  }

  // ---- names

  text(index: number): string {
    return this.data.texts[index];
  }
  functionOf(frame: number): string {
    return this.text(this.data.frames.function[frame]);
  }
  fileOf(frame: number): string {
    return this.text(this.data.frames.file[frame]);
  }
  lineOf(frame: number): number {
    return this.data.frames.line[frame];
  }
  groupOf(frame: number): string {
    return this.text(this.data.frames.group[frame]);
  }
  flagsOf(frame: number): number {
    return this.data.frames.flags[frame];
  }

  // Returns "net.py:42", with the folder if the name says little; empty: no line is known.
  placeOf(frame: number): string {
    const file = this.fileOf(frame);
    if (file === "") return "";
    const parts = file.split("/");
    const last = parts[parts.length - 1];
    const name = last.startsWith("__") ? parts.slice(-2).join("/") : last;
    return this.lineOf(frame) === 0 ? name : `${name}:${this.lineOf(frame)}`;
  }
  // Returns "net.py:42 Net.forward".
  frameText(frame: number): string {
    if (frame < 0) return "no stack was recorded";
    const place = this.placeOf(frame);
    return place === "" ? this.functionOf(frame) : `${place} ${this.functionOf(frame)}`;
  }

  // Returns the frames of a node, innermost first.
  stackOf(node: number): number[] {
    const frames: number[] = [];
    const {parent, frame} = this.data.nodes;
    for (; node !== 0; node = parent[node]) frames.push(frame[node]);
    return frames;
  }
}

export const measureNames: Record<Measure, string> = {
  peak: "At peak", held: "Held at end", grown: "Grown", allocated: "Allocated", calls: "Calls",
  temporary: "Temporary",
};

export function sumOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum;
}
