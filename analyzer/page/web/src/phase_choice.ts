// SPDX-License-Identifier: Apache-2.0
//
// The list of phases. A range has whole slices, so the range of a phase may be longer than the
// phase, but has all of it.

import {h} from "./dom";
import {countText, timeText} from "./format";
import {phasesOf, type Phase} from "./phases";
import type {Range} from "./profile";
import type {State} from "./state";

const nameMost = 60;

function nameOf({name}: Phase): string {
  if (name.trim() === "") return "(no name)";
  return name.length > nameMost ? `${name.slice(0, nameMost)}…` : name;
}

export class PhaseChoice {
  readonly element: HTMLElement | false;
  readonly note = h("p.note", {id: "phase-note", role: "status"});
  private readonly phases: Phase[];
  private readonly list = h("select", {
    id: "phase", "aria-label": "Phase", onchange: () => this.choose(Number(this.list.value)),
  });
  private chosen = -1;

  constructor(private readonly state: State) {
    this.phases = phasesOf(state.profile.data).filter((phase) => !phase.isMark);
    this.element = this.phases.length > 0 && this.list;
    const {left_out: left} = state.profile.data;
    const more = left.phases + left.phases_without_end;
    const title = more === 0 ? "Phase…" : `Phase… (${countText(this.phases.length)} of ` +
                                          `${countText(this.phases.length + more)})`;
    this.list.append(h("option", {value: -1}, title), ...this.phases.map((phase, i) =>
      h("option", {value: i}, `${nameOf(phase)} (after ${timeText(phase.begin)})`)));
  }

  private rangeOf({begin, end}: Phase): Range {
    return this.state.profile.rangeAround(begin, end);
  }

  private choose(index: number): void {
    this.chosen = index;
    if (index >= 0) this.state.zoom(this.rangeOf(this.phases[index]));
    this.state.refresh();
  }

  // The phase is chosen until the range is another.
  draw({from, to}: Range): void {
    const phase = this.phases.at(this.chosen);
    const around = phase && this.chosen >= 0 && this.rangeOf(phase);
    const isChosen = around && around.from === from && around.to === to;
    if (!isChosen) this.chosen = -1;
    this.list.value = String(this.chosen);
    this.note.textContent = isChosen ? this.noteOf(phase, around) : "";
  }

  private noteOf(phase: Phase, {from, to}: Range): string {
    const {borders} = this.state.profile;
    if (borders[from] === phase.begin && borders[to] === phase.end) return "";
    const end = phase.isOpen ? "the end of the recording, because it was not ended"
      : timeText(phase.end);
    return `${nameOf(phase)} ran from ${timeText(phase.begin)} to ${end}; ` +
           "the range has the whole slices around it.";
  }
}
