// SPDX-License-Identifier: Apache-2.0
//
// Phases and marks of the program, as bars and ticks above the curves. Of many, the page has the
// longest phases, and says how many others there are.

import type uPlot from "uplot";
import type {Data} from "./data";
import {bandColour} from "./colours";
import {h, styleOf} from "./dom";
import {counted, countText, cutText, shellWord} from "./format";

export interface Phase {
  name: string;
  begin: number;  // in nanoseconds
  end: number;
  row: number;
  isMark: boolean;
  isOpen: boolean;  // It was not ended: `end` is that of the recording.
}

const rowsMax = 3;

export function phasesOf({phases, marks, program}: Data): Phase[] {
  const found = phases.map(([begin, end, row, name]): Phase =>
    ({name, begin, end: end ?? program.duration_ns, row, isMark: false, isOpen: end === null}));
  return [...found, ...marks.map(([time, name]): Phase =>
    ({name, begin: time, end: time, row: 0, isMark: true, isOpen: false}))];
}

// Says which phases and marks the page does not have.
export function phaseNote({phases, marks, left_out: left, program}: Data): HTMLElement | false {
  const said: string[] = [];
  if (left.phases > 0) {
    said.push(`The ${countText(phases.length)} longest of ` +
              `${countText(phases.length + left.phases)} phases are here, and ` +
              `${countText(left.phases)} shorter ones are left out.`);
  }
  if (left.phases_without_end > 0) {
    said.push(`Of ${counted(left.phases_without_end, "more phase")} it is not known when they ` +
              "ended, because the recording does not list all marks.");
  }
  if (left.marks > 0) {
    said.push(`Of ${counted(marks.length + left.marks, "mark")}, ${countText(left.marks)} are ` +
              "left out.");
  }
  if (said.length === 0) return false;
  const command = ["memtrace-report", "phases", program.dump, "--each"].map(shellWord).join(" ");
  return h("p.note", {id: "phases-left-out"}, said.join(" "), " All of them: ",
           h("code.command", {}, command));
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
    const text = cutText(phase.name, 60);
    if (ctx.measureText(text).width < width - 6 * scale) {
      ctx.fillStyle = styleOf("--text");
      ctx.fillText(text, x + 3 * scale, y + ((height - 2) / 2) * scale);
    }
  }
}
