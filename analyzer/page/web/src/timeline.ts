// SPDX-License-Identifier: Apache-2.0
//
// The course of the run: what each space held (course.ts), the resident set, steps, phases, marks
// and refusals.
// Dragging chooses a range, which snaps to the borders of slices.

import uPlot from "uplot";
import {axesOf, rightPadding} from "./axes";
import {bandColour, bandOfSpace} from "./colours";
import {courseNote, courseOf} from "./course";
import {h, replace, styleOf} from "./dom";
import {bytesText, timeText} from "./format";
import {hatch, lossNote} from "./losses";
import {drawPhases, phaseNote, phasesOf, phaseRows, type Phase} from "./phases";
import type {State} from "./state";
import {dragByTouch} from "./touch_drag";

const height = 138;
const phaseHeight = 13;

type Steps = (number | null)[];  // A value holds until the next one.

interface Curve {
  name: string;
  colour: () => string;
  highest: Steps;
  lowest: Steps;
}

export class Timeline {
  readonly element: HTMLElement;
  private readonly frame = h("div.plot", {
    id: "timeline", tabindex: 0, role: "application",
    "aria-label": "Timeline. Left and right move the range, with Shift its end; Escape goes back.",
    onkeydown: (event: KeyboardEvent) => this.key(event),
  });
  private readonly legend = h("div.legend", {role: "group", "aria-label": "Curves"});
  private readonly reading = h("span.reading", {"aria-hidden": "true"});
  private readonly seconds: number[];
  private readonly curves: Curve[];
  private readonly phases: Phase[];
  private readonly hidden = new Set<string>();
  private plot: uPlot | null = null;
  private drawnWidth = 0;
  private look = "";

  constructor(private readonly state: State) {
    const {profile} = state;
    this.phases = phasesOf(profile.data);
    const times = new Set<number>([0, ...profile.borders, this.end]);
    for (const space of profile.spaces) {
      for (const time of courseOf(profile, space)?.times ?? []) times.add(time);
    }
    for (const [time] of profile.data.samples) times.add(time);
    const sorted = [...times].sort((a, b) => a - b);
    this.seconds = sorted.map((ns) => ns / 1e9);
    this.curves = this.makeCurves(sorted);
    this.element = h("section.timeline", {"aria-label": "Timeline"},
      ...(this.curves.length === 0 ? []
                                   : [h("div.above", {}, this.legend, this.reading), this.frame]),
      courseNote(profile.data), phaseNote(profile.data), lossNote(profile.data));
    new ResizeObserver(() => {
      if (Math.abs(this.frame.clientWidth - this.drawnWidth) > 1) this.make();
    }).observe(this.frame);
  }

  // A sample of the resident set holds until the next one.
  private makeCurves(times: number[]): Curve[] {
    const {profile} = this.state;
    const index = new Map(times.map((time, i) => [time, i]));
    // The last value holds to the end of the last slice.
    const steps = (at: number[], values: number[]): Steps => {
      const found: Steps = new Array<number | null>(times.length).fill(null);
      at.forEach((time, i) => {
        found[index.get(time)!] = values[Math.min(i, values.length - 1)];
      });
      return found;
    };
    const curves: Curve[] = [];
    const samples = profile.data.samples;
    if (samples.length > 1) {
      const values = steps([...samples.map(([time]) => time), this.end],
                           samples.map(([, bytes]) => bytes));
      curves.push({name: "resident", colour: () => styleOf("--resident"), highest: values,
                   lowest: values});
    }
    for (const space of profile.spaces) {
      const course = courseOf(profile, space);
      if (course === null) continue;
      const band = bandOfSpace(space.name);
      curves.push({name: space.name, colour: () => bandColour(band),
                   highest: steps(course.times, course.highest),
                   lowest: steps(course.times, course.lowest)});
    }
    return curves;
  }

  // The plot is made anew only if its colours changed.
  draw(): void {
    const look = `${this.state.view.space} ${document.documentElement.dataset.theme}`;
    if (this.curves.length === 0) return;
    if (this.plot === null || look !== this.look) this.make();
    else this.plot.redraw(false);
    this.look = look;
  }

  private make(): void {
    this.drawnWidth = this.frame.clientWidth;
    this.plot?.destroy();
    const rows = phaseRows(this.phases);
    const paths = uPlot.paths.stepped!({align: 1});
    // Of each curve two lines and the band between them: first the highest, then the lowest.
    const lines = this.curves.flatMap((curve): uPlot.Series[] => {
      const isChosen = curve.name === this.state.view.space;
      const line = {stroke: curve.colour(), width: 1.5, spanGaps: true, paths,
                    show: !this.hidden.has(curve.name), points: {show: false}};
      return [{...line, label: curve.name},
              {...line, fill: isChosen ? `${curve.colour()}22` : undefined}];
    });
    this.plot = new uPlot({
      width: Math.max(200, this.drawnWidth), height: height + rows * phaseHeight,
      legend: {show: false}, axes: axesOf(),
      scales: {x: {time: false, range: () => this.xRange()},
               y: {range: (_, __, most) => [0, Math.max(1, most * 1.06)]}},
      padding: [rows * phaseHeight + 4, rightPadding, 0, 0],
      cursor: {drag: {x: true, y: false, setScale: false}, points: {size: 6}},
      series: [{}, ...lines],
      bands: this.curves.map((curve, i) => ({series: [2 * i + 1, 2 * i + 2] as [number, number],
                                             fill: `${curve.colour()}55`})),
      hooks: {
        setSelect: [(plot) => this.choose(plot)],
        drawClear: [(plot) => this.shade(plot)],
        draw: [(plot) => this.drawEvents(plot)],
        setCursor: [(plot) => this.read(plot)],
      },
    }, [this.seconds, ...this.curves.flatMap(({highest, lowest}) => [highest, lowest])],
      this.frame);
    dragByTouch(this.plot);
    this.drawLegend();
  }

  // When the run ended, in nanoseconds.
  private get end(): number {
    const {borders, last} = this.state.profile;
    return Math.max(borders[last], this.state.profile.data.program.duration_ns);
  }

  private xRange(): [number, number] {
    return [0, this.end / 1e9];
  }

  private drawLegend(): void {
    replace(this.legend, ...this.curves.map((curve) => h("button", {
      type: "button", "aria-pressed": String(!this.hidden.has(curve.name)), onclick: () => {
        if (!this.hidden.delete(curve.name)) this.hidden.add(curve.name);
        this.make();
      },
    }, h("span.swatch", {style: `background:${curve.colour()}`}), curve.name)));
  }

  private read(plot: uPlot): void {
    const {idx, left} = plot.cursor;
    if (idx === null || idx === undefined || left === undefined || left < 0) {
      this.reading.textContent = "";
      return;
    }
    const texts = this.curves.filter((curve) => !this.hidden.has(curve.name)).map((curve) => {
      let at = idx;
      while (at > 0 && curve.highest[at] === null) at--;
      const [lowest, highest] = [curve.lowest[at], curve.highest[at]];
      if (lowest === null || highest === null) return "";
      const least = lowest === highest ? "" : `${bytesText(lowest)} – `;
      return `${curve.name} ${least}${bytesText(highest)}`;
    });
    this.reading.textContent = [timeText(this.seconds[idx] * 1e9), ...texts].join("  ");
  }

  private choose(plot: uPlot): void {
    const {left, width} = plot.select;
    if (width < 3) return;
    const {profile} = this.state;
    const at = (x: number) => plot.posToVal(x, "x") * 1e9;
    const from = profile.borderNear(at(left));
    let to = profile.borderNear(at(left + width));
    if (to === from) {
      const slice = profile.sliceAt(at(left + width / 2));
      this.state.zoom(slice);
    } else {
      if (to < from) to = from + 1;
      this.state.zoom({from, to});
    }
    plot.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
  }

  // Everything outside the range is shaded.
  private shade(plot: uPlot): void {
    const {profile, view} = this.state;
    const {ctx, bbox} = plot;
    if (profile.isWhole(view.range)) return;
    const from = plot.valToPos(profile.borders[view.range.from] / 1e9, "x", true);
    const to = plot.valToPos(profile.borders[view.range.to] / 1e9, "x", true);
    ctx.save();
    ctx.fillStyle = styleOf("--range");
    ctx.fillRect(from, bbox.top, Math.max(1, to - from), bbox.height);
    ctx.restore();
  }

  private drawEvents(plot: uPlot): void {
    const {profile, view} = this.state;
    const {data} = profile;
    const {ctx, bbox} = plot;
    const scale = window.devicePixelRatio || 1;
    const x = (ns: number) => Math.round(plot.valToPos(ns / 1e9, "x", true));
    ctx.save();
    if (data.slices.all_steps > 0) {
      ctx.fillStyle = styleOf("--step");
      for (const border of profile.stepBorders()) {
        ctx.fillRect(x(profile.borders[border]), bbox.top + bbox.height - 5 * scale, scale,
                     5 * scale);
      }
    }
    hatch(plot, data.lost);
    drawPhases(plot, this.phases, phaseHeight);
    for (const [time, , ] of data.refusals) {
      ctx.fillStyle = styleOf("--bad");
      ctx.fillRect(x(time), bbox.top, 2 * scale, bbox.height);
    }
    // The moment that "at peak" looks at.
    const space = profile.space(view.space);
    if (view.measure === "peak") {
      ctx.strokeStyle = styleOf("--text");
      ctx.setLineDash([3 * scale, 3 * scale]);
      ctx.lineWidth = scale;
      ctx.beginPath();
      const at = x(profile.peakMoment(space, view.range)) + 0.5;
      ctx.moveTo(at, bbox.top);
      ctx.lineTo(at, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }

  private key(event: KeyboardEvent): void {
    const {range} = this.state.view;
    const by = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (by === 0) return;
    const {profile} = this.state;
    event.preventDefault();
    // From the whole run the first key chooses its last or first slice.
    if (profile.isWhole(range)) {
      this.state.zoom(by < 0 ? {from: profile.last - 1, to: profile.last} : {from: 0, to: 1});
      return;
    }
    const to = Math.min(profile.last, Math.max(range.from + 1, range.to + by));
    const from = event.shiftKey ? range.from : range.from + (to - range.to);
    this.state.set({range: {from: Math.max(0, from), to: Math.max(to, Math.max(0, from) + 1)}});
  }
}
