// SPDX-License-Identifier: Apache-2.0
//
// The flame graph, drawn on a canvas: ten thousand nodes in a few milliseconds. Callees stand to
// the right of each other by size, so equal views look equal.

import {styleOf} from "./dom";
import type {Run, Runs} from "./flame_runs";
import type {Search} from "./search";
import type {Node} from "./tree";

export interface Box {
  node: number;   // or a run of nodes (flame_runs.ts)
  x: number;      // in parts of the width, 0 to 1
  width: number;
  depth: number;
}

export interface Picture {
  runs: Runs;
  root: number;
  look: Look;
  search: Search;
}

// The colours of a box.
export interface Paint {
  fill: string;
  text: string;
  edge?: string;  // of a stripe at its left, which marks what is the user's own
}
export type Look = (node: number, run?: Run) => Paint;

const rowHeight = 21;
const narrowest = 0.4;  // pixels
const runWidth = 240;   // of a box for calls that are narrower: its name has room
const runParts = 4;     // of the whole width, so that a zoom into it shows them wider
const depthMax = 400;  // below the root
const aboveMax = 40;   // ancestors of the root; the trail has others
const edgeWidth = 3;

export class Flame {
  boxes: Box[] = [];
  readonly hidden = {levels: 0, calls: 0, sum: 0};  // what is deeper than the last row
  isFlame = false;  // callers at the bottom
  private picture: Picture | null = null;
  private focused = 0;
  private readonly context: CanvasRenderingContext2D;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d")!;
  }

  get focus(): number {
    return this.focused;
  }

  draw(picture: Picture): void {
    this.picture = picture;
    const width = this.canvas.parentElement!.clientWidth;
    this.boxes = this.layOut(picture, width);
    if (!this.boxes.some((box) => box.node === this.focused)) this.focused = picture.root;
    const rows = Math.max(1, ...this.boxes.map((box) => box.depth + 1));
    const height = rows * rowHeight;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.height = `${height}px`;
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.paint(width, rows);
  }

  // Nodes have other numbers from now on.
  leave(): void {
    this.focused = 0;
  }

  // A graph that is higher than the window has its root at its lower end.
  showRoot(): void {
    if (this.isFlame && this.canvas.clientHeight > window.innerHeight) {
      this.canvas.scrollIntoView({block: "end"});
    }
  }

  redraw(): void {
    if (this.picture) this.draw(this.picture);
  }

  // Ancestors of the root are rows of full width, so that one click leads back.
  private layOut(picture: Picture, width: number): Box[] {
    const {runs, root} = picture;
    const boxes: Box[] = [];
    const above: number[] = [];
    for (let node = root; node !== 0; node = runs.node(node).parent) above.push(node);
    above.splice(aboveMax);
    above.push(0);
    Object.assign(this.hidden, {levels: 0, calls: 0, sum: 0});
    above.reverse().forEach((node, depth) => boxes.push({node, x: 0, width: 1, depth}));
    const whole = runs.sum(root);
    if (whole <= 0) return boxes;
    const least = narrowest / width;
    const placeRuns = (node: number, calls: number[], start: number, depth: number): void => {
      let x = start;
      for (let begin = 0, end = 0; begin < calls.length; begin = end) {
        let part = 0;
        while (end < calls.length && part < Math.min(runWidth / width, 1 / runParts)) {
          part += runs.sum(calls[end++]) / whole;
        }
        if (part < least) return;
        boxes.push({node: runs.add(node, calls.slice(begin, end)), x, width: part, depth});
        x += part;
      }
    };
    const place = (node: number, start: number, depth: number): void => {
      let x = start;
      const calls = runs.calls(node);
      if (depth > above.length + depthMax) {
        this.hide(picture, calls);
        return;
      }
      for (const [i, call] of calls.entries()) {
        const part = runs.sum(call) / whole;
        if (part < least) {
          placeRuns(node, calls.slice(i), x, depth);
          return;
        }
        boxes.push({node: call, x, width: part, depth});
        place(call, x, depth + 1);
        x += part;
      }
    };
    place(root, 0, above.length);
    return boxes;
  }

  // Counts what is not drawn: calls, and everything in them.
  private hide({runs}: Picture, calls: number[]): void {
    for (const call of calls) this.hidden.sum += runs.sum(call);
    for (let level = 1, next = calls; next.length > 0; level++) {
      this.hidden.levels = Math.max(this.hidden.levels, level);
      this.hidden.calls += next.length;
      next = next.flatMap((call) => runs.calls(call));
    }
  }

  private paint(width: number, rows: number): void {
    const {runs, search, look} = this.picture!;
    const context = this.context;
    const [found, focus] = [styleOf("--found"), styleOf("--focus")];
    context.clearRect(0, 0, width, rows * rowHeight);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const box of this.boxes) {
      const x = box.x * width;
      const y = this.top(box.depth, rows);
      const w = box.width * width;
      const isFound = runs.isFound(box.node, (node) => isFoundBy(search, node));
      context.globalAlpha = search.isEmpty || isFound || box.node === 0 ? 1 : 0.3;
      const paint = look(box.node, runs.run(box.node));
      context.fillStyle = paint.fill;
      context.fillRect(x, y, Math.max(w - (w > 3 ? 1 : 0), narrowest), rowHeight - 1);
      if (isFound) {
        context.fillStyle = found;
        context.fillRect(x, y + rowHeight - 4, Math.max(w - 1, 1), 3);
      }
      if (paint.edge !== undefined) {
        context.fillStyle = paint.edge;
        context.fillRect(x, y, Math.min(edgeWidth, w), rowHeight - 1);
      }
      if (w > 28) {
        context.fillStyle = paint.text;
        const {name} = runs.node(box.node);
        context.fillText(fitted(context, name, w - 11), x + 6, y + rowHeight / 2);
      }
      context.globalAlpha = 1;
      if (box.node === this.focused && document.activeElement === this.canvas) {
        context.strokeStyle = focus;
        context.lineWidth = 2;
        context.strokeRect(x + 1, y + 1, Math.max(w - 3, 1), rowHeight - 3);
      }
    }
  }

  private top(depth: number, rows: number): number {
    return (this.isFlame ? rows - 1 - depth : depth) * rowHeight;
  }

  at(event: MouseEvent): Box | undefined {
    const bounds = this.canvas.getBoundingClientRect();
    const rows = Math.round(bounds.height / rowHeight);
    const row = Math.floor((event.clientY - bounds.top) / rowHeight);
    const depth = this.isFlame ? rows - 1 - row : row;
    const x = (event.clientX - bounds.left) / bounds.width;
    return this.boxes.find((box) => box.depth === depth && x >= box.x && x < box.x + box.width);
  }

  // ---- keyboard

  focusOn(node: number): void {
    this.focused = node;
    this.redraw();
  }

  // Moves the focus to a neighbour. Returns false if there is none.
  move(direction: "in" | "out" | "left" | "right"): boolean {
    const here = this.boxes.find((box) => box.node === this.focused);
    if (!here) return false;
    let next: Box | undefined;
    if (direction === "out") {
      const outside = (box: Box) => box.depth === here.depth - 1 && here.x >= box.x - 1e-9 &&
          here.x < box.x + box.width;
      next = this.boxes.find(outside);
    } else if (direction === "in") {
      const inside = (box: Box) => box.depth === here.depth + 1 && box.x >= here.x - 1e-9 &&
          box.x < here.x + here.width;
      next = this.boxes.find(inside);
    } else {
      const row = this.boxes.filter((box) => box.depth === here.depth);
      row.sort((a, b) => a.x - b.x);
      next = row[row.indexOf(here) + (direction === "left" ? -1 : 1)];
    }
    if (!next) return false;
    this.focusOn(next.node);
    return true;
  }
}

function isFoundBy(search: Search, {name, frames}: Node): boolean {
  if (search.isEmpty) return false;
  return search.hasText(name) || [...frames].some((frame) => search.hasFrame(frame));
}

// Returns as much of a text as fits; places at the beginning say most.
function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  const shown = text.length > 300 ? text.slice(0, 300) : text;
  if (context.measureText(shown).width <= width) return shown;
  let low = 0;
  let high = shown.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(shown.slice(0, middle) + "…").width <= width) low = middle;
    else high = middle - 1;
  }
  return low < 2 ? "" : shown.slice(0, low) + "…";
}
