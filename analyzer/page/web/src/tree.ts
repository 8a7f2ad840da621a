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
import type {Profile, Space} from "./profile";

export type Kind = "own" | "backward" | "import" | "library" | "missing" | "folded";

export interface Node {
  parent: number;
  frame: number;     // a frame of the node; -1: none
  name: string;
  kind: Kind;
  children: number[];
}

export class Tree {
  readonly nodes: Node[] = [{parent: 0, frame: -1, name: "all", kind: "library", children: []}];
  private readonly known = new Map<string, number>();

  child(parent: number, key: string, make: () => Omit<Node, "parent" | "children">): number {
    const path = `${parent} ${key}`;
    let node = this.known.get(path);
    if (node === undefined) {
      node = this.nodes.length;
      this.nodes.push({parent, children: [], ...make()});
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

function kindOf(flags: number): Kind {
  if (flags & missing) return "missing";
  if (flags & backward) return "backward";
  if (flags & own) return "own";
  return flags & importing ? "import" : "library";
}

// One step of a stack as the tree shows it.
interface Step {
  key: string;
  name: string;
  frame: number;
  kind: Kind;
}

function plainStep(profile: Profile, frame: number): Step {
  const kind = kindOf(profile.flagsOf(frame));
  const place = profile.placeOf(frame);
  // Boxes are narrow, and neighbours are often of one file.
  const name = profile.functionOf(frame) + (place === "" ? "" : ` ${place}`);
  return {key: `f${frame}`, name, frame, kind};
}

const isFoldable = (kind: Kind): boolean => kind === "library" || kind === "import";

// Turns the frames of a stack, outermost first, into the steps of the folded tree.
function foldedSteps(profile: Profile, frames: number[]): Step[] {
  const steps: Step[] = [];
  for (let i = 0; i < frames.length;) {
    const step = plainStep(profile, frames[i]);
    if (!isFoldable(step.kind)) {
      steps.push(step);
      i++;
      continue;
    }
    let first = "";  // the library that was called
    let imported = "";
    let isImport = false;
    let frame = frames[i];
    for (; i < frames.length && isFoldable(kindOf(profile.flagsOf(frames[i]))); i++) {
      const group = profile.groupOf(frames[i]);
      if (kindOf(profile.flagsOf(frames[i])) === "import") isImport = true;
      else if (!isImport && first === "") [first, frame] = [group, frames[i]];
      // The import machinery belongs to no package.
      if (isImport && imported === "" && group !== "importlib") imported = group;
    }
    const name = isImport && first === "" ? `import ${imported}`.trim() : first;
    const kind = isImport && first === "" ? "import" : "library";
    steps.push({key: `g${name}`, name, frame, kind});
  }
  return steps;
}

export interface Order {
  unfold: boolean;
  calleeFirst: boolean;
}

export class Shapes {
  private readonly made = new Map<string, Shape>();

  constructor(private readonly profile: Profile) {}

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
    const byNode = new Map<number, number>();
    for (const space of this.profile.spaces) {
      ends.set(space.name, this.endsOf(space, tree, order, byNode));
    }
    return {tree, ends};
  }

  private endsOf(space: Space, tree: Tree, order: Order, byNode: Map<number, number>): Uint32Array {
    const sites = space.data.sites;
    const ends = new Uint32Array(space.size);
    for (let site = 0; site < space.size; site++) {
      const node = sites.node[site];
      let end = byNode.get(node);
      if (end === undefined) {
        end = this.add(tree, this.profile.stackOf(node), order);
        byNode.set(node, end);
      }
      ends[site] = end;
    }
    return ends;
  }

  // Returns the node of a stack's last step.
  private add(tree: Tree, stack: number[], order: Order): number {
    const frames = stack.reverse();
    let steps = order.unfold ? frames.map((frame) => plainStep(this.profile, frame))
                             : foldedSteps(this.profile, frames);
    if (steps.length === 0) {
      steps = [{key: "none", name: "no stack was recorded", frame: -1, kind: "missing"}];
    }
    if (order.calleeFirst) steps.reverse();
    let node = 0;
    for (const {key, name, frame, kind} of steps) {
      node = tree.child(node, key, () => ({name, frame, kind}));
    }
    return node;
  }
}
