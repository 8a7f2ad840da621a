// SPDX-License-Identifier: Apache-2.0
//
// Phases and marks of the program, as bars and ticks above the curves.

import type uPlot from "uplot";
import type {Data} from "./data";
import {bandColour} from "./colours";
import {styleOf} from "./dom";

export interface Phase {
  name: string;
  begin: number;  // in nanoseconds
  end: number;
  row: number;
  isMark: boolean;
}

const rowsMax = 3;

// Matches each begin with the next end of the same name, innermost first.
export function phasesOf(data: Data): Phase[] {
  const phases: Phase[] = [];
  const open: Phase[] = [];
  for (const [time, kind, name] of data.marks) {
    if (kind === 0) {
      phases.push({name, begin: time, end: time, row: 0, isMark: true});
    } else if (kind === 1) {
      const phase = {name, begin: time, end: data.program.duration_ns, row: open.length,
                     isMark: false};
      phases.push(phase);
      open.push(phase);
    } else {
      const at = open.findLastIndex((phase) => phase.name === name);
      if (at >= 0) open.splice(at, 1)[0].end = time;
    }
  }
  return phases;
}

export function phaseRows(phases: Phase[]): number {
  return phases.length === 0 ? 0
    : Math.min(rowsMax, 1 + Math.max(...phases.map((phase) => phase.row)));
}

export function drawPhases(plot: uPlot, phases: Phase[], height: number): void {
  const {ctx, bbox} = plot;
  const scale = window.devicePixelRatio || 1;
  const rows = phaseRows(phases);
  const top = bbox.top - rows * height * scale;
  ctx.font = `${10 * scale}px system-ui, sans-serif`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  const names = [...new Set(phases.map((phase) => phase.name))];
  for (const phase of phases) {
    if (phase.row >= rowsMax) continue;
    const x = plot.valToPos(phase.begin / 1e9, "x", true);
    const width = plot.valToPos(phase.end / 1e9, "x", true) - x;
    const y = top + phase.row * height * scale;
    if (phase.isMark) {
      ctx.fillStyle = styleOf("--faint");
      ctx.fillRect(x, y, scale, rows * height * scale);
      continue;
    }
    ctx.fillStyle = bandColour(names.indexOf(phase.name) + 2) + "55";
    ctx.fillRect(x, y, Math.max(scale, width - scale), (height - 2) * scale);
    const text = phase.name.slice(0, 60);
    if (ctx.measureText(text).width < width - 6 * scale) {
      ctx.fillStyle = styleOf("--text");
      ctx.fillText(text, x + 3 * scale, y + ((height - 2) / 2) * scale);
    }
  }
}
