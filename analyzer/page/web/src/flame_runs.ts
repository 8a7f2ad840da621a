// SPDX-License-Identifier: Apache-2.0
//
// Runs of calls that are too narrow to draw: one box stands for them, and opens like any other. A
// run has a number behind those of the tree's nodes. It is as wide as its calls together, so each
// zoom into one shows them wider, until every call has a box of its own.

import {countText} from "./format";
import type {Node, Tree} from "./tree";

export interface Run extends Node {
  sum: number;
}

export class Runs {
  private readonly runs: Run[] = [];
  private readonly known = new Map<string, number>();

  constructor(readonly tree: Tree, readonly sums: Float64Array) {}

  // Returns the run of this number; nothing: it is a node's.
  run(id: number): Run | undefined {
    return this.runs[id - this.tree.nodes.length];
  }
  node(id: number): Node {
    return this.run(id) ?? this.tree.nodes[id];
  }
  sum(id: number): number {
    return this.run(id)?.sum ?? this.sums[id] ?? 0;
  }

  // Returns what a box opens to: the calls with memory, the largest first.
  calls(id: number): number[] {
    return this.node(id).children.filter((child) => this.sums[child] > 0)
      .sort((a, b) => this.sums[b] - this.sums[a]);
  }

  // Returns the number of a run of calls that stand beside each other inside `parent`.
  add(parent: number, calls: number[]): number {
    const key = `${parent} ${calls[0]} ${calls.length}`;
    let id = this.known.get(key);
    if (id === undefined) {
      id = this.tree.nodes.length + this.runs.length;
      const frames = new Set<number>();
      for (const call of calls) for (const frame of this.tree.nodes[call].frames) frames.add(frame);
      this.runs.push({
        parent, frame: -1, frames, kind: "folded", children: calls,
        name: calls.length === 1 ? "1 call, too narrow to draw"
                                 : `${countText(calls.length)} calls, each too narrow to draw`,
        sum: calls.reduce((sum, call) => sum + this.sums[call], 0),
      });
      this.known.set(key, id);
    }
    return id;
  }

  // True if the name of the box, or of a call in it, is searched for.
  isFound(id: number, isFound: (node: Node) => boolean): boolean {
    const run = this.run(id);
    return run ? run.children.some((call) => isFound(this.tree.nodes[call]))
               : isFound(this.tree.nodes[id]);
  }
}
