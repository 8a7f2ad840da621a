// SPDX-License-Identifier: Apache-2.0
//
// The head of a comparison: which two runs, and what was not recorded in either.

import {h} from "../dom";
import {countText, counted} from "../format";
import {chip, courseChips, lossChips} from "../header";
import {remarkList, remarksOf} from "../problems_tab";
import {themeButton} from "../theme";
import type {DiffData, Side} from "./diff_data";
import type {DiffState} from "./diff_state";

const sides = ["before", "after"] as const;

// What makes the two runs hard to compare, in sentences.
function caveatsOf({before, after, same_program: isSame,
                    why_other_steps: whyOtherSteps}: DiffData): string[] {
  const caveats: string[] = [];
  if (!isSame) caveats.push("two different programs");
  if (before.only !== after.only) caveats.push("they are limited in different ways");
  if ((before.steps === null) !== (after.steps === null)) {
    caveats.push(`only one has steps (${before.steps ? "before" : "after"}), ` +
                 "so steps are not compared");
  }
  if (whyOtherSteps !== "") caveats.push(`steps are not compared: ${whyOtherSteps}`);
  for (const [name, {nothing}] of [["before", before], ["after", after]] as const) {
    if (nothing !== "") caveats.push(`${name}: ${nothing}`);
  }
  return caveats;
}

function remarksOfSide(data: DiffData, side: Side): [string, string][] {
  return remarksOf({...side, spaces: data.spaces});
}

export function diffHeader(state: DiffState, help: () => void): HTMLElement {
  const {data} = state.diff;
  const titles = sides.map((name) => data[name].program.title);
  const title = titles[0] === titles[1] ? titles[1] : `${titles[0]} → ${titles[1]}`;
  return h("header", {},
    h("div.head", {}, h("h1", {title}, title),
      h("div.chips", {}, ...caveatsOf(data).map((caveat) => chip(caveat, "warn"))),
      h("div.tools", {}, themeButton((atOnce) => state.refresh(atOnce)),
        h("button", {type: "button", id: "help", "aria-label": "Keyboard", title: "Keyboard (?)",
                     onclick: help}, "?"))),
    h("dl.runs", {}, ...sides.flatMap((name) => [h("dt", {}, name),
                                                h("dd", {id: name}, runOf(state, name))])));
}

function runOf(state: DiffState, name: (typeof sides)[number]): HTMLElement {
  const {data} = state.diff;
  const side = data[name];
  const {program, steps} = side;
  const remarks = remarksOfSide(data, side).length;
  const isSame = data.before.program.command === data.after.program.command;
  return h("div.chips", {},
    h("span.dump", {title: program.command}, program.dump),
    !isSame && h("code.command", {title: program.command}, program.command),
    ...courseChips(program), chip(program.rank),
    steps !== null && chip(`${counted(steps.count, "whole step")} of ${steps.of}`),
    side.only !== "" && chip(`only ${side.only}`, "warn"), ...lossChips(program),
    remarks > 0 && h("button.chip.warn", {
      type: "button", onclick: () => state.set({tab: "remarks"}),
    }, counted(remarks, "remark")));
}

// Returns what each side did not record, and what the page folds; and how many remarks those are.
export function remarksOfSides(data: DiffData): {element: HTMLElement; count: number} {
  const lists = sides.map((name) => remarksOfSide(data, data[name]));
  const folded = data.spaces.map((space) => h("li", {}, h("strong", {}, space.name), " ",
    space.folded_stacks === 0 ? `all ${counted(space.stacks, "call stack")} in full`
      : `${countText(space.folded_stacks)} of ${counted(space.stacks, "call stack")} end at a ` +
        "caller, to keep the page small. The sums have all of them."));
  const element = h("section.tab.problems", {},
    ...sides.flatMap((name, i) => [h("h3", {}, `Not recorded ${name}`), remarkList(lists[i])]),
    h("h3", {}, "On this page"), h("ul.remarks", {}, ...folded));
  return {element, count: lists[0].length + lists[1].length};
}
