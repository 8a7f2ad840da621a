// SPDX-License-Identifier: Apache-2.0
//
// The parts of a line's name: "forward net.py:42" has a function, which may be as long as C++ makes
// it and is cut where it has no room, and a place, which stays in sight.

import {h, type Child} from "./dom";

export function nameParts(name: string): Child[] {
  const at = name.lastIndexOf(" ");
  if (at < 0 || !/:\d+$/.test(name)) return [h("span.function", {}, name)];
  return [h("span.function", {}, name.slice(0, at)), h("span.place", {}, name.slice(at))];
}
