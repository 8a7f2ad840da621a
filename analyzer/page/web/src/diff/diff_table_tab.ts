// SPDX-License-Identifier: Apache-2.0
//
// The tab with the table of differences: the user's own lines, or call sites by their keys. A row
// opens all of its figures and its stacks.

import {stackList} from "../details";
import {h} from "../dom";
import {counted} from "../format";
import {choiceOf, Table, type Column, type Line} from "../table";
import {changeOf, differs, measures, weightOf, type Item, type Pair} from "./diff";
import type {DiffSpace} from "./diff_data";
import type {DiffState} from "./diff_state";
import {blocksText, changeText, classOf, classOfChange, fromTo, valueText} from "./diff_text";

const stacksShown = 6;

type Filter = "all" | "grew" | "shrank" | "new" | "gone";
const filters: Record<Filter, [string, (item: Item, pair: Pair) => boolean]> = {
  all: ["All", () => true],
  grew: ["Grew", (_, pair) => changeOf(pair) > 0],
  shrank: ["Shrank", (_, pair) => changeOf(pair) < 0],
  new: ["New", (item) => item.status === "new"],
  gone: ["Gone", (item) => item.status === "gone"],
};

export class DiffTableTab {
  readonly element: HTMLElement;
  private readonly table: Table<Item>;
  private bySite = false;
  private filter: Filter = "all";

  constructor(private readonly state: DiffState) {
    const restart = () => {
      this.table.restart();
      state.refresh();
    };
    this.table = new Table<Item>(() => state.refresh());
    this.element = h("section.tab.diff", {}, h("div.controls", {},
      choiceOf("Rows", [["by-line", "Your lines"], ["by-site", "Call sites"]], "by-line", (id) => {
        this.bySite = id === "by-site";
        restart();
      }),
      choiceOf("Filter", (Object.keys(filters) as Filter[]).map(
        (id): [string, string] => [`only-${id}`, filters[id][0]]), "only-all", (id) => {
        this.filter = id.slice("only-".length) as Filter;
        restart();
      })), this.table.element);
  }

  draw(): void {
    const {diff, view} = this.state;
    const space = diff.space(view.space);
    const {measure} = view;
    if (view.row !== "") this.openRow(view.row);
    const pairs = new Map<Item, Pair>();
    const items = this.bySite ? diff.places(space) : diff.lines(space);
    for (const item of items) pairs.set(item, diff.pairOf(space, measure, item));
    const lines = this.found(items, pairs);
    const isAll = view.search === "" && this.filter === "all";
    const whole = diff.whole(space, measure);
    const columns = columnsOf(space, measure, (line) => orderOf(pairs.get(line.row)!));
    this.table.draw({
      title: this.bySite ? "Call site" : "Your line", columns, lines, chosen: "change",
      sums: isAll ? {name: "In all", values: valuesOf(whole, measure)}
                  : {name: `${counted(lines.length, "row")} found`,
                     values: columns.map((_, i) => lines.reduce(
                       (sum, line) => sum + line.values[i], 0))},
      details: (item) => this.details(space, item),
    });
  }

  // Opens a row that another part of the page asked for.
  private openRow(key: string): void {
    this.state.view.row = "";
    this.element.querySelector<HTMLElement>("#only-all")!.click();
    if (this.bySite) this.element.querySelector<HTMLElement>("#by-line")!.click();
    this.table.open(key);
  }

  private found(items: Item[], pairs: Map<Item, Pair>): Line<Item>[] {
    const {diff, view} = this.state;
    const search = diff.search(view.search);
    const {sites} = diff.space(view.space);
    const [, passes] = filters[this.filter];
    const lines: Line<Item>[] = [];
    for (const item of items) {
      const pair = pairs.get(item)!;
      const isFound = search.hasText([item.name, ...item.names].join(" ")) ||
        (item.columns === sites && item.indices.some((site) => search.hasStack(sites.node[site])));
      if (isEmpty(pair) || !passes(item, pair) || !isFound) continue;
      lines.push({row: item, values: valuesOf(pair, this.state.view.measure), share: 0});
    }
    const most = lines.reduce((most, {values}) => Math.max(most, Math.abs(values[0])), 1);
    for (const line of lines) line.share = Math.abs(line.values[0]) / most;
    return lines;
  }

  private details(space: DiffSpace, item: Item): HTMLElement {
    const {diff} = this.state;
    return h("div.details", {},
      h("div", {}, this.source(item), h("table.figures", {},
        h("thead", {}, h("tr", {}, ...["Figure", "Change", "Before → after", "Blocks, calls"].map(
          (text) => h("th", {scope: "col"}, text)))),
        h("tbody", {}, ...diff.measures.map((measure) => {
          const pair = diff.pairOf(space, measure, item);
          return h("tr", {}, h("th", {scope: "row"}, measures[measure].name),
            h("td", {class: classOf(pair)}, changeText(space, measure, changeOf(pair))),
            h("td", {}, fromTo(space, measure, pair)),
            h("td", {}, blocksText(pair.blocksAfter - pair.blocksBefore)));
        })))),
      h("div.stacks", {}, ...(item.columns === space.places
        ? [h("ol.stack", {}, ...[item.name, ...item.names].map((name) => h("li", {}, name)))]
        : this.stacks(space, item))));
  }

  // Returns the line's text, and where and what it was, if that has changed.
  private source(item: Item): HTMLElement {
    const row = item.columns === this.state.diff.space(this.state.view.space).sites
      ? this.state.diff.data.rows[Number(item.key.slice("row".length))] : undefined;
    const isEdited = row?.before !== undefined && row.before !== row.after;
    return h("div.versions", {},
      row?.was !== undefined && h("p.note", {}, `before: ${row.was}`),
      isEdited && h("pre.shrank", {}, `- ${row.before}`),
      row?.after !== undefined && h("pre", {class: isEdited ? "grew" : ""},
                                    (isEdited ? "+ " : "") + row.after));
  }

  // The stacks that changed most come first.
  private stacks(space: DiffSpace, item: Item): HTMLElement[] {
    const {diff, view} = this.state;
    const {sites} = space;
    const found = item.indices.map(
      (site) => ({site, pair: diff.sum(space, view.measure, sites, [site])}))
      .filter(({pair}) => pair.before !== 0 || pair.after !== 0)
      .sort((a, b) => weightOf(b.pair) - weightOf(a.pair));
    const rest = found.slice(stacksShown);
    const restChange = rest.reduce((sum, {pair}) => sum + changeOf(pair), 0);
    return [
      ...found.slice(0, stacksShown).map(({site, pair}) => h("div.site", {},
        h("p", {}, h("strong", {class: classOf(pair)}, differs(pair)
            ? changeText(space, view.measure, changeOf(pair)) : "the same"),
          ` ${fromTo(space, view.measure, pair)}`,
          sites.folded[site] === 1 && h("span.note", {},
            ` ${counted(sites.stacks[site], "call stack")}, up to the call they have in common`)),
        stackList(diff, diff.stackOf(sites.node[site]), sites.folded[site] === 1))),
      ...(rest.length === 0 ? [] : [h("p.note", {},
        `${counted(rest.length, "call stack")} more: ` +
        changeText(space, view.measure, restChange))]),
    ];
  }
}

const isEmpty = (pair: Pair): boolean =>
  pair.before === 0 && pair.after === 0 && pair.blocksBefore === 0 && pair.blocksAfter === 0;

// What changed most comes first, then what is largest.
function orderOf(pair: Pair): number {
  return weightOf(pair) || -1 / (1 + Math.max(pair.before, pair.after));
}

function valuesOf(pair: Pair, measure: string): number[] {
  const values = [changeOf(pair), pair.before, pair.after];
  if (measure === "calls") return values;
  return [...values, pair.blocksAfter - pair.blocksBefore, pair.blocksBefore, pair.blocksAfter];
}

function columnsOf(space: DiffSpace, measure: keyof typeof measures,
                   weight: (line: Line<Item>) => number): Column<Item>[] {
  const value = (bytes: number) => valueText(space, measure, bytes);
  const {counted: noun, isCount} = measures[measure];
  const blocks = (count: number) => valueText(space, "calls", count);
  const columns: Column<Item>[] = [
    {id: "change", title: "Change", text: (change) => changeText(space, measure, change),
     order: weight, classOf: classOfChange},
    {id: "before", title: "Before", text: value}, {id: "after", title: "After", text: value},
  ];
  if (isCount) return columns;
  return [...columns,
    {id: "blocks", title: `${noun} ±`, text: blocksText,
     order: ({values}) => Math.abs(values[3]), classOf: classOfChange},
    {id: "blocks-before", title: `${noun} before`, text: blocks},
    {id: "blocks-after", title: `${noun} after`, text: blocks}];
}
