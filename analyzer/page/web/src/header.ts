// SPDX-License-Identifier: Apache-2.0
//
// The head of the page: what ran, when, how long, how it ended, and whether anything is missing.

import type {Data, Program} from "./data";
import {h, type Child} from "./dom";
import {counted, lastParts, shellWord, timeText} from "./format";
import {remarksOf} from "./problems_tab";
import type {State} from "./state";
import {themeButton} from "./theme";

// Returns the command without the folder of its program.
export function titleOf(command: string): string {
  const words = command.split(" ");
  // A script says more than its interpreter.
  const isScript = lastParts(words[0], 1).startsWith("python") && words.length > 1 &&
      !words[1].startsWith("-");
  const [program, ...rest] = isScript ? words.slice(1) : words;
  return command === "" ? "memtrace" : [lastParts(program, 1), ...rest].join(" ");
}

export function chip(text: string, kind = ""): HTMLElement | false {
  return text !== "" && h("span", {class: `chip ${kind}`}, text);
}

// When the program ran, how long, and how it ended.
export function courseChips(program: Program): Child[] {
  const started = program.start_ns === 0 ? ""
    : new Date(program.start_ns / 1e6).toISOString().slice(0, 16).replace("T", " ") + " UTC";
  const end = program.end === "unknown" ? "end not recorded" : program.end;
  return [program.processes > 1 && chip(`${program.processes} processes as one`, "warn"),
          chip(started), chip(timeText(program.duration_ns)),
          chip(end, program.end === "exit 0" ? "good" : "warn")];
}

// Whether anything is missing.
export function lossChips(program: Program): Child[] {
  return [
    program.lost_events === 0 ? chip(`${counted(program.events, "event")}, none lost`, "good")
      : chip(`${counted(program.lost_events, "event")} lost`, "bad"),
    program.damaged && chip("incomplete", "bad"),
  ];
}

// The filters to which a page is limited; empty: it has the whole recording.
export function filtersText({filters}: Data): string {
  return filters.map(shellWord).join(" ");
}

export function headerOf(state: State, help: () => void): HTMLElement {
  const {data} = state.profile;
  const {program} = data;
  const remarks = remarksOf(data).length;
  const {slices} = data;
  return h("header.head", {},
    h("h1", {title: program.command}, titleOf(program.command)),
    h("div.chips", {},
      ...courseChips(program),
      data.filters.length > 0 && chip(`only ${filtersText(data)}`, "warn"),
      slices.all_steps > 0 && chip(counted(slices.all_steps, "step") +
        (slices.is_found ? ` of ${slices.step}` : ` “${slices.step}”`)),
      chip(program.rank),
      ...lossChips(program),
      remarks > 0 && h("button.chip.warn", {
        type: "button", onclick: () => state.set({tab: "problems"}),
      }, counted(remarks, "remark"))),
    h("div.tools", {}, themeButton(() => state.refresh()),
      h("button", {type: "button", id: "help", "aria-label": "Keyboard", title: "Keyboard (?)",
                   onclick: help}, "?")));
}
