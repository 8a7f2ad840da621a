// SPDX-License-Identifier: Apache-2.0
//
// The tab with the flame graph of the range, and its controls.

import {h, toggle, type Child} from "./dom";
import {memoryLook} from "./flame_look";
import {FlameShape} from "./flame_shape";
import {FlameView} from "./flame_view";
import {bytesText, countText, percentText} from "./format";
import {sumOf, type Values} from "./profile";
import type {State} from "./state";
import {Shapes, type Tree} from "./tree";

export class FlameTab {
  readonly element: HTMLElement;
  private readonly view = new FlameView();
  private readonly shapes: Shapes;
  readonly shape = new FlameShape((isFlame) => (this.view.isFlame = isFlame), () => {
    this.view.leave();
    this.state.refresh();
  });

  constructor(private readonly state: State) {
    this.shapes = new Shapes(state.profile, state.profile.spaces.map(
      ({name, data}) => ({name, node: data.sites.node, row: data.sites.row})));
    this.element = h("section.tab", {}, this.controls(), this.view.element);
  }

  private controls(): HTMLElement {
    return h("div.controls", {},
      toggle("unfold", "Show libraries and imports", (unfold) => {
        this.view.leave();
        this.state.set({unfold});
      }),
      this.shape.element,
      h("span.legend", {},
        h("span.key.own", {}, "your code"), h("span.key.backward", {}, "its backward pass"),
        h("span.key.import", {}, "imports"), h("span.key.library", {}, "libraries")));
  }

  draw(values: Values): void {
    const {space, unfold, measure, search: text} = this.state.view;
    const search = this.state.profile.search(text);
    const {tree, ends} = this.shapes.of({unfold, calleeFirst: this.shape.calleeFirst});
    const sums = tree.sum(ends.get(space)!, positive(values.bytes));
    this.view.draw({tree, sums, look: memoryLook(tree, measure === "grown"), search,
                    describe: (node) => describe(tree, sums, values, node)});
  }
}

function describe(tree: Tree, sums: Float64Array, values: Values, node: number): Child[] {
  const shown = values.isCount ? countText(sums[node]) : bytesText(sums[node]);
  const lost = sumOf(values.bytes) - sums[0];
  const fell = node === 0 && lost < -0.5
      ? ` Call sites that hold less than before are left out: ${bytesText(lost)}.` : "";
  const name = h("span.name", {}, node === 0 ? "all" : tree.nodes[node].name);
  return [h("strong", {}, shown), ` ${percentText(sums[node], sums[0])} `, name, fell,
          sums[0] <= 0 && " Nothing to show for this range and measure."];
}

function positive(values: Float64Array): Float64Array {
  return values.map((value) => (value > 0 ? value : 0));
}
