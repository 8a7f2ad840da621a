// SPDX-License-Identifier: Apache-2.0
//
// Memory over time: the call sites that held most as bands, the rest as one band. They are known at
// the ends of slices only. A line above them has the most that the space held.

import uPlot from "uplot";
import {axesOf, rightPadding} from "./axes";
import {bandColour, bandCount} from "./colours";
import {courseOf} from "./course";
import {curveOfSites} from "./details";
import {h, replace, styleOf} from "./dom";
import {bytesText} from "./format";
import {isFound, rowsByLine, rowsBySite, type Row} from "./rows";
import type {State} from "./state";

interface Band {
  key: string;  // of its row in the table; empty: it has none
  name: string;
  isOwn: boolean;
  held: Float64Array;  // by border
}

export class BandsView {
  private readonly plotFrame = h("div.plot", {role: "img", "aria-label": "Memory over time"});
  private readonly legend = h("ol.bands");
  readonly element = h("div", {}, this.plotFrame, h("p.note", {},
    "Bands have what was held at the end of each slice; the line is the most that is known of " +
    "the slice."), this.legend);
  private plot: uPlot | null = null;

  constructor(private readonly state: State) {}

  draw(bySite: boolean): void {
    const {profile, view} = this.state;
    const {from, to} = view.range;
    const space = profile.space(view.space);
    const rows = (bySite ? rowsBySite : rowsByLine)(profile, space);
    const search = profile.search(view.search);
    const most = (row: Row) => Math.max(...row.sites.map((site) =>
      space.data.sites.peak[site] + space.data.sites.held[site]));
    // Only rows that may be among the largest are drawn.
    const candidates = rows.filter((row) => isFound(row, search, space.data.sites.node))
      .sort((a, b) => most(b) - most(a)).slice(0, 400);
    const highest = (held: Float64Array) => Math.max(...held.slice(from, to + 1));
    const bands: Band[] = candidates
      .map((row) => ({
        key: row.key, name: row.name, isOwn: row.kind === "line" || row.kind === "backward",
        held: curveOfSites(profile, space, row.sites),
      }))
      .sort((a, b) => highest(b.held) - highest(a.held)).slice(0, bandCount - 1)
      .filter((band) => highest(band.held) > 0);
    const rest = space.history.dense(profile.last);
    for (const band of bands) {
      for (let border = 0; border < rest.length; border++) rest[border] -= band.held[border];
    }
    bands.push({key: "", name: "everything else", isOwn: false, held: rest});
    this.paint(bands, from, to);
  }

  private paint(bands: Band[], from: number, to: number): void {
    const {profile, view} = this.state;
    const borders = Array.from(profile.borders.slice(from, to + 1));
    const [begin, end] = [borders[0], borders[to - from]];
    const course = courseOf(profile, profile.space(view.space))!;
    const inside = course.times.filter((time) => time > begin && time < end);
    const times = [...new Set([...borders, ...inside])].sort((a, b) => a - b);
    const index = new Map(times.map((time, i) => [time, i]));
    const nothing = (): (number | null)[] => new Array<number | null>(times.length).fill(null);
    // The lowest band is drawn last, over those that stand on it.
    const stacked: (number | null)[][] = [];
    const below = new Float64Array(borders.length);
    for (const band of bands) {
      const top = nothing();
      for (let i = 0; i < below.length; i++) {
        below[i] += band.held[from + i];
        top[index.get(borders[i])!] = below[i];
      }
      stacked.unshift(top);
    }
    const most = nothing();
    let last = 0;
    course.highest.forEach((bytes, i) => {
      const time = course.times[i];
      if (time < end) most[time <= begin ? 0 : index.get(time)!] = last = bytes;
    });
    most[times.length - 1] = last;
    // Libraries and imports have greys.
    const colours = bands.map((band, index) => band.isOwn ? bandColour(index)
                                                          : styleOf(`--grey-${1 + index % 4}`));
    const colour = (index: number) => colours[index];
    const series: uPlot.Series[] = bands.map((band, index) => ({
      label: band.name, fill: colour(index), stroke: styleOf("--panel"), width: 1, spanGaps: true,
      points: {show: false}, paths: uPlot.paths.stepped!({align: -1}),
    }));
    const line: uPlot.Series = {
      label: "most", stroke: styleOf("--text"), width: 1, spanGaps: true, points: {show: false},
      paths: uPlot.paths.stepped!({align: 1}),
    };
    this.plot?.destroy();
    this.plot = new uPlot({
      width: Math.max(200, this.plotFrame.clientWidth), height: 280, legend: {show: false},
      cursor: {drag: {x: false, y: false}, points: {show: false}}, scales: {x: {time: false}},
      axes: axesOf(), padding: [null, rightPadding, null, null],
      series: [{}, ...series.reverse(), line],
    }, [times.map((ns) => ns / 1e9), ...stacked, most], this.plotFrame);
    replace(this.legend, ...bands.map((band, index) => h("li", {},
      h("span.swatch", {style: `background:${colour(index)}`}),
      band.key === "" ? h("span.name", {}, band.name)
        : h("button.link.name", {
          type: "button",
          onclick: () => this.state.set({tab: "table", search: "", row: band.key}),
        }, band.name),
      h("span.number", {},
        `${bytesText(Math.max(...band.held.slice(from, to + 1)))} at most at a border`))));
  }
}
