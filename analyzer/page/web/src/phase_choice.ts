// SPDX-License-Identifier: Apache-2.0
//
// The list of phases. A range has whole slices. Of a program with few phases, slices begin and end
// with them; otherwise the range of a phase may be longer than the phase, but has all of it.

import {phaseCommand} from "./commands";
import {h, replace, type Child} from "./dom";
import {countText, cutText, exactSeconds, timeText} from "./format";
import {phasesOf, type Phase} from "./phases";
import type {Measure, Range} from "./profile";
import type {State, View} from "./state";

const nameMost = 60;

function nameOf({name}: Phase): string {
  if (name.trim() === "") return "(no name)";
  return cutText(name, nameMost);
}

export class PhaseChoice {
  readonly element: HTMLElement | false;
  readonly note = h("p.note.warn", {id: "phase-note", role: "status"});
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
  draw({range, measure}: View): void {
    const phase = this.phases.at(this.chosen);
    const around = phase && this.chosen >= 0 && this.rangeOf(phase);
    const isChosen = around && around.from === range.from && around.to === range.to;
    if (!isChosen) this.chosen = -1;
    this.list.value = String(this.chosen);
    replace(this.note, ...(isChosen ? this.noteOf(phase, around, measure) : []));
  }

  // Says how far the range goes beyond the phase, and how to have the figures of the phase alone.
  private noteOf(phase: Phase, {from, to}: Range, measure: Measure): Child[] {
    const {profile} = this.state;
    const ends = [profile.borders[from], profile.borders[to]];
    if (ends[0] === phase.begin && ends[1] === phase.end) return [];
    const times = [phase.begin, phase.end, ...ends];
    const texts = times.map(timeText);
    // Times that look the same, and are not, are said exactly.
    const isClose = new Set(texts).size < new Set(times).size;
    const [begin, last, start, end] = isClose ? times.map(exactSeconds) : texts;
    const until = phase.isOpen ? "the end of the recording, because it was not ended" : last;
    return [
      `${nameOf(phase)} ran from ${begin} to ${until}. ` +
      `The figures here are of ${start} to ${end}, ` +
      `the whole slices around it${widerText(phase.end - phase.begin, ends[1] - ends[0])}. ` +
      "Those of the phase alone: ",
      h("code.command", {}, phaseCommand(profile, measure, phase)),
    ];
  }
}

// Returns how much longer the range is than the phase.
function widerText(phase: number, range: number): string {
  if (range <= phase) return "";
  if (phase === 0) return `: ${timeText(range)} longer`;
  const times = range / phase;
  return times < 1.1 ? `: ${timeText(range - phase)} longer`
    : `: ${times < 10 ? times.toFixed(1) : countText(times)} times as long`;
}
