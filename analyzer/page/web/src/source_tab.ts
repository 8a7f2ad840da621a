// SPDX-License-Identifier: Apache-2.0
//
// The tab with source lines: memory beside each line of the user's own files.
//
//   here      what the line is the innermost own line of: the same as its row in the table. What
//             an import takes is not the line's own doing, and only in `through`.
//   backward  the same of the backward pass of its operations, in the files that have any
//   through   what goes through the line, whoever allocated it in the end
//
// A search leaves the memory that it finds, as in the table.

import {h, replace} from "./dom";
import {countText} from "./format";
import {backward, own} from "./data";
import {figureText, type Values} from "./profile";
import type {State} from "./state";

const around = 3;  // lines shown before and after a line with memory
const rowsFirst = 400;  // lines shown at first, if the file has more

interface FileFigures {
  here: Map<number, number>;  // by line
  backward: Map<number, number>;
  through: Map<number, number>;
  all: number;  // of everything that goes through the file, and of its backward pass
}

export class SourceTab {
  readonly element: HTMLElement;
  private readonly files = h("select", {id: "file", onchange: () => this.choose()});
  private readonly body = h("div.scroll.source", {tabindex: 0, role: "region",
                                                  "aria-label": "Source lines"});
  private readonly whole: HTMLButtonElement;
  private chosen = -1;
  private isWhole = false;
  private shown = rowsFirst;
  private values: Values | null = null;

  constructor(private readonly state: State) {
    const whole = this.whole = h("button", {
      id: "whole-file", type: "button", "aria-pressed": "false", onclick: () => {
        this.isWhole = !this.isWhole;
        this.shown = rowsFirst;
        whole.setAttribute("aria-pressed", String(this.isWhole));
        this.paint();
      },
    }, "All lines");
    this.element = h("section.tab", {},
      h("div.controls", {}, h("label", {for: "file"}, "File "), this.files, whole), this.body);
  }

  private choose(): void {
    this.chosen = Number(this.files.value);
    this.shown = rowsFirst;
    this.paint();
  }

  draw(values: Values): void {
    this.values = values;
    const figures = this.figures();
    const files = [...figures.keys()].sort((a, b) => figures.get(b)!.all - figures.get(a)!.all);
    if (!figures.has(this.chosen)) this.chosen = files[0] ?? -1;
    replace(this.files, files.length === 0 && h("option", {}, "none"),
      ...files.map((file) => h("option", {
        value: file, selected: file === this.chosen,
      }, `${this.state.profile.text(file)} · ${this.text(figures.get(file)!.all)}`)));
    // Where no file has memory, there is nothing to choose.
    this.files.disabled = this.whole.disabled = files.length === 0;
    this.paint(figures);
  }

  private text(value: number): string {
    const {profile, view} = this.state;
    return figureText(profile.space(view.space), value, this.values!.isCount);
  }

  // Returns the figures of each file of own code that has any.
  private figures(): Map<number, FileFigures> {
    const {profile, view} = this.state;
    const {frames} = profile.data;
    const sites = profile.space(view.space).data.sites;
    const values = this.values!.bytes;
    const files = new Map<number, FileFigures>();
    const fileOf = (file: number) => {
      let figures = files.get(file);
      if (!figures) {
        figures = {here: new Map(), backward: new Map(), through: new Map(), all: 0};
        files.set(file, figures);
      }
      return figures;
    };
    const add = (lines: Map<number, number>, line: number, value: number) =>
      lines.set(line, (lines.get(line) ?? 0) + value);
    const search = profile.search(view.search);
    sites.node.forEach((node, site) => {
      const value = values[site];
      const [kind, name, frame] = profile.data.rows[sites.row[site]];
      if (value === 0 || !(search.hasText(name) || search.hasStack(node))) return;
      const seen = new Set<string>();
      const touch = (frame: number) => {
        const file = frames.file[frame];
        const line = frames.line[frame];
        if (!seen.has(`${file}`)) fileOf(file).all += value;
        const isBackward = (frames.flags[frame] & backward) !== 0;
        if (!isBackward && !seen.has(`${file}:${line}`)) add(fileOf(file).through, line, value);
        seen.add(`${file}`).add(`${file}:${line}`);
      };
      // The stack of a folded site may end before its own line.
      if ((kind === "line" || kind === "backward") && frame >= 0 && frames.line[frame] !== 0) {
        touch(frame);
        const figures = fileOf(frames.file[frame]);
        add(kind === "line" ? figures.here : figures.backward, frames.line[frame], value);
      }
      for (const caller of profile.stackOf(node)) {
        if ((frames.flags[caller] & own) !== 0 && frames.line[caller] !== 0) touch(caller);
      }
    });
    return files;
  }

  private paint(figures = this.figures()): void {
    const file = figures.get(this.chosen);
    const source = this.state.profile.data.sources.find((source) => source.file === this.chosen);
    if (!file) {
      replace(this.body, h("p.empty", {}, this.state.view.search === ""
        ? "No line of your own code has memory here."
        : "No line of your own code has memory here in whose stack " +
          `“${this.state.view.search}” is.`));
      return;
    }
    const columns = columnsOf(file);
    const used = new Set(columns.flatMap(({lines}) => [...lines.keys()]));
    const lines = source?.lines ?? [...used].sort((a, b) => a - b)
      .map((line): [number, string] => [line, ""]);
    const most = Math.max(1, ...columns.flatMap(({lines}) => [...lines.values()]));
    const body = h("tbody");
    let last = 0;
    const weight = (line: number) => Math.max(...columns.map(({lines}) => lines.get(line) ?? 0));
    const ranked = [...used].sort((a, b) => weight(b) - weight(a));
    const {chosen, left} = linesToShow(lines, ranked, this.isWhole, this.shown);
    for (const [number, text] of lines) {
      if (!chosen.has(number)) continue;
      if (number > last + 1 && last !== 0) {
        body.append(h("tr.gap", {}, h("td", {colspan: columns.length + 2}, "⋯")));
      }
      last = number;
      body.append(this.line(number, text, columns, most));
    }
    replace(this.body,
      source?.why && h("p.note", {}, `Without the text of the lines: ${source.why}.`),
      source?.is_changed && h("p.note", {}, "The file was changed after the recording."),
      h("table.code-lines", {}, h("thead", {}, h("tr", {},
        ...columns.map(({title, meaning}) => h("th", {scope: "col", title: meaning}, title)),
        h("th", {scope: "col"}, "Line"), h("th.code", {scope: "col"}, "Source"))), body),
      left > 0 && h("p.controls", {}, h("button", {
        id: "more-lines", type: "button", onclick: () => {
          this.shown *= 4;
          this.paint();
        },
      }, `Show more (${countText(left)} lines with less memory, or none, are left out)`)));
  }

  private line(number: number, text: string, columns: Column[], most: number): HTMLElement {
    const cell = (value: number) => h("td.number", {"data-value": value},
      value === 0 ? "" : this.text(value),
      value > 0 && h("span.bar", {style: `width:${((100 * value) / most).toFixed(1)}%`}));
    return h("tr", {"data-line": number},
      ...columns.map(({lines}) => cell(lines.get(number) ?? 0)),
      h("td.line", {}, String(number)), h("td.code", {}, h("code", {}, text)));
  }
}

// Returns at most `most` lines of the file: those with most memory and the lines around them, then,
// if the whole file is asked for, the others from its beginning. `left`: how many are left out.
function linesToShow(lines: [number, string][], ranked: number[], isWhole: boolean,
                     most: number): {chosen: Set<number>; left: number} {
  const there = new Set(lines.map(([number]) => number));
  const chosen = new Set<number>();
  const wanted = new Set<number>();
  const want = (line: number) => {
    if (!there.has(line)) return;
    wanted.add(line);
    if (chosen.size < most) chosen.add(line);
  };
  for (const line of ranked) {
    // The line itself first: at the limit, what is around it may be missing.
    want(line);
    for (let near = line - around; near <= line + around; near++) want(near);
  }
  if (isWhole) for (const line of there) want(line);
  return {chosen, left: wanted.size - chosen.size};
}

interface Column {
  title: string;
  meaning: string;
  lines: Map<number, number>;
}

// The backward pass has a column only in files that have one.
function columnsOf({here, backward, through}: FileFigures): Column[] {
  const columns = [
    {title: "Here", lines: here,
     meaning: "by the line itself, or by libraries that it called; not by modules that it imports"},
    {title: "Backward", meaning: "by the backward pass of the line's operations", lines: backward},
    {title: "Through", lines: through,
     meaning: "by the line and all that it called, also by modules that it imports"},
  ];
  return columns.filter(({lines}) => lines !== backward || backward.size > 0);
}
