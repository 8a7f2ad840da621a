// SPDX-License-Identifier: Apache-2.0
//
// The tab with the table: the user's own lines or all call sites. A row opens its curve and its
// stacks.

import {detailsOf} from "./details";
import {h} from "./dom";
import {counted} from "./format";
import {figureText, measureNames, sumOf, type Measure, type Values} from "./profile";
import {isFound, rowsByLine, rowsBySite, sumOfSites, type Row} from "./rows";
import type {State} from "./state";
import {choiceOf, Table, type Line} from "./table";

const all: Measure[] = ["peak", "held", "grown", "allocated", "calls", "temporary"];

export class TableTab {
  readonly element: HTMLElement;
  private readonly table: Table<Row>;
  private bySite = false;

  constructor(private readonly state: State) {
    this.table = new Table<Row>(() => state.refresh());
    this.element = h("section.tab", {},
      h("div.controls", {}, choiceOf("Rows", [["by-line", "Your lines"], ["by-site", "Call sites"]],
                                     "by-line", (id) => {
        this.bySite = id === "by-site";
        this.table.restart();
        this.state.refresh();
      })), this.table.element);
  }

  draw(): void {
    const {profile, view} = this.state;
    const space = profile.space(view.space);
    const measures = all.filter((measure) => profile.whyNot(measure, view.range, space) === "");
    const figures = measures.map((measure) => profile.values(space, measure, view.range,
                                                                    view.thread));
    if (view.row !== "") this.openRow(view.row);
    const chosen = Math.max(0, measures.indexOf(view.measure));
    const lines = this.lines((this.bySite ? rowsBySite : rowsByLine)(profile, space), figures,
                             chosen);
    this.table.draw({
      title: this.bySite ? "Call site" : "Your line",
      columns: measures.map((measure, i) => ({
        id: measure, title: measureNames[measure],
        text: (value) => value === 0 ? "–"
            : figureText(space, value, figures[i].isCount),
      })),
      lines, chosen: view.measure,
      sums: view.search === ""
        ? {name: "In all", values: figures.map(({bytes}) => sumOf(bytes))}
        : {name: `${counted(lines.length, "row")} found`,
           values: measures.map((_, i) => lines.reduce((sum, line) => sum + line.values[i], 0))},
      details: (row) => detailsOf(this.state, space, row.sites, figures[chosen]),
    });
  }

  // Opens a row that another part of the page asked for.
  private openRow(key: string): void {
    this.state.view.row = "";
    const isSite = key.startsWith("site");
    if (this.bySite !== isSite) {
      this.element.querySelector<HTMLElement>(isSite ? "#by-site" : "#by-line")!.click();
    }
    this.table.open(key);
  }

  private lines(rows: Row[], figures: Values[], chosen: number): Line<Row>[] {
    const {profile, view} = this.state;
    const search = profile.search(view.search);
    const nodes = profile.space(view.space).data.sites.node;
    const lines: Line<Row>[] = [];
    for (const row of rows) {
      if (!isFound(row, search, nodes)) continue;
      const values = figures.map(({bytes}) => sumOfSites(bytes, row.sites));
      if (values.some((value) => value !== 0)) lines.push({row, values, share: 0});
    }
    const most = lines.reduce((most, {values}) => Math.max(most, values[chosen]), 1);
    for (const line of lines) line.share = line.values[chosen] / most;
    return lines;
  }
}
