// SPDX-License-Identifier: Apache-2.0
//
// What the reader has chosen. One range, one measure and one space govern every tab.

import {Choice} from "./choice";
import type {Finding} from "./data";
import {everyThread, type Measure, type Profile, type Range} from "./profile";

const tabs = ["flame", "table", "source", "leaks", "blocks", "ledgers", "problems",
                     "training"] as const;
export type Tab = (typeof tabs)[number];

// Returns the tabs of a page. Only a program that trains has the last one.
export function tabsIn(profile: Profile): Tab[] {
  return tabs.filter((tab) => tab !== "training" || profile.data.training !== null);
}

export interface View {
  space: string;
  measure: Measure;
  range: Range;
  tab: Tab;
  thread: number;   // index into the threads, or everyThread
  search: string;
  unfold: boolean;  // show library, import and interpreter frames
  row: string;      // a row that the table is to open; empty: none
  finding: Finding | null;  // a finding that the leaks are to show
}

export class State extends Choice<View> {
  readonly earlier: Range[] = [];  // ranges to go back to

  constructor(readonly profile: Profile, view: View) {
    super(view);
  }

  // What is not known of a range is left for what is.
  override set(change: Partial<View>): void {
    const view = {...this.view, ...change};
    const space = this.profile.space(view.space);
    if (this.profile.whyNot(view.measure, view.range, space) !== "") view.measure = "peak";
    if (!this.profile.isWhole(view.range)) view.thread = everyThread;
    super.set(view);
  }

  chooseThread(thread: number): void {
    if (thread !== everyThread) this.all();
    this.set({thread});
  }

  // Chooses a range that can be left again.
  zoom(range: Range): void {
    const from = Math.max(0, Math.min(range.from, this.profile.last - 1));
    const to = Math.min(this.profile.last, Math.max(range.to, from + 1));
    const now = this.view.range;
    if (now.from === from && now.to === to) return;
    this.earlier.push(now);
    this.set({range: {from, to}});
  }

  back(): void {
    const range = this.earlier.pop();
    if (range) this.set({range});
    else this.all();
  }

  backTo(depth: number): void {
    const range = this.earlier[depth];
    this.earlier.length = depth;
    if (range) this.set({range});
  }

  all(): void {
    this.earlier.length = 0;
    this.set({range: {from: 0, to: this.profile.last}});
  }
}
