// SPDX-License-Identifier: Apache-2.0
//
// Small curves beside a name: memory held over the run, and survivors by the slice that made them.

import {svg} from "./dom";

const width = 240;
const height = 44;

// Where slices are, in nanoseconds. `end` is that of the axis, which begins with the run.
export interface Axis {
  borders: ArrayLike<number>;
  end: number;
}

// Returns an area below `values`, in steps: each is what was held at a border, and nothing is known
// between. The marked part is between the values with these numbers.
export function curveOf(values: ArrayLike<number>, label: string, {borders, end}: Axis,
                        marked?: {from: number; to: number}): SVGElement {
  const most = Math.max(1, ...Array.from(values));
  const colour = "var(--own)";
  const x = (i: number) => (borders[i] / end) * width;
  const y = (value: number) => height - 2 - (value / most) * (height - 6);
  let path = `M0 ${height}`;
  for (let i = 1; i < values.length; i++) {
    path += `V${y(values[i]).toFixed(1)}H${x(i).toFixed(1)}`;
  }
  path += `V${height}Z`;
  const shade = marked && svg("rect", {
    x: x(marked.from), y: 0, width: Math.max(1, x(marked.to) - x(marked.from)), height,
    class: "shade",
  });
  return picture(label, ...(shade ? [shade] : []),
                 svg("path", {d: path, fill: colour, "fill-opacity": 0.35, stroke: colour}));
}

// Returns a bar for each slice: value i is that of the slice from border i to the next. Only growth
// has its colour.
export function barsOf(values: ArrayLike<number>, label: string, {borders, end}: Axis,
                       isGrowth: boolean): SVGElement {
  const most = Math.max(1, ...Array.from(values));
  const x = (i: number) => (borders[i] / end) * width;
  const bars = Array.from(values, (value, i) => svg("rect", {
    x: x(i).toFixed(2), width: Math.max(0.5, x(i + 1) - x(i) - 0.5).toFixed(2),
    y: (height - (value / most) * (height - 4)).toFixed(1),
    height: ((value / most) * (height - 4)).toFixed(1),
    fill: isGrowth ? "var(--growth)" : "var(--step)",
  }));
  return picture(label, ...bars);
}

function picture(label: string, ...parts: Node[]): SVGElement {
  return svg("svg", {
    viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", class: "curve", role: "img",
    "aria-label": label,
  }, ...parts);
}
