// SPDX-License-Identifier: Apache-2.0
//
// A table of rows with a name and numbers: sorted by any column, in pages, with sums at its foot. A
// row opens what belongs to it.

import {h, replace} from "./dom";
import {countText} from "./format";
import {nameParts, namesApart} from "./name_parts";

const pageSize = 60;

export interface Named {
  key: string;
  name: string;
  detail: string;  // where it is, if the name does not say it
  kind: string;
}

export interface Column<Row> {
  id: string;
  title: string;
  text: (value: number) => string;
  // Returns what is sorted by, the largest first; without it, the value.
  order?: (line: Line<Row>) => number;
  classOf?: (value: number) => string;
}

export interface Line<Row> {
  row: Row;
  values: number[];  // by column
  share: number;     // length of its bar, 0 to 1
}

export interface Content<Row> {
  title: string;  // of the names
  columns: Column<Row>[];
  lines: Line<Row>[];
  chosen: string;  // the column that is emphasised, and sorted by unless the reader chose another
  sums: {name: string; values: number[]};
  details: (row: Row) => HTMLElement;
}

export class Table<Row extends Named> {
  readonly element: HTMLElement;
  private readonly table = h("table.sites");
  private readonly foot = h("p.controls");
  private sortBy = "";  // empty: by the chosen column
  private isUp = false;
  private shown = pageSize;
  private readonly opened = new Set<string>();
  private content: Content<Row> | null = null;

  constructor(private readonly refresh: () => void) {
    this.element = h("div", {},
      h("div.scroll", {tabindex: 0, role: "region", "aria-label": "Table"}, this.table), this.foot);
  }

  // There are other rows from now on.
  restart(): void {
    this.shown = pageSize;
  }

  draw(content: Content<Row>): void {
    this.content = content;
    const lines = this.sorted(content);
    replace(this.table, this.head(), this.body(lines), this.sums());
    const left = lines.length - this.shown;
    replace(this.foot, left > 0 && h("button", {
      type: "button", onclick: () => {
        this.shown *= 4;
        this.refresh();
      },
    }, `Show more (${countText(left)} rows below)`));
  }

  // Opens a row at the next draw, and moves the focus to it.
  open(key: string): void {
    this.opened.add(key);
    requestAnimationFrame(() => {
      const row = this.table.querySelector(`[data-key="${CSS.escape(key)}"]`);
      row?.scrollIntoView({block: "center"});
      row?.querySelector<HTMLElement>("button.open")?.focus({preventScroll: true});
    });
  }

  private sortedBy(): string {
    const {columns, chosen} = this.content!;
    if (this.sortBy === "name") return "name";
    return columns.some(({id}) => id === this.sortBy) ? this.sortBy : chosen;
  }

  private sorted({columns, lines}: Content<Row>): Line<Row>[] {
    const at = columns.findIndex(({id}) => id === this.sortedBy());
    const direction = this.isUp ? -1 : 1;
    if (at < 0) {
      return [...lines].sort((a, b) => direction * a.row.name.localeCompare(b.row.name));
    }
    const order = columns[at].order ?? ((line: Line<Row>) => line.values[at]);
    return [...lines].sort((a, b) => direction * (order(b) - order(a)));
  }

  private head(): HTMLElement {
    const {title, columns} = this.content!;
    const cell = (id: string, text: string) => {
      const isSorted = this.sortedBy() === id;
      const rises = this.isUp !== (id === "name");
      const order = !isSorted ? "none" : rises ? "ascending" : "descending";
      const arrow = isSorted ? (this.isUp ? " ▴" : " ▾") : "";
      return h("th", {scope: "col", "aria-sort": order, class: id},
        h("button", {
          type: "button", "data-sort": id, onclick: () => {
            this.isUp = isSorted && !this.isUp;
            this.sortBy = id;
            this.refresh();
          },
        }, text + arrow));
    };
    return h("thead", {}, h("tr", {}, cell("name", title),
                            ...columns.map((column) => cell(column.id, column.title))));
  }

  private body(lines: Line<Row>[]): HTMLElement {
    const body = h("tbody");
    const shown = lines.slice(0, this.shown);
    const names = namesApart(shown.map(({row}) => row.name));
    for (const line of shown) {
      body.append(this.line(line, names.get(line.row.name) ?? line.row.name));
      if (this.opened.has(line.row.key)) {
        body.append(h("tr.opened", {}, h("td", {colspan: this.content!.columns.length + 1},
                                         this.content!.details(line.row))));
      }
    }
    return body;
  }

  private line({row, values, share}: Line<Row>, name: string): HTMLElement {
    const isOpen = this.opened.has(row.key);
    return h("tr", {"data-key": row.key},
      h("th", {scope: "row", class: row.kind},
        h("button.open", {
          type: "button", "aria-expanded": String(isOpen), onclick: () => {
            if (isOpen) this.opened.delete(row.key);
            else this.opened.add(row.key);
            this.refresh();
          },
        }, h("span.name", {title: row.name}, ...nameParts(name)),
          row.detail !== "" && h("span.detail", {}, row.detail)),
        h("span.bar", {style: `width:${(100 * Math.max(0, share)).toFixed(1)}%`})),
      ...values.map((value, i) => this.cell(value, i)));
  }

  private cell(value: number, index: number): HTMLElement {
    const {columns, chosen} = this.content!;
    const {id, text, classOf} = columns[index];
    const classes = [id === chosen ? "chosen" : "", classOf?.(value) ?? ""].join(" ").trim();
    return h("td", {"data-value": value, "data-measure": id, class: classes}, text(value));
  }

  private sums(): HTMLElement {
    const {name, values} = this.content!.sums;
    return h("tfoot", {}, h("tr", {}, h("th", {scope: "row"}, name),
                            ...values.map((value, i) => this.cell(value, i))));
  }
}

// Returns a group of buttons of which one is pressed.
export function choiceOf<Id extends string>(
    label: string, choices: [Id, string][], chosen: Id, choose: (id: Id) => void): HTMLElement {
  const group = h("div.segments", {role: "group", "aria-label": label});
  group.append(...choices.map(([id, text]) => h("button", {
    id, type: "button", "aria-pressed": String(id === chosen), onclick: () => {
      for (const button of group.children) {
        button.setAttribute("aria-pressed", String(button.id === id));
      }
      choose(id);
    },
  }, text)));
  return group;
}
