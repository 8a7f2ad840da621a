// SPDX-License-Identifier: Apache-2.0
//
// A row of tabs. Only the one that is open is drawn.

import {h, replace} from "./dom";

export interface TabEntry<Id extends string, Input> {
  id: Id;
  name: string;
  element: HTMLElement;
  draw?: (input: Input) => void;  // Without it, the element is the same for every choice.
}

export class TabList<Id extends string, Input> {
  readonly element: HTMLElement;
  private readonly list = h("div.tabs", {role: "tablist", "aria-label": "Views"});
  private readonly panel = h("div", {id: "panel", role: "tabpanel", tabindex: -1});
  private open: Id;

  constructor(private readonly entries: TabEntry<Id, Input>[],
              private readonly choose: (tab: Id) => void) {
    this.open = entries[0].id;
    this.list.append(...entries.map((entry) => h("button", {
      type: "button", role: "tab", id: `tab-${entry.id}`, "aria-controls": "panel",
      onclick: () => choose(entry.id),
      onkeydown: (event: KeyboardEvent) => this.key(event),
    }, entry.name)));
    this.element = h("div.views", {}, this.list, this.panel);
  }

  draw(tab: Id, input: Input): void {
    this.open = tab;
    for (const button of this.list.children) {
      const isOpen = button.id === `tab-${tab}`;
      button.setAttribute("aria-selected", String(isOpen));
      button.setAttribute("tabindex", isOpen ? "0" : "-1");
    }
    const entry = this.entries.find(({id}) => id === tab)!;
    this.panel.setAttribute("aria-labelledby", `tab-${tab}`);
    if (this.panel.firstChild !== entry.element) replace(this.panel, entry.element);
    entry.draw?.(input);
  }

  private key(event: KeyboardEvent): void {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    const count = this.entries.length;
    const now = this.entries.findIndex(({id}) => id === this.open);
    const next = this.entries[(now + by + count) % count];
    this.choose(next.id);
    document.getElementById(`tab-${next.id}`)!.focus();
    event.preventDefault();
  }
}
