// SPDX-License-Identifier: Apache-2.0
//
// The tab with source lines: memory beside each line of the user's own files.
//
//   here     what the line is the innermost own line of: the same as its row in the table
//   through  what goes through the line, whoever allocated it in the end

import {h, replace} from "./dom";
import {bytesText, countText} from "./format";
import {own} from "./data";
import type {Values} from "./profile";
import type {State} from "./state";

const around = 3;  // lines shown before and after a line with memory

interface FileFigures {
  here: Map<number, number>;  // by line
  through: Map<number, number>;
  all: number;  // of everything that goes through the file
}

export class SourceTab {
  readonly element: HTMLElement;
  private readonly files = h("select", {id: "file", onchange: () => this.choose()});
  private readonly body = h("div.scroll.source", {tabindex: 0, role: "region",
                                                  "aria-label": "Source lines"});
  private chosen = -1;
  private isWhole = false;
  private values: Values | null = null;

  constructor(private readonly state: State) {
    const whole = h("button", {
      id: "whole-file", type: "button", "aria-pressed": "false", onclick: () => {
        this.isWhole = !this.isWhole;
        whole.setAttribute("aria-pressed", String(this.isWhole));
        this.paint();
      },
    }, "All lines");
    this.element = h("section.tab", {},
      h("div.controls", {}, h("label", {for: "file"}, "File "), this.files, whole), this.body);
  }

  private choose(): void {
    this.chosen = Number(this.files.value);
    this.paint();
  }

  draw(values: Values): void {
    this.values = values;
    const figures = this.figures();
    const files = [...figures.keys()].sort((a, b) => figures.get(b)!.all - figures.get(a)!.all);
    if (!figures.has(this.chosen)) this.chosen = files[0] ?? -1;
    replace(this.files, ...files.map((file) => h("option", {
      value: file, selected: file === this.chosen,
    }, `${this.state.profile.text(file)} · ${this.text(figures.get(file)!.all)}`)));
    this.paint(figures);
  }

  private text(value: number): string {
    return this.values!.isCount ? countText(value) : bytesText(value);
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
        figures = {here: new Map(), through: new Map(), all: 0};
        files.set(file, figures);
      }
      return figures;
    };
    const add = (lines: Map<number, number>, line: number, value: number) =>
      lines.set(line, (lines.get(line) ?? 0) + value);
    sites.node.forEach((node, site) => {
      const value = values[site];
      if (value === 0) return;
      const seen = new Set<string>();
      const touch = (frame: number) => {
        const file = frames.file[frame];
        const line = frames.line[frame];
        if (!seen.has(`${file}`)) fileOf(file).all += value;
        if (!seen.has(`${file}:${line}`)) add(fileOf(file).through, line, value);
        seen.add(`${file}`).add(`${file}:${line}`);
      };
      const [kind, , frame] = profile.data.rows[sites.row[site]];
      // The stack of a folded site may end before its own line.
      if (kind === "line" && frame >= 0 && frames.line[frame] !== 0) {
        touch(frame);
        add(fileOf(frames.file[frame]).here, frames.line[frame], value);
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
      replace(this.body, h("p.empty", {}, "No line of your own code has memory here."));
      return;
    }
    const lines = source?.lines ?? [...file.through.keys()].sort((a, b) => a - b)
      .map((line): [number, string] => [line, ""]);
    const most = Math.max(1, ...file.through.values());
    const body = h("tbody");
    let last = 0;
    const isNear = (line: number) => {
      for (let near = line - around; near <= line + around; near++) {
        if (file.through.has(near)) return true;
      }
      return false;
    };
    for (const [number, text] of lines) {
      if (!this.isWhole && !isNear(number)) continue;
      if (number > last + 1 && last !== 0) body.append(h("tr.gap", {}, h("td", {colspan: 4}, "⋯")));
      last = number;
      body.append(this.line(number, text, file, most));
    }
    replace(this.body,
      source?.why && h("p.note", {}, `Without the text of the lines: ${source.why}.`),
      source?.is_changed && h("p.note", {}, "The file was changed after the recording."),
      h("table.code-lines", {}, h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "Here"),
        h("th", {scope: "col"}, "Through"), h("th", {scope: "col"}, "Line"),
        h("th.code", {scope: "col"}, "Source"))), body));
  }

  private line(number: number, text: string, file: FileFigures, most: number): HTMLElement {
    const here = file.here.get(number) ?? 0;
    const through = file.through.get(number) ?? 0;
    const cell = (value: number) => h("td.number", {"data-value": value},
      value === 0 ? "" : this.text(value),
      value > 0 && h("span.bar", {style: `width:${((100 * value) / most).toFixed(1)}%`}));
    return h("tr", {"data-line": number}, cell(here), cell(through),
      h("td.line", {}, String(number)), h("td.code", {}, h("code", {}, text)));
  }
}
