// SPDX-License-Identifier: Apache-2.0
//
// Keys that work everywhere on the page, and the window that lists them.

import {h} from "./dom";
import type {State, Tab} from "./state";

const keys: [string, string][] = [
  ["/", "search"], ["Esc", "back to the range before"], ["a", "all of the run"],
  ["p", "the slice with the peak"], ["[ ]", "the slice before, the slice after"],
  ["1 – 7", "the tabs"], ["t", "light or dark"], ["?", "this list"],
  ["← → ↑ ↓", "in the flame graph: move; in the timeline: move the range"],
  ["Enter, Backspace", "in the flame graph: zoom, and back"],
];
const tabs: Tab[] = ["flame", "table", "source", "leaks", "blocks", "ledgers", "problems"];

export function helpWindow(): HTMLDialogElement {
  const dialog = h("dialog", {"aria-labelledby": "help-title"},
    h("h2", {id: "help-title"}, "Keyboard"),
    h("dl.facts", {}, ...keys.flatMap(([key, text]) => [h("dt", {}, h("kbd", {}, key)),
                                                       h("dd", {}, text)])),
    h("button", {type: "button", onclick: () => dialog.close()}, "Close"));
  return dialog;
}

export function listenToKeys(state: State, search: HTMLInputElement,
                             dialog: HTMLDialogElement): void {
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (target.matches("input, select")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    const {range, space} = state.view;
    const {profile} = state;
    const move = (by: number) => {
      const size = profile.isWhole(range) ? 1 : range.to - range.from;
      const from = profile.isWhole(range) ? (by < 0 ? profile.last - 1 : 0)
        : Math.min(profile.last - size, Math.max(0, range.from + by * size));
      state.zoom({from, to: from + size});
    };
    const actions: Record<string, () => void> = {
      "/": () => search.focus(),
      "?": () => dialog.showModal(),
      "Escape": () => state.back(),
      "a": () => state.all(),
      "p": () => state.zoom(profile.sliceAt(profile.space(space).data.peak_ns)),
      "[": () => move(-1),
      "]": () => move(1),
      "t": () => document.getElementById("theme")!.click(),
    };
    tabs.forEach((tab, i) => (actions[String(i + 1)] = () => state.set({tab})));
    const action = actions[event.key];
    if (!action) return;
    action();
    event.preventDefault();
  });
}
