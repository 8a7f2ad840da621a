// SPDX-License-Identifier: Apache-2.0
//
// What governs every tab: the range with its shortcuts, the measure, the space, and the search.

import {commandOf} from "./details";
import {h, replace} from "./dom";
import {bytesText, countText, timeText} from "./format";
import {phasesOf} from "./phases";
import {everyThread, measureNames, sumOf, type Measure, type Range} from "./profile";
import type {State} from "./state";

interface Shortcut {
  name: string;
  range: () => Range;
  space?: string;
}

export class Toolbar {
  readonly ranges = h("div.ranges", {role: "group", "aria-label": "Range"});
  readonly element: HTMLElement;
  private readonly measures = h("div.segments", {role: "group", "aria-label": "Measure"});
  private readonly space = h("select", {
    id: "space", onchange: () => this.state.set({space: this.space.value}),
  });
  private readonly thread = h("select", {
    id: "thread", "aria-label": "Thread",
    title: "Whose memory; known for the whole run, so a range is for all threads",
    onchange: () => this.state.chooseThread(Number(this.thread.value)),
  });
  private readonly command = h("code.command");
  readonly search = h("input", {
    id: "search", type: "search", placeholder: "Search", "aria-label": "Search functions and files",
    oninput: () => this.state.set({search: this.search.value}),
  });

  constructor(private readonly state: State) {
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
      shortcuts.push({name, range: () => ({from: last, to: last + 1})});
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
    }, `${space.name} (${bytesText(space.data.peak_bytes)} at most)`)));
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
                 `${name} (${isCount ? countText(sum) : bytesText(sum)})`);
      }));
  }

  private rangeText(range: Range): string {
    const {profile} = this.state;
    if (profile.isWhole(range)) return "All";
    return `${timeText(profile.borders[range.from])} – ${timeText(profile.borders[range.to])}`;
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
    const phases = this.phaseChoice();
    replace(this.ranges, h("nav.trail", {"aria-label": "Chosen ranges"}, all, ...crumbs,
        h("strong", {id: "range", "data-from": profile.borders[view.range.from],
                     "data-to": profile.borders[view.range.to]}, this.rangeText(view.range))),
      h("div.shortcuts", {}, ...this.shortcuts().map(({name, range, space}) => h("button", {
        type: "button", onclick: () => {
          if (space !== undefined) this.state.set({space, measure: "peak"});
          this.state.zoom(range());
        },
      }, name)), phases),
      this.command);
    this.command.textContent = this.commandText();
    this.command.title = "The same figures in the terminal";
  }

  // What a thread held at its own peak is another figure than what it held at the space's.
  private commandText(): string {
    const {profile, view} = this.state;
    const [tid] = profile.data.threads[view.thread] ?? [0];
    if (view.thread === everyThread) return commandOf(profile, view.range, "sites");
    if (tid === 0) return "";
    return view.measure === "peak" ? commandOf(profile, view.range, "threads")
      : commandOf(profile, view.range, "sites", String(tid));
  }

  private phaseChoice(): HTMLElement | false {
    const {profile} = this.state;
    const phases = phasesOf(profile.data).filter((phase) => !phase.isMark).slice(0, 200);
    if (phases.length === 0) return false;
    const choice = h("select", {
      id: "phase", "aria-label": "Phase", onchange: () => {
        const phase = phases[Number(choice.value)];
        if (!phase) return;
        const from = profile.borderNear(phase.begin);
        this.state.zoom({from, to: Math.max(from + 1, profile.borderNear(phase.end))});
      },
    }, h("option", {value: ""}, "Phase…"), ...phases.map((phase, i) => h("option", {value: i},
      `${phase.name.slice(0, 60)} (${timeText(phase.begin)})`)));
    return choice;
  }

  private drawMeasures(): void {
    const {profile, view} = this.state;
    replace(this.measures, ...(Object.keys(measureNames) as Measure[]).map((measure) => {
      const why = profile.whyNot(measure, view.range);
      return h("button", {
        type: "button", id: `measure-${measure}`, title: why, disabled: why !== "",
        "aria-pressed": String(view.measure === measure),
        onclick: () => this.state.set({measure}),
      }, measureNames[measure]);
    }));
  }
}
