// SPDX-License-Identifier: Apache-2.0
//
// Keys that work everywhere on the page, and the window that lists them.

import {h} from "./dom";
import {shapeKeys} from "./flame_shape";
import {type State, tabsIn} from "./state";

export type KeyTexts = [string, string][];
export type KeyActions = Record<string, () => void>;

const recordingKeys: KeyTexts = [
  ["/", "search"], ["Esc", "back to the range before"], ["a", "all of the run"],
  ["p", "the slice with the peak"], ["[ ]", "the slice before, the slice after"],
  ["1, 2, …", "the tabs"], ["t", "light or dark"], ["?", "this list"],
  ["← → ↑ ↓",
   "in the flame graph: move; in the timeline: move the range; in the blocks: choose one"],
  ["Enter, Backspace", "in the flame graph: zoom, and back"],
  ...shapeKeys,
];

export function helpWindow(keys: KeyTexts = recordingKeys): HTMLDialogElement {
  const dialog = h("dialog", {"aria-labelledby": "help-title"},
    h("h2", {id: "help-title"}, "Keyboard"),
    h("dl.facts", {}, ...keys.flatMap(([key, text]) => [h("dt", {}, h("kbd", {}, key)),
                                                       h("dd", {}, text)])),
    h("button", {type: "button", onclick: () => dialog.close()}, "Close"));
  return dialog;
}

// Keys that every page has, and its own ones.
export function listenToKeys(own: KeyActions, search: HTMLInputElement,
                             dialog: HTMLDialogElement): void {
  const actions: KeyActions = {
    "/": () => search.focus(),
    "?": () => dialog.showModal(),
    "t": () => document.getElementById("theme")!.click(),
    ...own,
  };
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (target.matches("input, select")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    const action = actions[event.key];
    if (!action) return;
    action();
    event.preventDefault();
  });
}

// The keys "1", "2", … open tabs.
export function tabKeys<Tab>(tabs: Tab[], open: (tab: Tab) => void): KeyActions {
  return Object.fromEntries(tabs.map((tab, i) => [String(i + 1), () => open(tab)]));
}

export function keysOf(state: State): KeyActions {
  const {profile} = state;
  const move = (by: number) => {
    const {range} = state.view;
    const size = profile.isWhole(range) ? 1 : range.to - range.from;
    const from = profile.isWhole(range) ? (by < 0 ? profile.last - 1 : 0)
      : Math.min(profile.last - size, Math.max(0, range.from + by * size));
    state.zoom({from, to: from + size});
  };
  return {
    "Escape": () => state.back(),
    "a": () => state.all(),
    "p": () => state.zoom(profile.sliceAt(profile.space(state.view.space).data.peak_ns)),
    "[": () => move(-1),
    "]": () => move(1),
    ...tabKeys(tabsIn(profile), (tab) => state.set({tab})),
  };
}
