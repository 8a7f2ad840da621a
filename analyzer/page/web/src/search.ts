// SPDX-License-Identifier: Apache-2.0
//
// What the reader searches for: a part of a name, in whichever view. A call is found by its
// function, its file or its module, and memory by any call of its stack, so all views find the
// same.

import type {Names} from "./names";

export class Search {
  private readonly wanted: string;
  private readonly frames = new Map<number, boolean>();
  private readonly nodes: Uint8Array;  // by node of the stacks: 1 if it or a caller of it is found

  constructor(private readonly names: Names, readonly text: string) {
    this.wanted = text.toLowerCase();
    const {parent, frame} = names.data.nodes;
    this.nodes = new Uint8Array(parent.length);
    if (text === "") return;
    // A caller comes before the calls in it.
    for (let node = 1; node < parent.length; node++) {
      this.nodes[node] = this.nodes[parent[node]] || Number(this.hasFrame(frame[node]));
    }
  }

  get isEmpty(): boolean {
    return this.wanted === "";
  }

  hasText(text: string): boolean {
    return text.toLowerCase().includes(this.wanted);
  }

  hasFrame(frame: number): boolean {
    if (frame < 0) return false;
    let isFound = this.frames.get(frame);
    if (isFound === undefined) {
      const {names} = this;
      isFound = this.hasText(
        `${names.frameText(frame)} ${names.fileOf(frame)} ${names.groupOf(frame)}`);
      this.frames.set(frame, isFound);
    }
    return isFound;
  }

  // True if a call of the stack that ends at a node is found.
  hasStack(node: number): boolean {
    return this.nodes[node] === 1;
  }
}
