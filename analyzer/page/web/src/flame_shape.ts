// SPDX-License-Identifier: Apache-2.0
//
// The shape of a flame graph, as its reader chooses it: which end of the stacks is the root, and on
// which side the root stands. The choice stays while other tabs are open.

import {h, segments} from "./dom";
import type {KeyActions, KeyTexts} from "./keys";

export const shapeKeys: KeyTexts = [
  ["f", "icicle (root at the top) or flame (root at the bottom)"],
  ["c", "callers first or callees first"],
];

export class FlameShape {
  isFlame = false;
  calleeFirst = false;
  readonly element: HTMLElement;

  // `turned` and `reordered` are called after a change of the one or the other.
  constructor(turned: (isFlame: boolean) => void, reordered: () => void) {
    this.element = h("div.controls.inner", {},
      segments("Where the root of the graph stands", [
        {id: "as-icicle", text: "Icicle", title: "The root at the top (f)"},
        {id: "as-flame", text: "Flame", title: "The root at the bottom (f)"},
      ], (id) => turned(this.isFlame = id === "as-flame")),
      segments("Which end of the call stacks is the root", [
        {id: "caller-first", text: "Callers first", title: "From main() to what allocated (c)"},
        {id: "callee-first", text: "Callees first", title: "From what allocated to main() (c)"},
      ], (id) => {
        this.calleeFirst = id === "callee-first";
        reordered();
      }));
  }

  // Keys choose the other side, where the graph is to be seen.
  readonly keys: KeyActions = {
    f: () => this.press(this.isFlame ? "as-icicle" : "as-flame"),
    c: () => this.press(this.calleeFirst ? "caller-first" : "callee-first"),
  };

  private press(id: string): void {
    if (this.element.offsetParent === null) return;
    this.element.querySelector<HTMLElement>(`#${id}`)!.click();
  }
}
