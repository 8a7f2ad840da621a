// SPDX-License-Identifier: Apache-2.0
//
// Times in which events are missing, because a part of the dump is damaged: hatched in the
// timeline, with a sentence below it.

import type uPlot from "uplot";
import type {Data} from "./data";
import {h, styleOf} from "./dom";
import {counted, timeText} from "./format";

const distance = 7;  // of two lines
const narrowest = 4;
const timesSaid = 3;

export function hatch(plot: uPlot, lost: Data["lost"]): void {
  const {ctx, bbox} = plot;
  const scale = window.devicePixelRatio || 1;
  for (const [begin, end] of lost) {
    const from = plot.valToPos(begin / 1e9, "x", true);
    const width = Math.max(narrowest * scale, plot.valToPos(end / 1e9, "x", true) - from);
    ctx.save();
    ctx.beginPath();
    ctx.rect(from, bbox.top, width, bbox.height);
    ctx.clip();
    ctx.strokeStyle = styleOf("--bad");
    ctx.lineWidth = scale;
    ctx.globalAlpha = 0.6;
    ctx.beginPath();
    for (let x = from - bbox.height; x < from + width; x += distance * scale) {
      ctx.moveTo(x, bbox.top + bbox.height);
      ctx.lineTo(x + bbox.height, bbox.top);
    }
    ctx.stroke();
    ctx.restore();
  }
}

export function lossNote({lost, program}: Data): HTMLElement | false {
  if (lost.length === 0) {
    return program.damaged && h("p.note", {},
      "Something is missing, and the dump does not say when: see Problems.");
  }
  const times = lost.slice(0, timesSaid).map(([begin, end]) => {
    const [from, to] = [timeText(begin), timeText(end)];
    return from === to ? `after ${from}` : `from ${from} to ${to}`;
  });
  const more = lost.length - times.length;
  return h("p.note.bad", {id: "lost"}, "Hatched: events are missing, because the dump is " +
    `damaged, ${times.join(", ")}${more > 0 ? ` and ${counted(more, "time")} more` : ""}. ` +
    "What was allocated or freed then is not in the figures.");
}
