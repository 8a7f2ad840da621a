// SPDX-License-Identifier: Apache-2.0
//
// The tab with everything that was not recorded, is not exact, or is not on the page.

import {h, replace} from "./dom";
import {bytesText, counted, countText} from "./format";
import type {Data, Program} from "./data";

interface Recorded {
  program: Program;
  remarks: [string, string][];
  spaces: {name: string; is_estimate: boolean}[];
}

export function remarksOf(data: Recorded): [string, string][] {
  const {program} = data;
  const remarks: [string, string][] = [...data.remarks];
  if (program.lost_events > 0) {
    const lost = counted(program.lost_events, "event");
    const least = program.lost_events_exact ? "" : "at least ";
    remarks.unshift(["lost", `${least}${lost} were not recorded`]);
  }
  if (program.anomalies > 0) {
    remarks.push(["anomalies", `${counted(program.anomalies, "event")} contradict earlier ones`]);
  }
  if (program.sample) remarks.push(["sample", program.sample.text]);
  const cut = program.captures - program.captures_complete;
  if (cut > 0) {
    remarks.push(["stacks", `${countText(cut)} of ${countText(program.captures)} do not reach ` +
                            "the start of their thread"]);
  }
  for (const space of data.spaces) {
    if (space.is_estimate && program.sample === null) {
      remarks.push([space.name, "its figures are estimates from a sample"]);
    }
  }
  return remarks;
}

export function remarkList(remarks: [string, string][]): HTMLElement {
  if (remarks.length === 0) return h("p.empty", {}, "None: everything was recorded.");
  return h("ul.remarks", {}, ...remarks.map(
    ([subject, text]) => h("li", {}, h("strong", {}, subject), ` ${text}`)));
}

export class ProblemsTab {
  readonly element = h("section.tab.problems");

  constructor(data: Data) {
    const {program} = data;
    const remarks = remarksOf(data);
    const facts: [string, string][] = [
      ["Events", `${countText(program.events)}, ${bytesText(program.dump_bytes)} of dump`],
      ["Call stacks", program.captures === 0 ? "none were captured anew"
        : `${countText(program.captures_complete)} of ${countText(program.captures)} are complete`],
      ["Python", program.python], ["Python's small objects", program.python_objects],
      ["GPU", program.gpu], ["Threads", countText(program.threads)],
      program.processes > 1
        ? ["Processes", `${program.processes} as one; each peak is the sum of their peaks: ` +
                        "an upper bound"]
        : ["Process", `${program.pid}${program.rank === "" ? "" : `, ${program.rank}`}`],
      ["memtrace", program.version],
    ];
    replace(this.element,
      h("h3", {}, "Problems and remarks"),
      remarkList(remarks),
      data.spaces.length > 0 && h("h3", {}, "On this page"),
      h("ul.remarks", {}, ...data.spaces.map((space) => h("li", {},
        h("strong", {}, space.name), " ", space.folded_stacks === 0
          ? `all ${counted(space.recorded_sites, "call stack")} in full`
          : `${countText(space.folded_stacks)} of ${counted(space.recorded_sites, "call stack")} ` +
            "end at a caller, to keep the page small: " +
            `${bytesText(space.folded_at_peak)} at the peak. The sums have all of them.`))),
      h("h3", {}, "What was recorded"),
      h("dl.facts", {}, ...facts.flatMap(
        ([name, text]) => [h("dt", {}, name), h("dd", {}, text)])));
  }
}
