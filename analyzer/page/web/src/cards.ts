// SPDX-License-Identifier: Apache-2.0
//
// The three answers on the first screen: which of the user's lines hold the memory, what grows, and
// what the resident set consists of.

import type {Finding} from "./data";
import {h, replace} from "./dom";
import {bytesText, countText, percentText, timeText} from "./format";
import {hostParts, stackedBar} from "./ledgers_tab";
import {bytesOf, findingName, rateText} from "./leaks_tab";
import {lostTitle} from "./lost_blocks";
import {nameParts, namesApart} from "./name_parts";
import {
  everyThread, figureText, measureNames, sumOf, type Measure, type Values,
} from "./profile";
import {rowsByLine, sumOfSites} from "./rows";
import type {State} from "./state";

// By measure: the range of the whole run in SpaceData.ranges.
const rangeNames: Partial<Record<Measure, string>> = {
  peak: "at_peak_bytes", held: "held_bytes", grown: "held_bytes", allocated: "allocated_bytes",
};
const linesShown = 5;
const findingsShown = 3;
const partsShown = 4;

export class Cards {
  readonly element: HTMLElement;
  private readonly lines = h("section.card", {"aria-labelledby": "card-lines"});

  constructor(private readonly state: State) {
    this.element = h("div.cards", {}, this.lines, this.growth(), this.resident());
  }

  // Where the figures of the current choice were true, and whose they are.
  private when(): string {
    const thread = this.state.profile.threads[this.state.view.thread];
    return this.moment() + (thread ? `, of thread ${thread.name}` : "");
  }

  private moment(): string {
    const {profile, view} = this.state;
    const space = profile.space(view.space);
    const {from, to} = view.range;
    const range = `${timeText(profile.borders[from])} to ${timeText(profile.borders[to])}`;
    switch (view.measure) {
      case "peak":
        if (profile.data.program.processes > 1 && profile.hasPeak(space, view.range)) {
          return `at most: the sum of what ${space.name} held at the peak of each process`;
        }
        return profile.hasPeak(space, view.range)
        ? `when ${space.name} was at its peak, after ${timeText(space.data.peak_ns)}`
        : `after ${timeText(profile.peakMoment(space, view.range))}, where ${space.name} held ` +
          "most at a border of this range";
      case "held": return profile.isWhole(view.range) ? "when the work ended"
                                                      : `after ${timeText(profile.borders[to])}`;
      case "grown": return profile.isWhole(view.range) ? "in the whole run" : `from ${range}`;
      default: return profile.isWhole(view.range) ? "in the whole run" : `from ${range}`;
    }
  }

  // Where the truth lies that a figure of a sample stands for.
  private truth(): string {
    const {profile, view} = this.state;
    const {ranges} = profile.space(view.space).data;
    if (ranges === null || view.measure === "calls") return "";
    const range = profile.isWhole(view.range) && view.thread === everyThread
      ? ranges[rangeNames[view.measure] ?? ""] : undefined;
    const {sample} = profile.data.program;
    if (range) return `; ${range.map(bytesText).join(" – ")} in 95 of 100 cases`;
    return sample ? `; ${bytesText(sample.bytes)} of it may be ${sample.off} off` : "";
  }

  private open(row: string): void {
    this.state.set({tab: "table", search: "", row});
  }

  draw(values: Values): void {
    const {profile, view} = this.state;
    const space = profile.space(view.space);
    const text = (value: number) => figureText(space, value, values.isCount);
    const rows = rowsByLine(profile, space)
      .map((row) => ({row, value: sumOfSites(values.bytes, row.sites)}))
      .filter(({value}) => value !== 0).sort((a, b) => b.value - a.value);
    // The user's own lines come first. What they import and call for nobody's line follows.
    const isOwn = (kind: string) => kind === "line" || kind === "backward";
    const own = rows.filter(({row, value}) => isOwn(row.kind) && value > 0);
    const others = rows.filter(({row, value}) => !isOwn(row.kind) && value > 0);
    const shown = [...own.slice(0, others.length > 1 ? linesShown - 2 : linesShown - 1),
                   ...others.slice(0, own.length === 0 ? linesShown : 2)];
    const whole = sumOf(values.bytes);
    const rest = whole - shown.reduce((sum, {value}) => sum + value, 0);
    const most = Math.max(1, ...shown.map(({value}) => value));
    const apart = namesApart(shown.map(({row}) => row.name));
    const item = (name: string, kind: string, value: number, key = "") => h("li", {class: kind},
      h("span.bar", {style: `width:${((100 * value) / most).toFixed(1)}%`}),
      h("button.link.name", {type: "button", title: name, onclick: () => this.open(key)},
        ...nameParts(apart.get(name) ?? name)),
      h("span.number", {"data-value": value}, text(value)));
    replace(this.lines,
      h("h2", {id: "card-lines"}, `${measureNames[view.measure]}: `,
        h("strong", {"data-value": whole}, text(whole)),
        h("span.note", {id: "card-when"}, this.when() + this.truth())),
      whole === 0 && h("p.empty", {}, "Nothing here."),
      h("ol.lines", {}, ...shown.map(({row, value}) => item(row.name, row.kind, value, row.key)),
        rows.length > shown.length &&
          item(`${countText(rows.length - shown.length)} more`, "rest", rest)));
  }

  private growth(): HTMLElement {
    const {data} = this.state.profile;
    const growing = data.leaks.findings.filter((finding) => finding.is_growth);
    const leaks = growing.filter((finding) => finding.verdict === "leak").length;
    const unsure = growing.length - leaks;
    const title = data.leaks.not_judged !== "" ? "Growth: not judged"
      : leaks > 0 ? `${leaks} leak${leaks === 1 ? "" : "s"}` +
                    (unsure > 0 ? `, ${unsure} more growing, not sure` : "")
      : growing.length > 0 ? "Growing, not sure" : "Nothing grows steadily";
    const colour = growing.length > 0 ? "bad" : data.leaks.not_judged === "" ? "good" : "";
    const open = (finding: Finding | null) => this.state.set({tab: "leaks", finding});
    return h("section.card", {"aria-labelledby": "card-growth"},
      h("h2", {id: "card-growth", class: colour}, title),
      data.lost_blocks && h("button.link", {
        id: "card-lost", type: "button", onclick: () => open(null),
      },
        lostTitle(data.lost_blocks)),
      data.leaks.not_judged !== "" && h("p.note", {}, data.leaks.not_judged),
      h("ol.findings", {}, ...growing.slice(0, findingsShown).map((finding) => h("li", {},
        h("button.link", {type: "button", onclick: () => open(finding)},
          h("span.name", {}, findingName(this.state, finding))),
        h("span.note", {}, (finding.verdict === "leak" ? "" : "not sure; ") +
          `${bytesOf(this.state, finding, finding.grown_bytes)}, ` +
          rateText(this.state, finding))))),
      growing.length === 0 && data.leaks.not_judged === "" && h("p.note", {},
        `judged by ${countText(data.leaks.points)} parts of the run` +
        (data.leaks.by_steps ? `, in steps of ${data.slices.step}` : "")),
      growing.length > findingsShown && h("button.link", {
        type: "button", onclick: () => open(growing[findingsShown]),
      }, `${growing.length - findingsShown} more`));
  }

  private resident(): HTMLElement {
    const {host_ledger: host} = this.state.profile.data.ledgers;
    const body = h("section.card", {"aria-labelledby": "card-resident"});
    if (!host.peak) {
      replace(body, h("h2", {id: "card-resident"}, "Resident set"),
              h("p.note", {}, host.absent ?? "not recorded"));
      return body;
    }
    const {resident, time_ns: time} = host.peak;
    const highest = host.missed_peak ? Math.max(host.highest ?? 0, host.highest_sample) : resident;
    const note = host.missed_peak
      ? `at most; ${bytesText(resident)} when memtrace looked, after ${timeText(time)}`
      : `at most, after ${timeText(time)}`;
    const parts = hostParts(host.peak);
    replace(body,
      h("h2", {id: "card-resident"}, "Resident: ", h("strong", {}, bytesText(highest)),
        h("span.note", {}, note)),
      stackedBar(parts, resident, "What the resident set consists of"),
      h("ul.parts", {}, ...parts.slice(0, partsShown).map((part) => h("li", {},
        h("span.swatch", {style: `background:${part.colour}`}), h("span.name", {}, part.name),
        h("span.number", {}, `${bytesText(part.bytes)} · ${percentText(part.bytes, resident)}`)))));
    return body;
  }
}
