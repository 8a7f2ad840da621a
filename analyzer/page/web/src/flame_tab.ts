// SPDX-License-Identifier: Apache-2.0
//
// The tab with the flame graph of the range, and its controls.

import {h, toggle, type Child} from "./dom";
import {memoryLook} from "./flame_look";
import {FlameShape} from "./flame_shape";
import {FlameView} from "./flame_view";
import type {Run} from "./flame_runs";
import {percentText} from "./format";
import {figureText, sumOf, type Space, type Values} from "./profile";
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
      ({name, data: {sites}}) =>
        ({name, node: sites.node, row: sites.row, folded: sites.folded})));
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
        h("span.key.import", {}, "imports"), h("span.key.library", {}, "libraries"),
        h("span.key.narrow", {}, "too narrow")));
  }

  draw(values: Values): void {
    const {unfold, measure, search: text} = this.state.view;
    const space = this.state.profile.space(this.state.view.space);
    const search = this.state.profile.search(text);
    const {tree, ends} = this.shapes.of({unfold, calleeFirst: this.shape.calleeFirst});
    const sums = tree.sum(ends.get(space.name)!, positive(values.bytes));
    this.view.draw({tree, sums, look: memoryLook(tree, measure === "grown"), search,
                    describe: (node, run) => describe(space, tree, sums, values, node, run)});
  }
}

function describe(space: Space, tree: Tree, sums: Float64Array, values: Values, node: number,
                  run?: Run): Child[] {
  const sum = run?.sum ?? sums[node];
  const lost = sumOf(values.bytes) - sums[0];
  const fell = node === 0 && lost < -0.5
      ? " Call sites that hold less than before are left out: " +
        `${figureText(space, lost, values.isCount)}.`
      : "";
  const name = h("span.name", {}, node === 0 ? "all" : (run ?? tree.nodes[node]).name);
  return [h("strong", {}, figureText(space, sum, values.isCount)),
          ` ${percentText(sum, sums[0])} `, name, fell,
          sums[0] <= 0 && " Nothing to show for this range and measure."];
}

function positive(values: Float64Array): Float64Array {
  return values.map((value) => (value > 0 ? value : 0));
}
