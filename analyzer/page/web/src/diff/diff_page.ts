// SPDX-License-Identifier: Apache-2.0
//
// The page of a comparison: which runs, what explains the differences, the flame graph, the table.

import {h, replace} from "../dom";
import {shapeKeys} from "../flame_shape";
import {helpWindow, listenToKeys, tabKeys} from "../keys";
import {TabList} from "../tab_list";
import {Diff} from "./diff";
import type {DiffData} from "./diff_data";
import {DiffFlameTab} from "./diff_flame_tab";
import {diffHeader, remarksOfSides} from "./diff_header";
import {DiffState, type DiffTab} from "./diff_state";
import {DiffTableTab} from "./diff_table_tab";
import {DiffToolbar} from "./diff_toolbar";
import {Reasons} from "./reasons";

const tabs: DiffTab[] = ["flame", "table", "remarks"];

export function showDiff(data: DiffData, page: HTMLElement): void {
  const diff = new Diff(data);
  const state = new DiffState(diff, {
    space: data.spaces[0]?.name ?? "", measure: "peak", tab: "flame", search: "", unfold: false,
    row: "",
  });
  const dialog = helpWindow([
    ["/", "search"], ["1 – 3", "the tabs"], ["t", "light or dark"], ["?", "this list"],
    ["← → ↑ ↓", "in the flame graph: move"], ["Enter, Backspace", "zoom, and back"],
    ...shapeKeys,
  ]);
  const header = diffHeader(state, () => dialog.showModal());
  const {element, count} = remarksOfSides(data);
  if (data.spaces.length === 0) {
    replace(page, header, h("main", {},
      h("p.empty", {}, "Nothing was allocated in these recordings."), element), dialog);
    return;
  }
  const reasons = new Reasons(state);
  Object.assign(state.view, reasons.first);
  const toolbar = new DiffToolbar(state);
  const flame = new DiffFlameTab(state);
  const table = new DiffTableTab(state);
  const views = new TabList<DiffTab, null>([
    {id: "flame", name: "Flame", element: flame.element, draw: () => flame.draw()},
    {id: "table", name: "Table", element: table.element, draw: () => table.draw()},
    {id: "remarks", name: `Not recorded (${count})`, element},
  ], (tab) => state.set({tab}));
  replace(page, header, h("main", {}, reasons.element, toolbar.element, views.element), dialog);
  const keys = {...tabKeys(tabs, (tab) => state.set({tab})), ...flame.shape.keys};
  listenToKeys(keys, toolbar.search, dialog);
  state.onChange(() => {
    reasons.draw();
    toolbar.draw();
    views.draw(state.view.tab, null);
  });
  state.refresh();
}
