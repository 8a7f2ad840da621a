// SPDX-License-Identifier: Apache-2.0
//
// The parts of a line's name: "forward net.py:42" has a function, which may be as long as C++ makes
// it and is cut where it has no room, and a place, which stays in sight.

import {h, type Child} from "./dom";
import {cutText} from "./format";

const seen = 40;   // characters that have room at least
const begun = 16;  // of the beginning, where the middle is left out
const before = 8;  // of what is the same, in front of what differs

// Returns "forward" and " net.py:42"; the second is empty if the name has no place.
function split(name: string): [string, string] {
  const at = name.lastIndexOf(" ");
  return at < 0 || !/:\d+$/.test(name) ? [name, ""] : [name.slice(0, at), name.slice(at)];
}

// Returns how functions are shown one below the other, by the names of lines. Of those that begin
// alike for longer than there is room, the same part is left out, so that they can be told apart.
export function namesApart(names: string[]): Map<string, string> {
  const apart = functionsApart(new Set(names.map((name) => split(name)[0])));
  return new Map(names.map((name) => {
    const [function_, place] = split(name);
    return [name, (apart.get(function_) ?? function_) + place];
  }));
}

function functionsApart(names: Set<string>): Map<string, string> {
  const alike = new Map<string, string[]>();
  for (const name of names) {
    if (name.length <= seen) continue;
    const begin = name.slice(0, seen);
    const group = alike.get(begin);
    if (group) group.push(name);
    else alike.set(begin, [name]);
  }
  const shown = new Map<string, string>();
  for (const group of alike.values()) {
    if (group.length < 2) continue;
    const sorted = [...group].sort();
    sorted.forEach((name, i) => {
      // What a name has in common with a neighbour in this order is the most with any other.
      let same = Math.max(sameLength(name, sorted[i - 1]), sameLength(name, sorted[i + 1]));
      while (isSecondHalf(name, same - before)) same--;
      shown.set(name, cutText(name, begun) + name.slice(same - before));
    });
  }
  return shown;
}

// True if a character of two parts would be cut at this place.
function isSecondHalf(name: string, at: number): boolean {
  return /[\udc00-\udfff]/.test(name.charAt(at));
}

function sameLength(name: string, other = ""): number {
  let same = 0;
  while (same < name.length && name[same] === other[same]) same++;
  return same;
}

export function nameParts(name: string): Child[] {
  const [function_, place] = split(name);
  return [h("span.function", {}, function_), place !== "" && h("span.place", {}, place)];
}
