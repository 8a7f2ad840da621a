// SPDX-License-Identifier: Apache-2.0
//
// The colours of a flame graph of one recording: the user's own code in one colour, its backward
// pass in another, libraries in greys; own code in red where it grew.

import {styleOf} from "./dom";
import type {Look} from "./flame";
import type {Kind, Tree} from "./tree";

function hash(text: string): number {
  let sum = 7;
  for (let i = 0; i < Math.min(text.length, 60); i++) sum = (sum * 31 + text.charCodeAt(i)) | 0;
  return Math.abs(sum);
}

export function memoryLook(tree: Tree, isGrowth: boolean): Look {
  const greys = [1, 2, 3, 4].map((number) => styleOf(`--grey-${number}`));
  const shades = (name: string) => [1, 2, 3].map((number) => styleOf(`--${name}-${number}`));
  const colours: Partial<Record<Kind, string[]>> = {
    own: shades(isGrowth ? "growth" : "own"),
    backward: isGrowth ? shades("growth") : [styleOf("--backward")],
    import: [styleOf("--import")],
    missing: [styleOf("--missing")],
    folded: [styleOf("--missing")],
  };
  const [root, text, ownText] = ["--flame-root", "--flame-text", "--own-text"].map(styleOf);
  return (node, run) => {
    if (run) return {fill: styleOf("--narrow"), text};
    if (node === 0) return {fill: root, text};
    const {kind, name} = tree.nodes[node];
    const found = colours[kind];
    // A library has one grey, whatever file of it was called.
    if (!found) return {fill: greys[hash(name.split(/[ :]/)[0]) % greys.length], text};
    const isOwn = kind === "own" || kind === "backward";
    return {fill: found[hash(name) % found.length], text: isOwn ? ownText : text};
  };
}
