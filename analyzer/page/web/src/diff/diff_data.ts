// SPDX-License-Identifier: Apache-2.0
//
// The data of a comparison, as analyzer/diff/diff_page.cpp writes it.

import type {NamesData, Program, RowKind} from "../data";

export interface Side {
  program: Program;
  remarks: [string, string][];
  incomplete: boolean;
  only: string;  // range and filters; empty: the whole recording
  nothing: string;  // why no call site passes the filters; empty: some do
  steps: {count: number; of: string} | null;
}

export interface Figures<T> {
  peak: T;
  peak_blocks: T;
  held: T;
  held_blocks: T;
  allocated: T;
  calls: T;
  step: T;
  step_calls: T;
}

export type Status = "new" | "gone" | "both";

export interface DiffRow {
  kind: RowKind;
  name: string;    // as it is in the later recording, if that has it
  status: Status;
  frame?: number;  // the frame that it is a line of
  line?: number;
  was?: string;    // its other name in the earlier recording
  before?: string; // the source line
  after?: string;
}

export interface PairColumns {
  before: Figures<number[]>;
  after: Figures<number[]>;
}

export interface DiffSpace {
  name: string;
  is_estimate: boolean;
  interval: number;  // bytes for each block of the sample; 0: the figures are exact
  before: Figures<number>;
  after: Figures<number>;
  stacks: number;
  folded_stacks: number;
  sites: PairColumns & {node: number[]; row: number[]; stacks: number[]; folded: number[]};
  // Call sites by their keys, the innermost name first.
  places: PairColumns & {name: number[][]; status: Status[]};
}

export interface DiffData extends NamesData {
  kind: "diff";
  before: Side;
  after: Side;
  same_program: boolean;
  has_steps: boolean;
  why_other_steps: string;  // why steps are not compared that both have; empty: they are
  nothing: string;  // of both sides
  differs: boolean;
  rows: DiffRow[];
  spaces: DiffSpace[];
}
