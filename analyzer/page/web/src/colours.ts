// SPDX-License-Identifier: Apache-2.0
//
// One colour for each space and for each band. Their values are in style.css, light and dark.

import {styleOf} from "./dom";

export const bandCount = 12;

export function bandColour(index: number): string {
  return styleOf(`--band-${(index % bandCount) + 1}`);
}

const bySpace: Record<string, number> = {host: 0, mmap: 4, python: 2, pinned: 3, managed: 5};

// Returns the number of the band whose colour a space has in every chart.
export function bandOfSpace(name: string): number {
  if (name in bySpace) return bySpace[name];
  if (name.startsWith("tensors")) return 1;
  return name.startsWith("device") ? 6 : 7;
}
