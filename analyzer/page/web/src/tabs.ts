// SPDX-License-Identifier: Apache-2.0
//
// The tabs of the page of a recording.

import {BlocksTab} from "./blocks_tab";
import type {FlameTab} from "./flame_tab";
import {LeaksTab} from "./leaks_tab";
import {LedgersTab} from "./ledgers_tab";
import {ProblemsTab, remarksOf} from "./problems_tab";
import type {Values} from "./profile";
import {SourceTab} from "./source_tab";
import type {State, Tab} from "./state";
import {TabList} from "./tab_list";
import {TableTab} from "./table_tab";
import {TrainingTab} from "./training_tab";

export function tabsOf(state: State, flame: FlameTab): TabList<Tab, Values> {
  const table = new TableTab(state);
  const source = new SourceTab(state);
  const leaks = new LeaksTab(state);
  const blocks = new BlocksTab(state);
  const ledgers = new LedgersTab(state);
  const problems = new ProblemsTab(state.profile.data);
  const {data} = state.profile;
  const training = data.training && new TrainingTab(state, data.training);
  const growing = data.leaks.findings.filter((finding) => finding.is_growth).length;
  const remarks = remarksOf(data).length;
  const count = (number: number) => (number === 0 ? "" : ` (${number})`);
  return new TabList<Tab, Values>([
    {id: "flame", name: "Flame", element: flame.element, draw: (values) => flame.draw(values)},
    {id: "table", name: "Table", element: table.element, draw: () => table.draw()},
    {id: "source", name: "Source", element: source.element, draw: (values) => source.draw(values)},
    {id: "leaks", name: `Leaks${count(growing)}`, element: leaks.element,
     draw: () => leaks.draw()},
    {id: "blocks", name: "Blocks", element: blocks.element, draw: () => blocks.draw()},
    {id: "ledgers", name: "Ledgers", element: ledgers.element, draw: () => ledgers.draw()},
    {id: "problems", name: `Problems${count(remarks)}`, element: problems.element},
    ...(training === null ? [] : [{id: "training" as const, name: "Training",
                                   element: training.element, draw: () => training.draw()}]),
  ], (tab) => state.set({tab}));
}
