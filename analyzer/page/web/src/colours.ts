// SPDX-License-Identifier: Apache-2.0
//
// One colour for each space and for each band. Their values are in style.css, light and dark.

import {styleOf} from "./dom";

export const bandCount = 12;

export function bandColour(index: number): string {
  return styleOf(`--band-${(index % bandCount) + 1}`);
}

const bySpace: Record<string, number> = {host: 0, mmap: 4, python: 2, pinned: 3, managed: 5};
const ofTensors = [1, 7, 10, 11];
const ofDevices = [6, 5, 9, 8];

// Returns the number of the band whose colour a space has in every chart.
export function bandOfSpace(name: string): number {
  if (name in bySpace) return bySpace[name];
  const number = Number(/\d+$/.exec(name)?.[0] ?? 0);
  return (name.startsWith("device") ? ofDevices : ofTensors)[number % 4];
}
