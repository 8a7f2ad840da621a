// SPDX-License-Identifier: Apache-2.0
//
// The tab of a program that trains: what its memory is for, what could be changed, what the steps
// keep, and which modules and lines hold most.

import {bandColour} from "./colours";
import {type Child, h, replace} from "./dom";
import {bytesText, counted, countText, percentText, timeText} from "./format";
import {type Part, stackedBar} from "./ledgers_tab";
import {rowsByLine} from "./rows";
import type {State} from "./state";
import type {TrainingData, TrainingKind, TrainingLine, TrainingSpace,
             TrainingStep} from "./training_data";

// The kinds that change with the modules of a model; all others are in their sum.
const moduleKinds = ["parameter", "gradient", "activation"];

interface Column {
  name: string;
  bytes: number[];  // by row
}

// Rows with names, and columns of bytes.
function figures(title: string, names: Child[][], columns: Column[]): HTMLElement {
  const cell = (bytes: number) =>
    h("td", {"data-value": bytes}, bytes === 0 ? "–" : bytesText(bytes));
  return h("div.scroll", {tabindex: 0, role: "region", "aria-label": title},
    h("table.figures", {},
      h("thead", {}, h("tr", {}, h("td", {}),
        ...columns.map(({name}) => h("th", {scope: "col"}, name)))),
      h("tbody", {}, ...names.map((name, row) => h("tr", {}, h("th", {scope: "row"}, ...name),
        ...columns.map(({bytes}) => cell(bytes[row])))))));
}

const layersText = (layers: number | null): string =>
  layers !== null && layers > 1 ? `, ${counted(layers, "layer")}` : "";

export class TrainingTab {
  readonly element = h("section.tab.training");
  private readonly names: Map<string, {name: string; what: string}>;
  private readonly order: string[];
  private readonly one: string;  // what is followed

  constructor(private readonly state: State, private readonly data: TrainingData) {
    this.names = new Map(data.kinds.map((kind) => [kind.kind, kind]));
    this.order = data.kinds.map(({kind}) => kind);
    this.one = data.is_of_arrays ? "array" : "tensor";
  }

  draw(): void {
    const {data} = this;
    replace(this.element,
      ...data.spaces.flatMap((space) => this.peak(space)),
      !data.is_of_arrays && this.advice(),
      ...data.spaces.flatMap((space) => [this.steps(space), this.modules(space)]),
      ...data.spaces.map((space) => this.lines(space)),
      ...data.limits.map((limit) => h("p.note", {}, limit)),
      data.tensors_left_out > 0 && h("p.note", {},
        `${counted(data.tensors_left_out, this.one)} were not followed, because there were too ` +
        "many: the figures are of the first ones."));
  }

  private nameOf(kind: string): string {
    return this.names.get(kind)?.name ?? kind;
  }

  private colourOf(kind: string): string {
    return bandColour(this.order.indexOf(kind));
  }

  private swatched(kind: string): Child[] {
    return [h("span.swatch", {style: `background:${this.colourOf(kind)}`}), this.nameOf(kind)];
  }

  // A line that leads to its row in the table.
  private line(space: string, {text}: TrainingLine): HTMLElement {
    const {profile} = this.state;
    const row = rowsByLine(profile, profile.space(space)).find(({name}) => name === text);
    if (!row) return h("span.name", {title: text}, text);
    const open = () => this.state.set({tab: "table", search: "", measure: "peak", space,
                                       row: row.key});
    return h("button.link.name", {type: "button", title: text, onclick: open}, text);
  }

  private partsOf(space: TrainingSpace): Part[] {
    const parts = space.kinds.map(({kind, bytes}) => ({
      name: this.nameOf(kind), bytes, colour: this.colourOf(kind),
    })).sort((a, b) => b.bytes - a.bytes);
    const rest = Math.max(0, space.peak_bytes - space.tensor_bytes);
    const name = `no ${this.one}s: Python, libraries, the framework`;
    return [...parts, {name, bytes: rest, colour: "var(--grey-3)"}]
      .filter(({bytes}) => bytes !== 0);
  }

  private peak(space: TrainingSpace): HTMLElement[] {
    const blocksOf = new Map(space.kinds.map(({kind, blocks}) => [this.nameOf(kind), blocks]));
    const whatOf = new Map(this.data.kinds.map(({name, what}) => [name, what]));
    const title = `What the memory of ${space.space} is for, at its peak`;
    return [
      h("h3", {}, `${title}: ${bytesText(space.peak_bytes)}`),
      h("p.note", {}, `After ${timeText(space.peak_time_ns)}`,
        space.part && `, ${space.part}`,
        space.line && ", at ", space.line && this.line(space.space, space.line)),
      stackedBar(this.partsOf(space), space.peak_bytes, title),
      h("table.parts.kinds", {"data-space": space.space}, h("tbody", {},
        ...this.partsOf(space).map(({name, bytes, colour}) => h("tr", {},
          h("th", {scope: "row", title: whatOf.get(name)},
            h("span.swatch", {style: `background:${colour}`}), name),
          h("td", {"data-value": bytes}, bytesText(bytes)),
          h("td", {}, percentText(bytes, space.peak_bytes)),
          h("td.note", {}, blocksOf.has(name) && counted(blocksOf.get(name)!, this.one)))))),
    ];
  }

  private advice(): HTMLElement {
    const {advice, spaces} = this.data;
    return h("div.advice", {}, h("h3", {}, "What could be changed"),
      advice.length === 0 && h("p.empty", {}, "Nothing that this recording shows."),
      ...advice.map((one) => h("article.finding", {"data-rule": one.rule},
        h("p", {}, one.before, one.line && this.line(this.spaceOf(one.line) ?? spaces[0].space,
                                                     one.line), one.after),
        h("p.note", {}, h("a", {href: one.link, target: "_blank", rel: "noopener noreferrer"},
                          one.link)))));
  }

  // The space that holds most of a line.
  private spaceOf({text}: TrainingLine): string | undefined {
    return this.data.spaces.find(({kinds}) =>
      kinds.some(({lines}) => lines.some((line) => line.text === text)))?.space;
  }

  private steps(space: TrainingSpace): Child {
    const {rows, grown} = space.steps;
    if (rows.length === 0) return null;
    const {data} = this;
    const arePasses = data.steps === 0;
    const title = arePasses ? `Held in ${space.space} at the ends of backward passes`
      : `Held in ${space.space} at the ends of steps, the rounds of ${data.loop}`;
    const kinds = this.order.filter((kind) => rows.some((row) => row.bytes_at_end[kind] > 0));
    const between: [string, keyof TrainingStep & `${string}_bytes`][] = [
      [`most that ${this.one}s held in between`, "most_bytes"], ["made in between", "made_bytes"],
      ["given back in between", "given_back_bytes"]];
    const growth = grown.map((one) => `${this.nameOf(one.kind)} ${bytesText(one.bytes)}, ` +
                                      `${bytesText(one.bytes_per_step)} each`);
    return h("div.steps", {}, h("h3", {}, title),
      arePasses && h("p.note", {}, `Steps: ${data.why_no_steps}.`),
      figures(title, [...kinds.map((kind) => this.swatched(kind)),
                      ...between.map(([name]) => [h("span.note", {}, name)])],
        rows.map((row) => ({
          name: `${arePasses ? "pass" : "step"} ${countText(row.step)}`,
          bytes: [...kinds.map((kind) => row.bytes_at_end[kind] ?? 0),
                  ...between.map(([, key]) => row[key])],
        }))),
      h("p", {class: grown.length > 0 ? "bad" : "note"}, grown.length === 0
        ? "No kind grows from the second one to the last one."
        : `What grows from the second one to the last one: ${growth.join("; ")}.`));
  }

  private modules(space: TrainingSpace): Child {
    if (this.data.is_of_arrays) return null;
    if (!this.data.has_module_names) {
      return h("p.note", {}, "Modules are not told apart: Python names the class of a method " +
        "since 3.11, and this recording is of an earlier version.");
    }
    if (space.modules.length === 0) return null;
    const title = `Modules, in ${space.space} at its peak`;
    const column = (kind: string) => ({
      name: this.nameOf(kind), bytes: space.modules.map(({kinds}) => kinds[kind] ?? 0),
    });
    return h("div.modules", {}, h("h3", {}, title),
      figures(title, space.modules.map((module) => [
        h("span", {title: module.file}, module.class), layersText(module.layers)]),
        [{name: "in all", bytes: space.modules.map(({bytes}) => bytes)},
         ...moduleKinds.map(column)]),
      space.all_modules > space.modules.length && h("p.note", {},
        `${counted(space.all_modules - space.modules.length, "module")} more`));
  }

  private lines(space: TrainingSpace): HTMLElement {
    const largest = [...space.kinds].sort((a, b) => b.bytes - a.bytes);
    return h("div.by-line", {}, h("h3", {}, `Lines, in ${space.space} at its peak`),
      ...largest.map((kind, i) => this.linesOf(space, kind, i === 0)));
  }

  private linesOf(space: TrainingSpace, kind: TrainingKind, isOpen: boolean): HTMLElement {
    const item = (name: HTMLElement, bytes: number) => h("li", {},
      h("span.bar", {style: `width:${((100 * bytes) / Math.max(1, kind.bytes)).toFixed(1)}%`}),
      name, h("span.number", {"data-value": bytes},
              `${bytesText(bytes)} · ${percentText(bytes, kind.bytes)}`));
    const rest = kind.bytes - kind.lines.reduce((sum, {bytes}) => sum + bytes, 0);
    return h("details", {open: isOpen, "data-kind": kind.kind},
      h("summary", {}, h("strong", {}, this.nameOf(kind.kind)), ` ${bytesText(kind.bytes)} `,
        h("span.note", {}, this.names.get(kind.kind)?.what ?? "")),
      h("ol.lines", {}, ...kind.lines.map((line) => item(this.line(space.space, line), line.bytes)),
        rest > 0 && item(h("span.name", {},
          kind.all_lines > kind.lines.length
            ? `${counted(kind.all_lines - kind.lines.length, "row")} more` : "no line"), rest)));
  }
}
