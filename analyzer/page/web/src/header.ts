// SPDX-License-Identifier: Apache-2.0
//
// The head of the page: what ran, when, how long, how it ended, and whether anything is missing.

import type {Data, Program} from "./data";
import {h, type Child} from "./dom";
import {bytesText, counted, shellWord, timeText} from "./format";
import {remarksOf} from "./problems_tab";
import {themeButton} from "./theme";

export function chip(text: string, kind = ""): HTMLElement | false {
  return text !== "" && h("span", {class: `chip ${kind}`}, text);
}

// When the program ran, how long, and how it ended.
export function courseChips(program: Program): Child[] {
  const started = program.start_ns === 0 ? ""
    : new Date(program.start_ns / 1e6).toISOString().slice(0, 16).replace("T", " ") + " UTC";
  const end = program.end === "unknown" ? "end not recorded" : program.end;
  const {processes, commands} = program;
  const isSum = processes > 1;
  return [isSum && chip(`${processes} processes as one` +
                        (commands > 1 ? `, of ${commands} commands` : ""), "warn"),
          isSum && chip("peaks are upper bounds", "warn"),
          chip(started), chip(timeText(program.duration_ns)),
          chip(end, program.end === "exit 0" ? "good" : "warn")];
}

// How many events were lost; empty: none.
export function lostText({lost_events, lost_events_exact}: Program): string {
  if (lost_events_exact) return lost_events === 0 ? "" : `${counted(lost_events, "event")} lost`;
  return lost_events === 0 ? "an unknown number of events lost"
    : `at least ${counted(lost_events, "event")} lost`;
}

// Whether anything is missing, or only a sample was recorded.
export function lossChips(program: Program): Child[] {
  const lost = lostText(program);
  const {sample} = program;
  return [
    sample && h("span.chip.warn", {id: "sample", title: sample.text},
                `a sample: ${bytesText(sample.bytes)} may be ${sample.off} off`),
    lost === "" ? chip(`${counted(program.events, "event")}, none lost`, "good")
      : chip(lost, "bad"),
    program.damaged && chip("incomplete", "bad"),
  ];
}

// The filters to which a page is limited; empty: it has the whole recording.
export function filtersText({filters}: Data): string {
  return filters.map(shellWord).join(" ");
}

export interface HeaderTools {
  refresh: (atOnce?: boolean) => void;
  showProblems?: () => void;  // without it, they are in sight
  help?: () => void;
}

export function headerOf(data: Data, {refresh, showProblems, help}: HeaderTools): HTMLElement {
  const {program, slices} = data;
  const remarks = remarksOf(data).length;
  return h("header.head", {},
    h("h1", {title: program.command}, program.title),
    h("div.chips", {},
      ...courseChips(program),
      data.filters.length > 0 && chip(`only ${filtersText(data)}`, "warn"),
      slices.all_steps > 0 && chip(counted(slices.all_steps, "step") +
        (slices.is_found ? ` of ${slices.step}` : ` “${slices.step}”`)),
      chip(program.rank),
      ...lossChips(program),
      remarks > 0 && showProblems !== undefined && h("button.chip.warn", {
        type: "button", onclick: showProblems,
      }, counted(remarks, "remark"))),
    h("div.tools", {}, themeButton(refresh),
      help !== undefined && h("button", {
        type: "button", id: "help", "aria-label": "Keyboard", title: "Keyboard (?)", onclick: help,
      }, "?")));
}
