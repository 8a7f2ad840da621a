// SPDX-License-Identifier: Apache-2.0
//
// Blocks that nothing points to any more, by what a search for them has found.

import {own, type Amount, type LostBlocks} from "./data";
import {stackList} from "./details";
import {h} from "./dom";
import {bytesText, counted} from "./format";
import type {Names} from "./names";

const linesShown = 3;

type Kind = LostBlocks["kinds"][number];

function isLost({name}: Kind): boolean {
  return name === "definitely lost" || name === "indirectly lost";
}

function amountText({bytes, blocks}: Amount): string {
  return `${bytesText(bytes)} in ${counted(blocks, "block")}`;
}

// What is definitely or indirectly lost.
export function lostSum(lost: LostBlocks): Amount {
  const kinds = lost.kinds.filter(isLost);
  const sum = (of: (kind: Kind) => number) => kinds.reduce((all, kind) => all + of(kind), 0);
  return {blocks: sum(({blocks}) => blocks), bytes: sum(({bytes}) => bytes)};
}

export function lostTitle(lost: LostBlocks): string {
  if (lost.text === "") return "Lost blocks: not searched";
  const sum = lostSum(lost);
  return sum.blocks === 0 ? "Lost blocks: none" : `Lost blocks: ${amountText(sum)}`;
}

// Returns the innermost lines of the user's own code. The first may be no more than a helper that
// everybody calls.
function ownLines(names: Names, frames: number[]): string[] {
  const inOwnCode = frames.filter((frame) => (names.flagsOf(frame) & own) !== 0);
  const shown = inOwnCode.length > 0 ? inOwnCode.slice(0, linesShown) : [frames[0] ?? -1];
  return shown.map((frame) => names.frameText(frame));
}

function row(name: string, amount: Amount, meaning: string): HTMLElement {
  return h("tr", {}, h("th", {scope: "row"}, name),
    h("td", {"data-value": amount.bytes}, bytesText(amount.bytes)),
    h("td", {"data-value": amount.blocks}, counted(amount.blocks, "block")),
    h("td.meaning", {}, meaning));
}

function stacksOf(names: Names, kind: Kind): HTMLElement[] {
  const verdict = isLost(kind) ? kind.name.toUpperCase() : kind.name;
  return kind.stacks.map((stack) => {
    const [line, ...callers] = ownLines(names, stack.frames);
    return h("article", {class: `finding ${isLost(kind) ? "grows" : ""}`},
      h("h3", {}, h("span.verdict", {}, verdict), " ", line),
      h("p", {}, h("strong", {}, bytesText(stack.bytes)),
        ` in ${counted(stack.blocks, "block")}`,
        callers.length > 0 && `; called by ${callers.join(", by ")}`),
      h("details", {}, h("summary", {}, "Call stack"), stackList(names, stack.frames)));
  });
}

// Returns the part of the tab, or nothing without a search.
export function lostPart(names: Names, lost: LostBlocks | null): HTMLElement | null {
  if (lost === null) return null;
  const part = h("div.lost", {id: "lost-blocks"}, h("h2.sub", {}, lostTitle(lost)));
  if (lost.why_not !== "") part.append(h("p.note", {}, lost.why_not));
  if (lost.text === "") return part;
  part.append(h("table.lost", {}, h("tbody", {},
    ...lost.kinds.map((kind) => row(kind.name, kind, kind.meaning)),
    lost.reachable && row("still reachable", lost.reachable, "pointers lead to their beginnings"),
    lost.later && lost.later.blocks > 0 &&
      row("not searched", lost.later, "acquired after the search"))),
    h("p.note", {}, lost.text));
  for (const kind of lost.kinds) {
    part.append(...stacksOf(names, kind));
    if (kind.more.stacks > 0) {
      const more = counted(kind.more.stacks, "call stack");
      part.append(h("p.note", {}, `${kind.name}: ${more} more, ${amountText(kind.more)}: ` +
        "memtrace-report leaks --lost"));
    }
  }
  return part;
}
