// SPDX-License-Identifier: Apache-2.0
//
// The frames and the stacks of a page, and how they are called.

import type {NamesData} from "./data";
import {Search} from "./search";

const noStack = "no stack was recorded";

// Returns what a stack without frames is called. The stacks of several call sites may be folded to
// the calls that they have in common, and these may be none.
export function withoutFrames(isFolded: boolean): string {
  return isFolded ? "folded to keep the page small" : noStack;
}

export class Names {
  private searched: Search | null = null;

  constructor(readonly data: NamesData) {}

  // Every view searches for the same, so it is found once.
  search(text: string): Search {
    if (this.searched?.text !== text) this.searched = new Search(this, text);
    return this.searched;
  }

  text(index: number): string {
    return this.data.texts[index];
  }
  functionOf(frame: number): string {
    return this.text(this.data.frames.function[frame]);
  }
  fileOf(frame: number): string {
    return this.text(this.data.frames.file[frame]);
  }
  lineOf(frame: number): number {
    return this.data.frames.line[frame];
  }
  groupOf(frame: number): string {
    return this.text(this.data.frames.group[frame]);
  }
  flagsOf(frame: number): number {
    return this.data.frames.flags[frame];
  }

  // Returns "net.py:42", with the folder if the name says little; empty: no line is known.
  placeOf(frame: number): string {
    const file = this.fileOf(frame);
    if (file === "") return "";
    const parts = file.split("/");
    const last = parts[parts.length - 1];
    const name = last.startsWith("__") ? parts.slice(-2).join("/") : last;
    return this.lineOf(frame) === 0 ? name : `${name}:${this.lineOf(frame)}`;
  }
  // Returns "net.py:42 Net.forward".  -1: there is no frame.
  frameText(frame: number): string {
    if (frame < 0) return noStack;
    const place = this.placeOf(frame);
    return place === "" ? this.functionOf(frame) : `${place} ${this.functionOf(frame)}`;
  }

  // Returns the frames of a node, innermost first.
  stackOf(node: number): number[] {
    const frames: number[] = [];
    const {parent, frame} = this.data.nodes;
    for (; node !== 0; node = parent[node]) frames.push(frame[node]);
    return frames;
  }
}
