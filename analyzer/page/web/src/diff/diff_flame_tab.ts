// SPDX-License-Identifier: Apache-2.0
//
// The red-blue flame graph: as wide as memory is, red where more is taken than before, blue where
// less is. What is gone has no width in the later recording, so by default a call stack is as wide
// as the larger of both.

import {h, styleOf, toggle, type Child} from "../dom";
import type {Look} from "../flame";
import type {Run} from "../flame_runs";
import {FlameShape} from "../flame_shape";
import {FlameView} from "../flame_view";
import {percentText} from "../format";
import {Shapes, type Step, type Tree} from "../tree";
import type {DiffSpace} from "./diff_data";
import type {DiffState} from "./diff_state";
import {changeText, classOfChange, fromTo} from "./diff_text";

type Width = "both" | "after" | "before";

// Shades by the part of a box that changed.
const levels = [0.005, 0.1, 0.35, 0.75];

interface Sums {
  before: Float64Array;
  after: Float64Array;
}

export class DiffFlameTab {
  readonly element: HTMLElement;
  private readonly flame = new FlameView();
  private readonly shapes: Shapes;
  private readonly width: HTMLSelectElement;
  readonly shape = new FlameShape((isFlame) => (this.flame.isFlame = isFlame), () => {
    this.flame.leave();
    this.state.refresh();
  });

  constructor(private readonly state: DiffState) {
    const {diff} = state;
    this.shapes = new Shapes(diff, diff.data.spaces.map(
      ({name, sites}) => ({name, node: sites.node, row: sites.row, folded: sites.folded})),
      (row, frame) => this.lineOf(row, frame));
    this.width = h("select", {id: "width", onchange: () => state.refresh()},
      h("option", {value: "both"}, "the larger of both"), h("option", {value: "after"}, "after"),
      h("option", {value: "before"}, "before"));
    this.element = h("section.tab", {}, this.controls(), this.flame.element);
  }

  // Frames have no lines, because the lines of two versions differ. The own lines were matched.
  private lineOf(row: number, frame: number): Step | null {
    const {diff} = this.state;
    const {kind, line, frame: own} = diff.data.rows[row];
    if (own !== frame || line === undefined || line === 0) return null;
    const name = `${diff.functionOf(frame)} ${diff.placeOf(frame)}:${line}`;
    return {key: `r${row}`, name, frame, frames: [frame],
            kind: kind === "backward" ? "backward" : "own"};
  }

  private controls(): HTMLElement {
    return h("div.controls", {},
      toggle("unfold", "Show libraries and imports", (unfold) => {
        this.flame.leave();
        this.state.set({unfold});
      }),
      this.shape.element,
      h("label.field", {for: "width"}, "Width: "), this.width,
      h("span.legend", {}, h("span.key.grew", {}, "more than before"),
        h("span.key.shrank", {}, "less"), h("span.key.same", {}, "the same"),
        h("span.key.edge", {}, "your code")));
  }

  draw(): void {
    const {diff, view} = this.state;
    const space = diff.space(view.space);
    const {tree, ends} = this.shapes.of({unfold: view.unfold, calleeFirst: this.shape.calleeFirst});
    const of = (values: Float64Array) => tree.sum(ends.get(space.name)!, values);
    const [before, after] = diff.values(space, view.measure);
    const sums = {before: of(before), after: of(after)};
    const larger = before.map((value, site) => Math.max(value, after[site]));
    const widths: Record<Width, () => Float64Array> =
      {both: () => of(larger), before: () => sums.before, after: () => sums.after};
    this.flame.draw({
      tree, sums: widths[this.width.value as Width](), look: diffLook(tree, sums),
      search: diff.search(view.search),
      describe: (node, run) => this.describe(space, tree, sums, node, run),
    });
  }

  private describe(space: DiffSpace, tree: Tree, sums: Sums, node: number,
                   run?: Run): Child[] {
    const {measure} = this.state.view;
    const [before, after] = sidesOf(sums, node, run);
    const change = after - before;
    const pair = {before, after, blocksBefore: 0, blocksAfter: 0, chance: 0};
    const isNew = before === 0 && after > 0;
    const isGone = after === 0 && before > 0;
    const part = isNew ? "new" : isGone ? "gone" : percentText(change, before);
    return [
      h("strong", {class: classOfChange(change), "data-before": before, "data-after": after},
        change === 0 ? "the same" : changeText(space, measure, change)),
      change !== 0 && ` ${change > 0 && !isNew ? "+" : ""}${part}`,
      ` ${fromTo(space, measure, pair)} `,
      h("span.name", {}, node === 0 ? "all" : (run ?? tree.nodes[node]).name),
      sums.before[0] + sums.after[0] <= 0 && " Nothing to show for this measure.",
    ];
  }
}

// Returns what a box has in the earlier and the later recording.
function sidesOf({before, after}: Sums, node: number, run?: Run): [number, number] {
  const of = (sums: Float64Array) =>
    run ? run.children.reduce((sum, call) => sum + sums[call], 0) : sums[node];
  return [of(before), of(after)];
}

function diffLook(tree: Tree, sums: Sums): Look {
  const shades = (name: string) => levels.map((_, i) => styleOf(`--${name}-${i + 1}`));
  const [grew, shrank] = [shades("grew"), shades("shrank")];
  const [same, text, ownText, edge] =
    ["--same", "--diff-text", "--diff-own-text", "--own"].map(styleOf);
  return (node, run) => {
    const [before, after] = sidesOf(sums, node, run);
    const change = after - before;
    const part = Math.abs(change) / Math.max(before, after, Number.MIN_VALUE);
    const level = levels.findLastIndex((least) => part >= least);
    const fill = level < 0 ? same : (change > 0 ? grew : shrank)[level];
    const {kind} = run ?? tree.nodes[node];
    const isOwn = node !== 0 && (kind === "own" || kind === "backward");
    return isOwn ? {fill, text: ownText, edge} : {fill, text};
  };
}
