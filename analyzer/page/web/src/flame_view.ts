// SPDX-License-Identifier: Apache-2.0
//
// A flame graph with what belongs to it on every page: the path that was zoomed into, a line about
// what the pointer or the keyboard is at, zoom and moves.

import {h, replace, type Child} from "./dom";
import {Flame, type Look} from "./flame";
import {Runs, type Run} from "./flame_runs";
import {counted, percentText} from "./format";
import type {Search} from "./search";
import type {Tree} from "./tree";

export interface Sight {
  tree: Tree;
  sums: Float64Array;  // by node: its width
  look: Look;
  search: Search;
  describe: (node: number, run?: Run) => Child[];
}

export class FlameView {
  readonly element: HTMLElement;
  private readonly flame: Flame;
  private readonly caption = h("p.caption", {role: "status"});
  private readonly trail = h("nav.trail", {"aria-label": "Zoomed into"});
  private readonly deeper = h("p.note", {id: "deeper"});
  private readonly zooms: number[] = [];
  private root = 0;
  private sight: Sight | null = null;
  private runs: Runs | null = null;  // of what is in sight

  constructor() {
    const canvas = h("canvas.flame", {
      tabindex: 0, role: "application", "aria-roledescription": "flame graph",
      "aria-label": "Flame graph. Arrow keys move, Enter zooms, Backspace goes back.",
      onmousemove: (event: MouseEvent) => this.hover(event),
      onmouseleave: () => this.say(this.flame.focus),
      onclick: (event: MouseEvent) => this.click(event),
      onkeydown: (event: KeyboardEvent) => this.key(event),
      onfocus: () => this.flame.redraw(),
      onblur: () => this.flame.redraw(),
    });
    const frame = h("div.canvas", {}, canvas);
    this.element = h("div", {}, h("div.at", {}, this.trail, this.caption), this.deeper, frame);
    this.flame = new Flame(canvas);
    new ResizeObserver(() => this.flame.redraw()).observe(frame);
  }

  // Callers at the bottom.
  set isFlame(on: boolean) {
    this.flame.isFlame = on;
    this.flame.redraw();
    this.flame.showRoot();
  }

  // Shows everything at the next draw, because nodes have other numbers.
  leave(): void {
    this.root = 0;
    this.zooms.length = 0;
    this.flame.leave();
  }

  draw(sight: Sight): void {
    // A run of other memory has other calls: what it was a part of is shown.
    while (this.runs?.run(this.root)) this.root = this.runs.node(this.root).parent;
    this.zooms.splice(0, this.zooms.length, ...this.zooms.filter((id) => !this.runs?.run(id)));
    this.sight = sight;
    this.runs = new Runs(sight.tree, sight.sums);
    if (!(sight.sums[this.root] > 0)) this.leave();
    this.paint();
  }

  private paint(): void {
    const {look, search} = this.sight!;
    const runs = this.runs!;
    this.flame.draw({runs, root: this.root, look, search});
    const crumbs: HTMLElement[] = [];
    for (let node = this.root; node !== 0; node = runs.node(node).parent) {
      const target = node;
      crumbs.unshift(h("button.crumb", {type: "button", onclick: () => this.zoom(target)},
                       runs.node(node).name));
    }
    if (crumbs.length > 0) {
      crumbs.unshift(h("button.crumb", {type: "button", onclick: () => this.zoom(0)}, "all"));
    }
    replace(this.trail, ...crumbs.slice(-6));
    this.say(this.flame.focus);
    const {levels, calls, sum} = this.flame.hidden;
    this.deeper.textContent = levels === 0 ? ""
      : `${counted(calls, "call")} below the last row, ${counted(levels, "level")} deep, with ` +
        `${percentText(sum, runs.sum(this.root))} of what is shown, ` +
        `${calls === 1 ? "is" : "are"} ` +
        "not drawn: zoom into a box near that row to see more.";
  }

  private zoom(node: number): void {
    if (node !== this.root) this.zooms.push(this.root);
    this.root = node;
    this.paint();
    this.flame.showRoot();
  }

  private say(node: number): void {
    if (!this.sight) return;
    replace(this.caption, ...this.sight.describe(node, this.runs?.run(node)));
  }

  private hover(event: MouseEvent): void {
    const box = this.flame.at(event);
    this.flame.canvas.style.cursor = box ? "pointer" : "default";
    if (box) this.say(box.node);
  }

  private click(event: MouseEvent): void {
    const box = this.flame.at(event);
    if (!box) return;
    this.flame.focusOn(box.node);
    this.zoom(box.node);
  }

  private key(event: KeyboardEvent): void {
    const up = this.flame.isFlame ? "in" : "out";
    const down = this.flame.isFlame ? "out" : "in";
    const moves: Record<string, "in" | "out" | "left" | "right"> =
        {ArrowUp: up, ArrowDown: down, ArrowLeft: "left", ArrowRight: "right"};
    if (event.key in moves) {
      if (this.flame.move(moves[event.key])) this.say(this.flame.focus);
    } else if (event.key === "Enter" || event.key === " ") {
      this.zoom(this.flame.focus);
    } else if (event.key === "Backspace") {
      this.root = this.zooms.pop() ?? 0;
      this.paint();
    } else if (event.key === "Home") {
      this.leave();
      this.paint();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
