// SPDX-License-Identifier: Apache-2.0
//
// The tab with the ledgers: what the resident set of the process, and the memory of each GPU,
// consist of, as stacked bars.

import {bandColour} from "./colours";
import type {GpuMoment, HostMoment} from "./data";
import {h, replace} from "./dom";
import {bytesText, percentText, timeText} from "./format";
import type {State} from "./state";

export interface Part {
  name: string;
  bytes: number;
  colour: string;
}

const hostNames: [string, string][] = [
  ["heap_blocks", "live blocks of the heap"], ["heap_overhead", "headers and rounding of blocks"],
  ["heap_free", "heap that is free but kept"], ["mappings", "mapped by the program"],
  ["gpu_driver", "mapped by the GPU's driver"], ["python_objects", "live objects of Python"],
  ["python_free", "free parts of Python's arenas"], ["python_arenas", "arenas of Python's objects"],
  ["shared", "shared memory"], ["files", "mapped files: program, libraries, data"],
  ["file_copies", "variables of program and libraries"], ["stacks", "stacks of threads"],
  ["memtrace", "memtrace itself"],
];

export function hostParts(moment: HostMoment): Part[] {
  const parts = hostNames.map(([key, name], index) => ({
    name, bytes: moment.parts[key] ?? 0,
    colour: key === "memtrace" ? "var(--grey-4)" : bandColour(index),
  }));
  parts.push({name: "not explained", bytes: moment.not_explained, colour: "var(--grey-3)"});
  return parts.filter((part) => part.bytes !== 0).sort((a, b) => b.bytes - a.bytes);
}

function gpuParts(moment: GpuMoment): Part[] {
  const parts = moment.rows.map((row, index) => ({
    name: row.name + (row.is_estimate ? " (estimate)" : ""), bytes: row.bytes,
    colour: bandColour(index),
  }));
  if (moment.not_explained !== null) {
    parts.push({name: "not explained", bytes: moment.not_explained, colour: "var(--grey-3)"});
  }
  return parts.filter((part) => part.bytes !== 0);
}

export function stackedBar(parts: Part[], whole: number, label: string): HTMLElement {
  return h("div.stacked", {role: "img", "aria-label": label}, ...parts
    .filter((part) => part.bytes > 0).map((part) => h("span", {
      style: `width:${((100 * part.bytes) / Math.max(1, whole)).toFixed(2)}%;` +
             `background:${part.colour}`,
      title: `${part.name}: ${bytesText(part.bytes)}`,
    })));
}

// One moment is as wide as its share of `widest`, so that two moments can be compared.
function ledger(title: string, parts: Part[], whole: number, widest: number): HTMLElement {
  return h("div.ledger", {}, h("h4", {}, title),
    h("div", {style: `width:${((100 * whole) / Math.max(1, widest)).toFixed(1)}%`},
      stackedBar(parts, whole, title)),
    h("table.parts", {}, h("tbody", {}, ...parts.map((part) => h("tr", {},
      h("th", {scope: "row"}, h("span.swatch", {style: `background:${part.colour}`}), part.name),
      h("td", {"data-value": part.bytes}, bytesText(part.bytes)),
      h("td", {}, percentText(part.bytes, whole)))))));
}

export class LedgersTab {
  readonly element = h("section.tab.ledgers");

  constructor(private readonly state: State) {}

  draw(): void {
    const {host_ledger: host, gpu_ledger: gpus} = this.state.profile.data.ledgers;
    const found: HTMLElement[] = [];
    if (host.peak && host.end) {
      const widest = Math.max(host.peak.resident, host.end.resident);
      const moment = (name: string, at: HostMoment) => ledger(
        `${name}: ${bytesText(at.resident)} resident, after ${timeText(at.time_ns)}`,
        hostParts(at), at.resident, widest);
      found.push(h("h3", {}, "Memory of the host"),
                 h("div.pair", {}, moment("At the peak", host.peak),
                   moment("At the end", host.end)));
    } else {
      found.push(h("p.empty", {}, `No ledger of the host: ${host.absent ?? "not recorded"}.`));
    }
    for (const gpu of gpus) {
      const whole = (at: GpuMoment) => gpuParts(at).reduce((sum, part) => sum + part.bytes, 0);
      const widest = Math.max(whole(gpu.peak), whole(gpu.end));
      const moment = (name: string, at: GpuMoment) => ledger(
        `${name}: ${bytesText(whole(at))}, after ${timeText(at.time_ns)}`, gpuParts(at), whole(at),
        widest);
      found.push(h("h3", {}, `GPU ${gpu.device}`),
                 h("div.pair", {}, moment("At the peak", gpu.peak), moment("At the end", gpu.end)));
    }
    replace(this.element, ...found);
  }
}
