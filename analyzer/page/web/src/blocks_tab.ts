// SPDX-License-Identifier: Apache-2.0
//
// The tab with memory over time: the largest blocks one by one, or the memory of lines and call
// sites as bands.

import {BandsView} from "./bands_view";
import {h, replace} from "./dom";
import {timeText} from "./format";
import {everyThread, type Space} from "./profile";
import {blocksOf} from "./single_blocks";
import {SinglesView} from "./singles_view";
import type {State} from "./state";

const ways = {singles: "Single blocks", lines: "Your lines", sites: "Call sites"};
type Way = keyof typeof ways;

export class BlocksTab {
  readonly element: HTMLElement;
  private readonly buttons: Map<Way, HTMLElement>;
  private readonly whose = h("span.note", {});
  private readonly after = h("p.note", {id: "after-work"});
  private readonly bands: BandsView;
  private readonly singles: SinglesView;
  private chosen: Way | null = null;

  constructor(private readonly state: State) {
    this.bands = new BandsView(state);
    this.singles = new SinglesView(state);
    this.buttons = new Map(Object.entries(ways).map(([way, text]) => [way as Way, h("button", {
      id: `blocks-${way}`, type: "button", "aria-pressed": "false", onclick: () => {
        this.chosen = way as Way;
        this.state.refresh();
      },
    }, text)]));
    this.element = h("section.tab", {}, h("div.controls", {},
      h("div.segments", {role: "group", "aria-label": "Bands"}, ...this.buttons.values()),
      this.whose), this.singles.element, this.bands.element, this.after);
  }

  // The timeline goes on until the process ended, and slices end with the work.
  private afterText(to: number): string {
    const {borders, last, data} = this.state.profile;
    const [end, all] = [timeText(borders[last]), timeText(data.program.duration_ns)];
    if (to < last || data.program.duration_ns <= borders[last] || end === all) return "";
    return `Bands end when the work ended, after ${end}; the process went on until ${all}.`;
  }

  // Single blocks come first where they are most of the memory.
  private wayOf({data: {blocks, peak_ns: peak, peak_bytes: all}}: Space): Way {
    if (blocks === null) return this.chosen === "sites" ? "sites" : "lines";
    if (this.chosen !== null) return this.chosen;
    const atPeak = blocksOf(blocks).filter(({begin, end}) => begin <= peak && peak < end)
      .reduce((sum, {bytes}) => sum + bytes, 0);
    return 2 * atPeak >= all ? "singles" : "lines";
  }

  draw(): void {
    const {profile, view} = this.state;
    const {no_course: why} = profile.data;
    if (why !== "") {
      replace(this.element, h("p.empty", {}, why));
      return;
    }
    this.after.textContent = this.afterText(view.range.to);
    const space = profile.space(view.space);
    const way = this.wayOf(space);
    for (const [name, button] of this.buttons) {
      button.setAttribute("aria-pressed", String(name === way));
    }
    this.buttons.get("singles")!.toggleAttribute("disabled", space.data.blocks === null);
    this.whose.textContent =
      (space.data.blocks === null ? "Single blocks of this space are not known here. " : "") +
      (view.thread === everyThread ? "" : "The course is that of all threads.");
    this.singles.element.hidden = way !== "singles";
    this.bands.element.hidden = way === "singles";
    if (way === "singles") this.singles.draw(space);
    else this.bands.draw(way === "sites");
  }
}
