// SPDX-License-Identifier: Apache-2.0
//
// The axes of charts over time: seconds of the run, and bytes.

import type uPlot from "uplot";
import {styleOf} from "./dom";
import {bytesText, timeText} from "./format";

const byteSteps = Array.from({length: 51}, (_, power) => 2 ** power);

// Half of the widest label of a time, in pixels: a label is centred below its tick.
export const rightPadding = 32;

const secondsText = (seconds: number) => (seconds === 0 ? "0 s" : timeText(seconds * 1e9));

export function axesOf(): uPlot.Axis[] {
  const line = {stroke: styleOf("--line"), width: 1};
  const common = {stroke: styleOf("--faint"), font: "11px system-ui, sans-serif", grid: line,
                  ticks: {...line, size: 4}};
  return [
    {...common, size: 26, space: 80,
     values: (_: uPlot, splits: number[]) => splits.map(secondsText)},
    {...common, size: 72, space: 24, incrs: byteSteps,
     values: (_: uPlot, splits: number[]) => splits.map((split) => bytesText(split))},
  ];
}
