// SPDX-License-Identifier: Apache-2.0
//
// What governs every tab: the range with its shortcuts, the measure, the space, and the search.

import {inTerminal} from "./commands";
import {h, replace} from "./dom";
import {exactSeconds, timeText} from "./format";
import {PhaseChoice} from "./phase_choice";
import {everyThread, figureText, measureNames, sumOf, type Measure, type Range} from "./profile";
import type {State} from "./state";

interface Shortcut {
  name: string;
  range: () => Range;
  space?: string;
}

export class Toolbar {
  readonly ranges: HTMLElement;
  readonly element: HTMLElement;
  private readonly trail = h("nav.trail", {"aria-label": "Chosen ranges"});
  private readonly measures = h("div.segments", {role: "group", "aria-label": "Measure"});
  private readonly space = h("select", {
    id: "space", onchange: () => this.state.set({space: this.space.value}),
  });
  private readonly thread = h("select", {
    id: "thread", "aria-label": "Thread",
    title: "Whose memory; known for the whole run, so a range is for all threads",
    onchange: () => this.state.chooseThread(Number(this.thread.value)),
  });
  private readonly command = h("p.terminal", {title: "The same figures in the terminal"});
  private readonly phases: PhaseChoice;
  readonly search = h("input", {
    id: "search", type: "search", placeholder: "Search", "aria-label": "Search functions and files",
    oninput: () => this.state.set({search: this.search.value}),
  });

  constructor(private readonly state: State) {
    this.phases = new PhaseChoice(state);
    this.ranges = h("div.ranges", {role: "group", "aria-label": "Range"}, this.trail,
      h("div.shortcuts", {}, ...this.shortcuts().map(({name, range, space}) => h("button", {
        type: "button", onclick: () => {
          if (space !== undefined) this.state.set({space, measure: "peak"});
          this.state.zoom(range());
        },
      }, name)), this.phases.element),
      this.phases.note, this.command);
    this.element = h("div.toolbar", {}, this.measures,
      h("label.field", {for: "space"}, "of "), this.space,
      state.profile.threads.length > 1 && this.thread, this.search);
  }

  private shortcuts(): Shortcut[] {
    const {profile} = this.state;
    const shortcuts: Shortcut[] = [];
    const samples = profile.data.samples;
    for (const space of profile.spaces) {
      shortcuts.push({name: `Peak of ${space.name}`, space: space.name,
                      range: () => profile.sliceAt(space.data.peak_ns)});
    }
    if (samples.length > 1) {
      const [time] = samples.reduce((most, sample) => (sample[1] > most[1] ? sample : most));
      shortcuts.push({name: "Peak of resident", range: () => profile.sliceAt(time)});
    }
    const {steps, all_steps: all} = profile.data.slices;
    const last = steps.findLastIndex((count) => count > 0);
    if (all > 0 && last >= 0) {
      const name = steps[last] === 1 ? "Last step" : `Last ${steps[last]} steps`;
      shortcuts.push({name, range: () => profile.wholeOf(last)});
    }
    return shortcuts;
  }

  draw(): void {
    if (this.search.value !== this.state.view.search) this.search.value = this.state.view.search;
    this.drawRanges();
    this.drawMeasures();
    this.drawThreads();
    const {profile, view} = this.state;
    replace(this.space, ...profile.spaces.map((space) => h("option", {
      value: space.name, selected: space.name === view.space,
    }, `${space.name} (${figureText(space, space.data.peak_bytes, false)} at most)`)));
  }

  private drawThreads(): void {
    const {profile, view} = this.state;
    const space = profile.space(view.space);
    const {isCount} = profile.values(space, view.measure, view.range);
    replace(this.thread,
      h("option", {value: everyThread, selected: view.thread === everyThread}, "all threads"),
      ...profile.threads.map(({id, name}) => {
        const whole = {from: 0, to: profile.last};
        const sum = sumOf(profile.values(space, view.measure, whole, id).bytes);
        return h("option", {value: id, selected: view.thread === id},
                 `${name} (${figureText(space, sum, isCount)})`);
      }));
  }

  private rangeText(range: Range): string {
    const {profile} = this.state;
    if (profile.isWhole(range)) return "All";
    const ends = [profile.borders[range.from], profile.borders[range.to]];
    const [from, to] = ends.map(timeText);
    // A slice may be so short that only exact times differ.
    return from === to ? ends.map(exactSeconds).join(" – ") : `${from} – ${to}`;
  }

  private drawRanges(): void {
    const {profile, view, earlier} = this.state;
    const crumbs = earlier.slice(-3).map((range, i) => h("button.crumb", {
      type: "button",
      onclick: () => this.state.backTo(Math.max(0, earlier.length - 3) + i),
    }, this.rangeText(range)));
    const all = earlier.length > 3 && h("button.crumb", {
      type: "button", onclick: () => this.state.all(),
    }, "All");
    replace(this.trail, all, ...crumbs,
      h("strong", {id: "range", "data-from": profile.borders[view.range.from],
                   "data-to": profile.borders[view.range.to]}, this.rangeText(view.range)));
    this.phases.draw(view);
    replace(this.command, ...inTerminal(profile, view).flatMap((part) => [
      "command" in part ? h("code.command", {}, part.command) : h("span.note", {}, part.text), " ",
    ]));
  }

  private drawMeasures(): void {
    const {profile, view} = this.state;
    replace(this.measures, ...(Object.keys(measureNames) as Measure[]).map((measure) => {
      const why = profile.whyNot(measure, view.range, profile.space(view.space));
      return h("button", {
        type: "button", id: `measure-${measure}`, title: why, disabled: why !== "",
        "aria-pressed": String(view.measure === measure),
        onclick: () => this.state.set({measure}),
      }, measureNames[measure]);
    }));
  }
}
