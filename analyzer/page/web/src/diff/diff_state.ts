// SPDX-License-Identifier: Apache-2.0
//
// What the reader of a comparison has chosen. One space and one measure govern every tab.

import {Choice} from "../choice";
import type {Diff, Measure} from "./diff";

export type DiffTab = "flame" | "table" | "remarks";

export interface DiffView {
  space: string;
  measure: Measure;
  tab: DiffTab;
  search: string;
  unfold: boolean;  // show library, import and interpreter frames
  row: string;      // a row that the table is to open; empty: none
}

export class DiffState extends Choice<DiffView> {
  constructor(readonly diff: Diff, view: DiffView) {
    super(view);
  }
}
