// SPDX-License-Identifier: Apache-2.0
//
// The tab with what grows: each finding with the curves by which it was judged. A leak keeps blocks
// of all ages, so it has survivors from every slice; a cache has them from one part of the run.

import {barsOf, curveOf, type Axis} from "./chart";
import type {Finding} from "./data";
import {stackList} from "./details";
import {h, replace} from "./dom";
import {bytesText, countText, counted, percentText, timeText} from "./format";
import {lostPart} from "./lost_blocks";
import {figureText} from "./profile";
import type {State} from "./state";

const linesShown = 5;

// Returns the first of the finding's lines, and how many more there are.
export function findingName({profile}: State, {lines, frames}: Finding): string {
  if (lines.length === 0) return profile.frameText(frames[0] ?? -1);
  const more = lines.length > 1 ? `, and ${counted(lines.length - 1, "line")} more` : "";
  return profile.frameText(lines[0][0]) + more;
}

// Returns bytes of the finding's space.
export function bytesOf({profile}: State, finding: Finding, bytes: number): string {
  return figureText(profile.space(finding.space), bytes, false);
}

export function rateText(state: State, finding: Finding): string {
  const hour = `${bytesOf(state, finding, finding.per_hour)} an hour`;
  return finding.per_step === null ? hour
    : `${bytesOf(state, finding, finding.per_step)} a step, ${hour}`;
}

export class LeaksTab {
  readonly element = h("section.tab.leaks");
  private readonly cards = new Map<Finding, HTMLElement>();
  private readonly held: Axis;    // the page's slices
  private readonly judged: Axis;  // the slices by which growth is judged

  constructor(private readonly state: State) {
    const {borders, last} = state.profile;
    const ends = state.profile.data.leaks.ends_ns;
    const end = Math.max(borders[last], ...ends.slice(-1));
    this.held = {borders, end};
    this.judged = {borders: [0, ...ends], end};
    const {leaks, lost_blocks: lost} = state.profile.data;
    const growing = leaks.findings.filter((finding) => finding.is_growth);
    const others = leaks.findings.filter((finding) => !finding.is_growth);
    replace(this.element,
      lostPart(state.profile, lost),
      lost !== null && h("h2.sub", {}, "Growth"),
      leaks.not_judged !== "" && h("p.empty", {}, `Growth was not judged: ${leaks.not_judged}.`),
      leaks.not_judged === "" && growing.length === 0 &&
        h("p.empty", {}, "No call site grows steadily."),
      ...growing.map((finding) => this.card(finding)),
      ...leaks.ends.filter((end) => end.not_known === "").map((end) => h("p.note", {},
        `${end.of === "host" ? "resident" : end.of}: ` +
        `grows by ${bytesText(end.per_hour)} an hour; ` +
        `${bytesText(end.capacity - end.used)} of ${bytesText(end.capacity)} are left, for about ` +
        timeText(end.after_ns))),
      others.length > 0 && h("h2.sub", {}, "Large, and no leak"),
      ...others.map((finding) => this.card(finding)),
      leaks.all_findings > leaks.findings.length && h("p.note", {},
        `${counted(leaks.all_findings - leaks.findings.length, "finding")} more: ` +
        "memtrace-report growth"));
  }

  // Goes to a finding that another part of the page asked for.
  draw(): void {
    const {finding} = this.state.view;
    if (finding === null) return;
    this.state.view.finding = null;
    const card = this.cards.get(finding);
    card?.scrollIntoView({block: "nearest"});
    card?.focus({preventScroll: true});
  }

  // Lists the lines of the user's own code that have a part in the finding, as `growth` does.
  private lines({lines}: Finding): HTMLElement | false {
    if (lines.length < 2) return false;
    return h("div.through", {}, h("p.note", {}, "through these lines of your code"),
      h("ol.shares", {}, ...lines.slice(0, linesShown).map(([frame, share]) => h("li", {},
        h("span.number", {}, percentText(share, 1)), " ",
        h("span.name", {}, this.state.profile.frameText(frame))))),
      lines.length > linesShown &&
        h("p.note", {}, `${counted(lines.length - linesShown, "line")} more`));
  }

  private card(finding: Finding): HTMLElement {
    const {profile} = this.state;
    const stay = finding.is_growth && finding.acquired_blocks > 0
        ? `${countText(finding.grown_blocks)} of ` +
          `${counted(finding.acquired_blocks, "block")} stay` +
          (finding.grown_steps > 0 ? ` in ${counted(finding.grown_steps, "step")}` : "") +
          `, since ${finding.since_ns === 0 ? "the start" : timeText(finding.since_ns)}` : "";
    const held = finding.held && Float64Array.of(0, ...finding.held);
    const card = h("article.finding", {
      class: `finding ${finding.is_growth ? "grows" : ""}`, tabindex: -1,
    },
      h("h3", {}, h("span.verdict", {}, finding.verdict === "leak" ? "LEAK" : finding.verdict),
        " ", findingName(this.state, finding)),
      h("p", {}, h("strong", {}, bytesOf(this.state, finding, finding.held_bytes)),
        ` held of ${finding.space}`, finding.is_growth && `, ${rateText(this.state, finding)}`,
        stay !== "" && `; ${stay}`),
      h("div.curves", {},
        held && h("figure", {}, curveOf(held, "Memory held over the run", this.held),
                  h("figcaption", {}, "held over the run")),
        finding.born && h("figure", {}, barsOf(finding.born, "Survivors by age", this.judged,
                                                  finding.is_growth),
                          h("figcaption", {}, "survivors, by when they were made"))),
      h("p.note", {}, finding.why, finding.reason !== "" && `; ${finding.reason}`,
        finding.is_growth && `; confidence ${finding.confidence.toFixed(2)}`),
      this.lines(finding),
      h("details", {}, h("summary", {}, finding.sites > 1
          ? `What ${counted(finding.sites, "call stack")} have in common` : "Call stack"),
        stackList(profile, finding.frames)));
    this.cards.set(finding, card);
    return card;
  }
}
