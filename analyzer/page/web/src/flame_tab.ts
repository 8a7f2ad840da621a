// SPDX-License-Identifier: Apache-2.0
//
// The tab with the flame graph: its controls, and what the pointer or the keyboard is at.

import {h, replace} from "./dom";
import {Flame} from "./flame";
import {bytesText, countText, percentText} from "./format";
import {sumOf, type Values} from "./profile";
import type {State} from "./state";
import {Shapes, type Shape} from "./tree";

export class FlameTab {
  readonly element: HTMLElement;
  private readonly flame: Flame;
  private readonly shapes: Shapes;
  private readonly caption = h("p.caption", {role: "status"});
  private readonly trail = h("nav.trail", {"aria-label": "Zoomed into"});
  private root = 0;
  private calleeFirst = false;
  private shape: Shape | null = null;
  private sums: Float64Array = new Float64Array(1);
  private values: Values | null = null;
  private readonly zooms: number[] = [];

  constructor(private readonly state: State) {
    this.shapes = new Shapes(state.profile);
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
    this.element = h("section.tab", {}, this.controls(),
      h("div.at", {}, this.trail, this.caption), frame);
    this.flame = new Flame(canvas);
    new ResizeObserver(() => this.flame.redraw()).observe(frame);
  }

  private controls(): HTMLElement {
    const toggle = (id: string, text: string, pressed: boolean, change: (on: boolean) => void) => {
      const button = h("button", {
        id, type: "button", "aria-pressed": String(pressed),
        onclick: () => {
          const on = button.getAttribute("aria-pressed") !== "true";
          button.setAttribute("aria-pressed", String(on));
          change(on);
        },
      }, text);
      return button;
    };
    return h("div.controls", {},
      toggle("unfold", "Show libraries and imports", false, (unfold) => {
        this.leave();
        this.state.set({unfold});
      }),
      toggle("callee-first", "Callees first", false, (on) => {
        this.calleeFirst = on;
        this.leave();
        this.state.refresh();
      }),
      toggle("as-flame", "Upwards", false, (on) => {
        this.flame.isFlame = on;
        this.flame.redraw();
      }),
      h("span.legend", {},
        h("span.key.own", {}, "your code"), h("span.key.backward", {}, "its backward pass"),
        h("span.key.import", {}, "imports"), h("span.key.library", {}, "libraries")));
  }

  private leave(): void {
    this.root = 0;
    this.zooms.length = 0;
  }

  draw(values: Values): void {
    const {view} = this.state;
    this.values = values;
    this.shape = this.shapes.of({unfold: view.unfold, calleeFirst: this.calleeFirst});
    this.sums = this.shape.tree.sum(this.shape.ends.get(view.space)!, positive(values.bytes));
    if (this.sums[this.root] <= 0) this.leave();
    this.paint();
  }

  private paint(): void {
    const tree = this.shape!.tree;
    this.flame.draw({
      tree, sums: this.sums, root: this.root, isGrowth: this.state.view.measure === "grown",
      search: this.state.view.search,
    });
    const crumbs: HTMLElement[] = [];
    for (let node = this.root; node !== 0; node = tree.nodes[node].parent) {
      const target = node;
      crumbs.unshift(h("button.crumb", {type: "button", onclick: () => this.zoom(target)},
                       tree.nodes[node].name));
    }
    if (crumbs.length > 0) {
      crumbs.unshift(h("button.crumb", {type: "button", onclick: () => this.zoom(0)}, "all"));
    }
    replace(this.trail, ...crumbs.slice(-6));
    this.say(this.flame.focus);
  }

  private zoom(node: number): void {
    if (node !== this.root) this.zooms.push(this.root);
    this.root = node;
    this.paint();
  }

  private say(node: number): void {
    const tree = this.shape?.tree;
    if (!tree || !this.values) return;
    const sum = this.sums[node];
    const shown = this.values.isCount ? countText(sum) : bytesText(sum);
    const share = percentText(sum, this.sums[0]);
    const lost = sumOf(this.values.bytes) - this.sums[0];
    const fell = node === 0 && lost < -0.5
        ? ` Call sites that hold less than before are left out: ${bytesText(lost)}.` : "";
    const name = h("span.name", {}, node === 0 ? "all" : tree.nodes[node].name);
    replace(this.caption, h("strong", {}, shown), ` ${share} `, name, fell,
            this.sums[0] <= 0 && " Nothing to show for this range and measure.");
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

function positive(values: Float64Array): Float64Array {
  return values.map((value) => (value > 0 ? value : 0));
}
