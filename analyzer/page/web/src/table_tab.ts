// SPDX-License-Identifier: Apache-2.0
//
// The tab with the table: the user's own lines or all call sites, sorted by any column. A row opens
// its curve and its stacks.

import {detailsOf} from "./details";
import {h, replace} from "./dom";
import {bytesText, countText, counted} from "./format";
import {measureNames, sumOf, type Measure, type Values} from "./profile";
import {rowsByLine, rowsBySite, sumOfSites, type Row} from "./rows";
import type {State} from "./state";

const pageSize = 60;
const all: Measure[] = ["peak", "held", "grown", "allocated", "calls", "temporary"];

interface Line {
  row: Row;
  values: number[];  // by column
}

export class TableTab {
  readonly element: HTMLElement;
  private readonly table = h("table.sites");
  private readonly foot = h("p.controls");
  private bySite = false;
  private sortBy: Measure | "name" | null = null;  // null: by the chosen measure
  private isUp = false;
  private shown = pageSize;
  private readonly open = new Set<string>();
  private columns: Measure[] = [];
  private figures = new Map<Measure, Values>();

  constructor(private readonly state: State) {
    const choice = (id: string, text: string, bySite: boolean) => h("button", {
      id, type: "button", "aria-pressed": String(this.bySite === bySite),
      onclick: () => {
        this.bySite = bySite;
        this.shown = pageSize;
        for (const button of this.element.querySelectorAll("[data-group] button")) {
          button.setAttribute("aria-pressed", String(button.id === id));
        }
        this.state.refresh();
      },
    }, text);
    this.element = h("section.tab", {},
      h("div.controls", {"data-group": true, role: "group", "aria-label": "Rows"},
        choice("by-line", "Your lines", false), choice("by-site", "Call sites", true)),
      h("div.scroll", {tabindex: 0, role: "region", "aria-label": "Table"}, this.table), this.foot);
  }

  draw(): void {
    const {profile, view} = this.state;
    const space = profile.space(view.space);
    this.columns = all.filter((measure) => profile.whyNot(measure, view.range) === "");
    this.figures = new Map(this.columns.map(
      (measure) => [measure, profile.values(space, measure, view.range)]));
    if (view.row !== "") this.openRow(view.row);
    const found = this.lines((this.bySite ? rowsBySite : rowsByLine)(profile, space));
    replace(this.table, this.head(), this.body(found), this.sums(found));
    const left = found.length - this.shown;
    replace(this.foot, left > 0 && h("button", {
      type: "button", onclick: () => {
        this.shown *= 4;
        this.state.refresh();
      },
    }, `Show more (${countText(left)} rows below)`));
  }

  // Opens a row that another part of the page asked for.
  private openRow(key: string): void {
    this.open.add(key);
    this.state.view.row = "";
    if (this.bySite) this.element.querySelector<HTMLElement>("#by-line")!.click();
    requestAnimationFrame(() => {
      const row = this.table.querySelector(`[data-key="${CSS.escape(key)}"]`);
      row?.scrollIntoView({block: "center"});
      row?.querySelector<HTMLElement>("button.open")?.focus({preventScroll: true});
    });
  }

  private lines(rows: Row[]): Line[] {
    const {view} = this.state;
    const wanted = view.search.toLowerCase();
    const lines: Line[] = [];
    for (const row of rows) {
      if (wanted !== "" && !`${row.name} ${row.detail}`.toLowerCase().includes(wanted)) continue;
      const values = this.columns.map(
        (measure) => sumOfSites(this.figures.get(measure)!.bytes, row.sites));
      if (values.some((value) => value !== 0)) lines.push({row, values});
    }
    const column = this.columns.indexOf(this.sorted() as Measure);
    const direction = this.isUp ? -1 : 1;
    lines.sort((a, b) => direction * (column < 0 ? a.row.name.localeCompare(b.row.name)
                                                 : b.values[column] - a.values[column]));
    return lines;
  }

  private sorted(): Measure | "name" {
    if (this.sortBy === "name") return "name";
    return this.sortBy && this.columns.includes(this.sortBy) ? this.sortBy
                                                             : this.state.view.measure;
  }

  private head(): HTMLElement {
    const cell = (id: Measure | "name", text: string) => {
      const isSorted = this.sorted() === id;
      const rises = this.isUp !== (id === "name");
      const order = !isSorted ? "none" : rises ? "ascending" : "descending";
      const arrow = isSorted ? (this.isUp ? " ▴" : " ▾") : "";
      return h("th", {scope: "col", "aria-sort": order, class: id},
        h("button", {
          type: "button", "data-sort": id, onclick: () => {
            this.isUp = isSorted && !this.isUp;
            this.sortBy = id;
            this.state.refresh();
          },
        }, text + arrow));
    };
    return h("thead", {}, h("tr", {}, cell("name", this.bySite ? "Call site" : "Your line"),
      ...this.columns.map((measure) => cell(measure, measureNames[measure]))));
  }

  private text(measure: Measure, value: number): string {
    if (value === 0) return "–";
    const sign = this.state.profile.space(this.state.view.space).data.is_estimate ? "~" : "";
    return sign + (this.figures.get(measure)!.isCount ? countText(value) : bytesText(value));
  }

  private body(lines: Line[]): HTMLElement {
    const body = h("tbody");
    const chosen = Math.max(0, this.columns.indexOf(this.state.view.measure));
    const most = Math.max(1, ...lines.slice(0, 500).map((line) => line.values[chosen]));
    for (const line of lines.slice(0, this.shown)) {
      body.append(this.line(line, chosen, most));
      if (this.open.has(line.row.key)) body.append(this.details(line.row));
    }
    return body;
  }

  private line({row, values}: Line, chosen: number, most: number): HTMLElement {
    const isOpen = this.open.has(row.key);
    const share = Math.max(0, (values[chosen] / most) * 100);
    return h("tr", {"data-key": row.key},
      h("th", {scope: "row", class: row.kind},
        h("button.open", {
          type: "button", "aria-expanded": String(isOpen), onclick: () => {
            if (isOpen) this.open.delete(row.key);
            else this.open.add(row.key);
            this.state.refresh();
          },
        }, h("span.name", {}, row.name), row.detail !== "" && h("span.detail", {}, row.detail)),
        h("span.bar", {style: `width:${share.toFixed(1)}%`})),
      ...this.columns.map((measure, i) => h("td", {
        "data-value": values[i], "data-measure": measure,
        class: i === chosen ? "chosen" : "",
      }, this.text(measure, values[i]))));
  }

  private details(row: Row): HTMLElement {
    const {profile, view} = this.state;
    return h("tr.opened", {}, h("td", {colspan: this.columns.length + 1},
      detailsOf(this.state, profile.space(view.space), row.sites,
                this.figures.get(view.measure)!)));
  }

  private sums(lines: Line[]): HTMLElement {
    const isAll = this.state.view.search === "";
    const name = isAll ? "In all" : `${counted(lines.length, "row")} found`;
    return h("tfoot", {}, h("tr", {}, h("th", {scope: "row"}, name),
      ...this.columns.map((measure, i) => {
        const sum = isAll ? sumOf(this.figures.get(measure)!.bytes)
                          : lines.reduce((sum, line) => sum + line.values[i], 0);
        return h("td", {"data-value": sum, "data-measure": measure}, this.text(measure, sum));
      })));
  }
}
