// SPDX-License-Identifier: Apache-2.0
//
// Trees of calls for the flame graph. Their shape depends on the recording alone and is found once;
// a change of range or measure only adds values up again.
//
// Folded, every run of frames that are not the user's own is one node with the name of the library
// that was called, or of the package that was being imported:
//
//   main train.py:88                       main train.py:88
//     forward …/torch/nn/module.py:7         torch
//       linear …/torch/nn/f.py:9               at own line net.py:4
//         net.py:4

import {backward, importing, missing, own} from "./data";
import {withoutFrames, type Names} from "./names";

export type Kind = "own" | "backward" | "import" | "library" | "missing" | "folded";

export interface Node {
  parent: number;
  frame: number;     // a frame of the node; -1: none
  frames: Set<number>;  // all of them: a folded node may have many
  name: string;
  kind: Kind;
  children: number[];
}

export class Tree {
  readonly nodes: Node[] = [{parent: 0, frame: -1, frames: new Set(), name: "all", kind: "library",
                           children: []}];
  private readonly known = new Map<string, number>();

  child(parent: number, key: string, make: () => Pick<Node, "frame" | "name" | "kind">): number {
    const path = `${parent} ${key}`;
    let node = this.known.get(path);
    if (node === undefined) {
      node = this.nodes.length;
      this.nodes.push({parent, children: [], frames: new Set(), ...make()});
      this.nodes[parent].children.push(node);
      this.known.set(path, node);
    }
    return node;
  }

  // Adds values of sites up, at the nodes in which the sites end and at all above them.
  sum(ends: Uint32Array, values: Float64Array): Float64Array {
    const sums = new Float64Array(this.nodes.length);
    for (let site = 0; site < ends.length; site++) sums[ends[site]] += values[site];
    for (let node = this.nodes.length - 1; node > 0; node--) {
      sums[this.nodes[node].parent] += sums[node];
    }
    return sums;
  }
}

export interface Shape {
  tree: Tree;
  ends: Map<string, Uint32Array>;  // by space: the node of each site
}

export function kindOf(flags: number): Kind {
  if (flags & missing) return "missing";
  if (flags & backward) return "backward";
  if (flags & own) return "own";
  return flags & importing ? "import" : "library";
}

// One step of a stack as the tree shows it.
export interface Step {
  key: string;
  name: string;
  frame: number;
  frames: number[];  // all that the step shows
  kind: Kind;
}

function plainStep(names: Names, frame: number): Step {
  const kind = kindOf(names.flagsOf(frame));
  const place = names.placeOf(frame);
  // Boxes are narrow, and neighbours are often of one file.
  const name = names.functionOf(frame) + (place === "" ? "" : ` ${place}`);
  return {key: `f${frame}`, name, frame, frames: [frame], kind};
}

const isFoldable = (kind: Kind): boolean => kind === "library" || kind === "import";

type StepOf = (index: number) => Step;

// Turns the frames of a stack, outermost first, into the steps of the folded tree.
function foldedSteps(names: Names, frames: number[], stepOf: StepOf): Step[] {
  const steps: Step[] = [];
  for (let i = 0; i < frames.length;) {
    const step = stepOf(i);
    if (!isFoldable(step.kind)) {
      steps.push(step);
      i++;
      continue;
    }
    let first = "";  // the library that was called
    let imported = "";
    let isImport = false;
    let frame = frames[i];
    const begin = i;
    for (; i < frames.length && isFoldable(kindOf(names.flagsOf(frames[i]))); i++) {
      const group = names.groupOf(frames[i]);
      if (kindOf(names.flagsOf(frames[i])) === "import") isImport = true;
      else if (!isImport && first === "") [first, frame] = [group, frames[i]];
      // The import machinery belongs to no package.
      if (isImport && imported === "" && group !== "importlib") imported = group;
    }
    const name = isImport && first === "" ? `import ${imported}`.trim() : first;
    const kind = isImport && first === "" ? "import" : "library";
    steps.push({key: `g${name}`, name, frame, frames: frames.slice(begin, i), kind});
  }
  return steps;
}

export interface Order {
  unfold: boolean;
  calleeFirst: boolean;
}

// The stacks of a space: of each site its node and the user's own line, an index into the rows.
export interface Stacks {
  name: string;
  node: number[];
  row: number[];
  folded: number[];  // 1: several stacks, of which the node is what they have in common
}

export class Shapes {
  private readonly made = new Map<string, Shape>();

  // `lineOf`: the step that shows an own line inside a frame, for frames that are more than a line.
  constructor(private readonly names: Names, private readonly spaces: Stacks[],
              private readonly lineOf: (row: number, frame: number) => Step | null = () => null) {}

  of(order: Order): Shape {
    const key = `${order.unfold} ${order.calleeFirst}`;
    let shape = this.made.get(key);
    if (!shape) {
      shape = this.make(order);
      this.made.set(key, shape);
    }
    return shape;
  }

  private make(order: Order): Shape {
    const tree = new Tree();
    const ends = new Map<string, Uint32Array>();
    const known = new Map<string, number>();
    for (const space of this.spaces) ends.set(space.name, this.endsOf(space, tree, order, known));
    return {tree, ends};
  }

  private endsOf(space: Stacks, tree: Tree, order: Order,
                 known: Map<string, number>): Uint32Array {
    return Uint32Array.from(space.node, (node, site) => {
      const row = space.row[site];
      const isFolded = space.folded[site] === 1;
      const key = `${node} ${row} ${isFolded}`;
      let end = known.get(key);
      if (end === undefined) {
        end = this.add(tree, this.names.stackOf(node), row, isFolded, order);
        known.set(key, end);
      }
      return end;
    });
  }

  // Returns the node of a stack's last step.
  private add(tree: Tree, stack: number[], row: number, isFolded: boolean,
              order: Order): number {
    // The line is that of the innermost of several calls.
    const line = stack.findIndex((frame) => this.lineOf(row, frame) !== null);
    const frames = stack.reverse();
    const own = line < 0 ? -1 : frames.length - 1 - line;
    const stepOf: StepOf = (i) =>
      (i === own && this.lineOf(row, frames[i])) || plainStep(this.names, frames[i]);
    let steps = order.unfold ? frames.map((_, i) => stepOf(i))
                             : foldedSteps(this.names, frames, stepOf);
    if (steps.length === 0) {
      steps = [{key: `none ${isFolded}`, name: withoutFrames(isFolded), frame: -1, frames: [],
                kind: isFolded ? "folded" : "missing"}];
    }
    if (order.calleeFirst) steps.reverse();
    let node = 0;
    for (const {key, name, frame, frames: all, kind} of steps) {
      node = tree.child(node, key, () => ({name, frame, kind}));
      for (const one of all) tree.nodes[node].frames.add(one);
    }
    return node;
  }
}
