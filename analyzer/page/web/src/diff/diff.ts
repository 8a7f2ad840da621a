// SPDX-License-Identifier: Apache-2.0
//
// The figures of a comparison: pairs of values, before and after, of lines, call sites and stacks.

import {Names} from "../names";
import type {Named} from "../table";
import type {DiffData, DiffSpace, Figures, PairColumns, Status} from "./diff_data";

export type Measure = "peak" | "held" | "allocated" | "step" | "calls";

interface MeasureRow {
  name: string;
  title: string;  // in front of "of host"
  bytes: keyof Figures<number>;
  blocks: keyof Figures<number>;
  counted: string;  // what `blocks` counts
  isCount: boolean;
}

export const measures: Record<Measure, MeasureRow> = {
  peak: {name: "At peak", title: "Peak", bytes: "peak", blocks: "peak_blocks", counted: "Blocks",
         isCount: false},
  held: {name: "Held at end", title: "Held at the end", bytes: "held", blocks: "held_blocks",
         counted: "Blocks", isCount: false},
  allocated: {name: "Allocated", title: "Allocated", bytes: "allocated", blocks: "calls",
              counted: "Calls", isCount: false},
  step: {name: "A step", title: "A step", bytes: "step", blocks: "step_calls", counted: "Calls",
         isCount: false},
  calls: {name: "Calls", title: "Calls", bytes: "calls", blocks: "calls", counted: "Calls",
          isCount: true},
};

export interface Pair {
  before: number;
  after: number;
  blocksBefore: number;
  blocksAfter: number;
  chance: number;  // the part of the change, in bytes, that samples explain
}

export const changeOf = (pair: Pair): number => pair.after - pair.before;
export const differs = (pair: Pair): boolean =>
  pair.before !== pair.after || pair.blocksBefore !== pair.blocksAfter;
export const isChance = (pair: Pair): boolean =>
  pair.chance > 0 && Math.abs(changeOf(pair)) <= pair.chance;
// What a change counts in orders: the larger the more, and nothing if it is chance.
export const weightOf = (pair: Pair): number => (isChance(pair) ? 0 : Math.abs(changeOf(pair)));

// A line or a call site of the table.
export interface Item extends Named {
  status: Status;
  names: string[];    // of a call site: its callers
  indices: number[];  // of its stacks (a line), or of itself
  columns: PairColumns;
}

const deviations = 3;  // as in analyzer/diff/diff.cpp

export class Diff extends Names {
  readonly measures: Measure[];
  private readonly known = new Map<string, Item[]>();

  constructor(override readonly data: DiffData) {
    super(data);
    this.measures = (Object.keys(measures) as Measure[])
      .filter((measure) => measure !== "step" || data.has_steps);
  }

  space(name: string): DiffSpace {
    return this.data.spaces.find((space) => space.name === name) ?? this.data.spaces[0];
  }

  // Returns the number of steps of which a measure shows one.
  private parts(measure: Measure): [number, number] {
    const {before, after} = this.data;
    return measure === "step" ? [before.steps?.count ?? 1, after.steps?.count ?? 1] : [1, 1];
  }

  private pair(space: DiffSpace, measure: Measure, before: Figures<number>,
               after: Figures<number>): Pair {
    const {bytes, blocks, isCount} = measures[measure];
    const [a, b] = this.parts(measure);
    const pair = {before: before[bytes] / a, after: after[bytes] / b,
                  blocksBefore: before[blocks] / a, blocksAfter: after[blocks] / b, chance: 0};
    // The blocks of a sample are counts of independent events, each for one interval of bytes.
    const variance = isCount ? 0 : pair.before / a + pair.after / b;
    return {...pair, chance: deviations * Math.sqrt(variance * space.interval)};
  }

  whole(space: DiffSpace, measure: Measure): Pair {
    return this.pair(space, measure, space.before, space.after);
  }

  // Returns the sum of some elements of columns.
  sum(space: DiffSpace, measure: Measure, columns: PairColumns, indices: number[]): Pair {
    const {bytes, blocks} = measures[measure];
    const side = (figures: Figures<number[]>): Figures<number> => {
      const sum = {...nothing};
      for (const index of indices) sum[bytes] += figures[bytes][index];
      if (blocks !== bytes) for (const index of indices) sum[blocks] += figures[blocks][index];
      return sum;
    };
    return this.pair(space, measure, side(columns.before), side(columns.after));
  }

  pairOf(space: DiffSpace, measure: Measure, item: Item): Pair {
    return this.sum(space, measure, item.columns, item.indices);
  }

  // Returns what each stack takes: before and after.
  values(space: DiffSpace, measure: Measure): [Float64Array, Float64Array] {
    const {bytes} = measures[measure];
    const [a, b] = this.parts(measure);
    return [Float64Array.from(space.sites.before[bytes], (value) => value / a),
            Float64Array.from(space.sites.after[bytes], (value) => value / b)];
  }

  // Returns the user's own lines that have figures in the space, in the order of the report.
  lines(space: DiffSpace): Item[] {
    return this.once(`lines ${space.name}`, () => {
      const sites = new Map<number, number[]>();
      space.sites.row.forEach((row, site) => {
        const list = sites.get(row);
        if (list) list.push(site);
        else sites.set(row, [site]);
      });
      return [...sites].sort(([a], [b]) => a - b).map(([index, indices]) => {
        const row = this.data.rows[index];
        return {key: `row${index}`, name: row.name, detail: statusText(row.status), kind: row.kind,
                status: row.status, names: [], indices, columns: space.sites};
      });
    });
  }

  places(space: DiffSpace): Item[] {
    return this.once(`places ${space.name}`, () => space.places.name.map((name, index) => {
      const [first, ...names] = name.map((text) => this.text(text));
      const status = space.places.status[index];
      return {key: `place${index}`, name: first, detail: statusText(status), kind: "library",
              status, names, indices: [index], columns: space.places};
    }));
  }

  private once(key: string, make: () => Item[]): Item[] {
    let items = this.known.get(key);
    if (!items) this.known.set(key, items = make());
    return items;
  }
}

const nothing: Figures<number> = {
  peak: 0, peak_blocks: 0, held: 0, held_blocks: 0, allocated: 0, calls: 0, step: 0, step_calls: 0,
};

export function statusText(status: Status): string {
  return status === "both" ? "" : status;
}
