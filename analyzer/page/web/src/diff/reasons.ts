// SPDX-License-Identifier: Apache-2.0
//
// The first answer: what explains the differences. In each space the peak, what is held at the end
// and what a step allocates have a card, with the lines that changed most, in the order of the
// report in the terminal. Differences that are small, or that a sample explains, have a sentence.

import {h, replace} from "../dom";
import {counted} from "../format";
import {changeOf, differs, isChance, measures, weightOf, type Item, type Measure,
        type Pair} from "./diff";
import type {DiffSpace} from "./diff_data";
import type {DiffState} from "./diff_state";
import {changeText, classOf, fromTo} from "./diff_text";

const explained: Measure[] = ["peak", "held", "step"];
const linesShown = 6;
const cardsShown = 4;
const partOfCard = 1000;  // A change is small if it is a smaller part of the whole.

interface Reason {
  space: DiffSpace;
  measure: Measure;
  whole: Pair;
  lines: {item: Item; pair: Pair}[];
  isWorthACard: boolean;
}

function reasonsOf({diff}: DiffState): Reason[] {
  const reasons: Reason[] = [];
  for (const space of diff.data.spaces) {
    for (const measure of explained.filter((measure) => diff.measures.includes(measure))) {
      const whole = diff.whole(space, measure);
      const lines = diff.lines(space)
        .map((item) => ({item, pair: diff.pairOf(space, measure, item)}))
        .filter(({pair}) => differs(pair)).sort((a, b) => weightOf(b.pair) - weightOf(a.pair));
      if (lines.length === 0 && !differs(whole)) continue;
      const least = Math.max(whole.before, whole.after) / partOfCard;
      const isWorthACard = lines.some(
        ({pair}) => !isChance(pair) && Math.abs(changeOf(pair)) >= least);
      reasons.push({space, measure, whole, lines, isWorthACard});
    }
  }
  return reasons;
}

export class Reasons {
  readonly element = h("section.reasons", {"aria-label": "What explains the differences"});
  private readonly reasons: Reason[];
  private showsAll = false;

  constructor(private readonly state: DiffState) {
    this.reasons = reasonsOf(state);
  }

  // The space and measure that the page begins with.
  get first(): {space: string; measure: Measure} | undefined {
    const first = this.reasons.find(({isWorthACard}) => isWorthACard);
    return first && {space: first.space.name, measure: first.measure};
  }

  draw(): void {
    const cards = this.reasons.filter(({isWorthACard}) => isWorthACard);
    const small = this.reasons.filter(({isWorthACard}) => !isWorthACard);
    const shown = this.showsAll ? cards : cards.slice(0, cardsShown);
    const left = cards.length - shown.length;
    replace(this.element,
      !this.state.diff.data.differs && h("p.card", {}, this.state.diff.data.nothing === ""
        ? "Nothing differs: every call site has the same figures in both."
        : `Nothing to show: ${this.state.diff.data.nothing}.`),
      h("div.cards", {}, ...shown.map((reason) => this.card(reason))),
      left > 0 && h("button.link", {type: "button", id: "more-reasons", onclick: () => {
        this.showsAll = true;
        this.draw();
      }}, `${counted(left, "difference")} more`),
      small.length > 0 && h("details.note", {},
        h("summary", {}, `Hardly different: ${counted(small.length, "figure")}`),
        h("ul", {}, ...small.map((reason) => h("li", {}, smallText(reason))))));
  }

  private card({space, measure, whole, lines}: Reason): HTMLElement {
    const {view} = this.state;
    const clear = lines.filter(({pair}) => !isChance(pair));
    // The last row takes no more room than its sum.
    const count = clear.length === linesShown + 1 ? linesShown + 1 : linesShown;
    const shown = clear.slice(0, count);
    const rest = lines.filter((line) => !shown.includes(line));
    const most = Math.max(1, ...shown.map(({pair}) => Math.abs(changeOf(pair))));
    const sum = rest.reduce((sum, {pair}) => sum + changeOf(pair), 0);
    const isChosen = view.space === space.name && view.measure === measure;
    return h("section.card.reason", {"data-space": space.name, "data-measure": measure},
      h("h2", {}, h("button.link", {
        type: "button", "aria-pressed": String(isChosen),
        onclick: () => this.state.set({space: space.name, measure}),
      }, titleOf(space, measure)), " ",
        h("strong", {class: classOf(whole), "data-value": changeOf(whole)},
          changeText(space, measure, changeOf(whole))),
        h("span.note", {}, fromTo(space, measure, whole) +
          (measure === "step" ? " allocated" : "") +
          (isChance(whole) ? ", no more than chance of the sample" : ""))),
      h("ol.changes", {}, ...shown.map(({item, pair}) => h("li", {},
        h("span.bar", {
          class: `bar ${classOf(pair)}`,
          style: `width:${((100 * Math.abs(changeOf(pair))) / most).toFixed(1)}%`,
        }),
        h("span.number", {class: `number ${classOf(pair)}`, "data-value": changeOf(pair)},
          changeText(space, measure, changeOf(pair))),
        h("button.link.name", {
          type: "button", title: item.name,
          onclick: () => this.state.set({space: space.name, measure, tab: "table", search: "",
                                         row: item.key}),
        }, item.name),
        h("span.note", {}, item.status === "both" ? fromTo(space, measure, pair) : item.status))),
        rest.length > 0 && h("li.rest", {}, h("span.number", {"data-value": sum},
                                              changeText(space, measure, sum)),
          h("span.name", {}, counted(rest.length, "line") + (shown.length > 0 ? " more" : "")))));
  }
}

function titleOf(space: DiffSpace, measure: Measure): string {
  return `${measures[measure].title} of ${space.name}`;
}

function smallText({space, measure, whole, lines}: Reason): string {
  const change = changeOf(whole) === 0 ? "the same in both"
    : `${changeText(space, measure, changeOf(whole))}, ${fromTo(space, measure, whole)}`;
  const why = lines.some(({pair}) => isChance(pair)) ? "no line more than chance"
                                                     : "each line by less than 0.1 %";
  return `${titleOf(space, measure)}: ${change}, ${why}`;
}
