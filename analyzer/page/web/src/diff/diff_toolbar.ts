// SPDX-License-Identifier: Apache-2.0
//
// What governs every tab of a comparison: the measure, the space, and the search.

import {h, replace} from "../dom";
import {changeOf, measures} from "./diff";
import type {DiffState} from "./diff_state";
import {changeText} from "./diff_text";

export class DiffToolbar {
  readonly element: HTMLElement;
  private readonly measures = h("div.segments", {role: "group", "aria-label": "Measure"});
  private readonly space = h("select", {
    id: "space", onchange: () => this.state.set({space: this.space.value}),
  });
  readonly search = h("input", {
    id: "search", type: "search", placeholder: "Search", "aria-label": "Search functions and files",
    oninput: () => this.state.set({search: this.search.value}),
  });

  constructor(private readonly state: DiffState) {
    this.element = h("div.toolbar", {}, this.measures,
      h("label.field", {for: "space"}, "of "), this.space, this.search);
  }

  draw(): void {
    const {diff, view} = this.state;
    if (this.search.value !== view.search) this.search.value = view.search;
    replace(this.measures, ...diff.measures.map((measure) => h("button", {
      type: "button", id: `measure-${measure}`, "aria-pressed": String(view.measure === measure),
      onclick: () => this.state.set({measure}),
    }, measures[measure].name)));
    replace(this.space, ...diff.data.spaces.map((space) => {
      const change = changeOf(diff.whole(space, view.measure));
      const text = change === 0 ? "no difference" : changeText(space, view.measure, change);
      return h("option", {value: space.name, selected: space.name === view.space},
               `${space.name} (${text})`);
    }));
  }
}
