// SPDX-License-Identifier: Apache-2.0
//
// The row of tabs. Only the one that is open is drawn.

import {BlocksTab} from "./blocks_tab";
import {h, replace} from "./dom";
import {FlameTab} from "./flame_tab";
import {LeaksTab} from "./leaks_tab";
import {LedgersTab} from "./ledgers_tab";
import {ProblemsTab, remarksOf} from "./problems_tab";
import type {Values} from "./profile";
import {SourceTab} from "./source_tab";
import type {State, Tab} from "./state";
import {TableTab} from "./table_tab";

interface Entry {
  id: Tab;
  name: string;
  element: HTMLElement;
  draw: (values: Values) => void;
}

export class Tabs {
  readonly element: HTMLElement;
  private readonly list = h("div.tabs", {role: "tablist", "aria-label": "Views"});
  private readonly panel = h("div", {id: "panel", role: "tabpanel", tabindex: -1});
  private readonly entries: Entry[];

  constructor(private readonly state: State) {
    const flame = new FlameTab(state);
    const table = new TableTab(state);
    const source = new SourceTab(state);
    const leaks = new LeaksTab(state);
    const blocks = new BlocksTab(state);
    const ledgers = new LedgersTab(state);
    const problems = new ProblemsTab(state);
    const growing = state.profile.data.leaks.findings.filter((finding) => finding.is_growth).length;
    const remarks = remarksOf(state).length;
    const count = (number: number) => (number === 0 ? "" : ` (${number})`);
    this.entries = [
      {id: "flame", name: "Flame", element: flame.element, draw: (values) => flame.draw(values)},
      {id: "table", name: "Table", element: table.element, draw: () => table.draw()},
      {id: "source", name: "Source", element: source.element,
       draw: (values) => source.draw(values)},
      {id: "leaks", name: `Leaks${count(growing)}`, element: leaks.element, draw: () => {}},
      {id: "blocks", name: "Blocks", element: blocks.element, draw: () => blocks.draw()},
      {id: "ledgers", name: "Ledgers", element: ledgers.element, draw: () => ledgers.draw()},
      {id: "problems", name: `Problems${count(remarks)}`, element: problems.element,
       draw: () => {}},
    ];
    this.list.append(...this.entries.map((entry) => h("button", {
      type: "button", role: "tab", id: `tab-${entry.id}`, "aria-controls": "panel",
      onclick: () => this.state.set({tab: entry.id}),
      onkeydown: (event: KeyboardEvent) => this.key(event),
    }, entry.name)));
    this.element = h("div.views", {}, this.list, this.panel);
  }

  draw(values: Values): void {
    const {tab} = this.state.view;
    for (const button of this.list.children) {
      const isOpen = button.id === `tab-${tab}`;
      button.setAttribute("aria-selected", String(isOpen));
      button.setAttribute("tabindex", isOpen ? "0" : "-1");
    }
    const entry = this.entries.find((entry) => entry.id === tab)!;
    this.panel.setAttribute("aria-labelledby", `tab-${tab}`);
    if (this.panel.firstChild !== entry.element) replace(this.panel, entry.element);
    entry.draw(values);
  }

  private key(event: KeyboardEvent): void {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    const count = this.entries.length;
    const now = this.entries.findIndex((entry) => entry.id === this.state.view.tab);
    const next = this.entries[(now + by + count) % count];
    this.state.set({tab: next.id});
    document.getElementById(`tab-${next.id}`)!.focus();
    event.preventDefault();
  }
}
