// SPDX-License-Identifier: Apache-2.0
//
// What a row of the table opens: the curve of its memory, and its stacks.

import {curveOf} from "./chart";
import {h} from "./dom";
import {counted} from "./format";
import {importing, own, backward} from "./data";
import {withoutFrames, type Names} from "./names";
import {everyThread, figureText, sumOf, type Profile, type Space, type Values} from "./profile";
import type {State} from "./state";

const stacksShown = 6;
const framesShown = 80;
const unfoldedMost = 2;  // frames of libraries in a row that are shown as they are

// Returns the bytes that sites together held at each border.
export function curveOfSites(profile: Profile, space: Space, sites: number[]): Float64Array {
  const sum = new Float64Array(profile.last + 1);
  for (const site of sites) {
    const part = space.histories[site].dense(profile.last);
    for (let border = 0; border < sum.length; border++) sum[border] += part[border];
  }
  return sum;
}

function frameClass(flags: number): string {
  if (flags & own) return "own";
  if (flags & backward) return "backward";
  return flags & importing ? "import" : "library";
}

function frameLine(names: Names, frame: number): HTMLElement {
  const place = names.placeOf(frame);
  return h("li", {class: frameClass(names.flagsOf(frame))},
    h("span.place", {title: names.fileOf(frame)}, place), " ",
    h("span.function", {}, names.functionOf(frame)),
    place === "" && h("span.module", {}, ` ${names.groupOf(frame)}`));
}

// Several frames of libraries in a row are one line, which opens.
function foldedLines(names: Names, frames: number[]): HTMLElement {
  const groups = [...new Set(frames.map((frame) => names.groupOf(frame)))];
  const shown = groups.slice(0, 3).join(", ") + (groups.length > 3 ? ", …" : "");
  return h("li.library", {}, h("details", {},
    h("summary", {}, `${counted(frames.length, "frame")} of ${shown}`),
    h("ol.stack", {}, ...frames.map((frame) => frameLine(names, frame)))));
}

// Returns a stack, innermost frame first, with the user's own lines in sight.
export function stackList(names: Names, frames: number[], isFolded = false): HTMLElement {
  const list = h("ol.stack");
  const isOwn = (frame: number) => (names.flagsOf(frame) & (own | backward)) !== 0;
  const shown = frames.slice(0, framesShown);
  const folds = shown.some(isOwn);
  for (let begin = 0, end = 0; begin < shown.length; begin = end) {
    end = begin + 1;
    while (folds && !isOwn(shown[begin]) && end < shown.length && !isOwn(shown[end])) end++;
    const run = shown.slice(begin, end);
    if (run.length > unfoldedMost) list.append(foldedLines(names, run));
    else list.append(...run.map((frame) => frameLine(names, frame)));
  }
  if (frames.length > framesShown) {
    list.append(h("li.library", {}, `${counted(frames.length - framesShown, "caller")} more`));
  }
  if (frames.length === 0) list.append(h("li.library", {}, withoutFrames(isFolded)));
  return list;
}

function stackOfSite(profile: Profile, space: Space, site: number, values: Values): HTMLElement {
  const value = values.bytes[site];
  const sites = space.data.sites;
  return h("div.site", {},
    h("p", {}, h("strong", {}, figureText(space, value, values.isCount)),
      values.isCount ? "" : ` in ${counted(values.blocks[site], "block")}`,
      sites.folded[site] === 1 && h("span.note", {},
        ` ${counted(sites.stacks[site], "call stack")}, shown up to the call they have in common`)),
    stackList(profile, profile.stackOf(sites.node[site]), sites.folded[site] === 1));
}

export function detailsOf(state: State, space: Space, sites: number[],
                          values: Values): HTMLElement {
  const {profile} = state;
  const {range} = state.view;
  const held = curveOfSites(profile, space, sites);
  const used = sites.filter((site) => values.bytes[site] !== 0);
  const largest = (used.length > 0 ? used : [...sites])
    .sort((a, b) => values.bytes[b] - values.bytes[a]);
  const shown = largest.slice(0, stacksShown);
  const rest = largest.slice(stacksShown);
  const restSum = sumOf(rest.map((site) => values.bytes[site]));
  return h("div.details", {},
    profile.data.no_course === "" && h("figure", {},
      curveOf(held, "Memory held over the run",
              {borders: profile.borders, end: profile.borders[profile.last]},
              profile.isWhole(range) ? undefined : range),
      h("figcaption", {},
        `held over the run, at most ${figureText(space, Math.max(...held), false)} at a border` +
        (state.view.thread === everyThread ? "" : ", by all threads"))),
    h("div.stacks", {},
      ...shown.map((site) => stackOfSite(profile, space, site, values)),
      rest.length > 0 && h("p.note", {}, `${counted(rest.length, "call site")} more: ` +
        figureText(space, restSum, values.isCount))));
}
