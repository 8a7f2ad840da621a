// SPDX-License-Identifier: Apache-2.0
//
// The drawing of single blocks (single_blocks.ts), and a list of the lines that took them.

import uPlot from "uplot";
import {axesOf, rightPadding} from "./axes";
import {bandColour, bandCount} from "./colours";
import {courseOf} from "./course";
import {h, replace, styleOf} from "./dom";
import {bytesText, counted, timeText} from "./format";
import type {Space} from "./profile";
import {blockAt, blocksOf, layoutOf, type Block, type Layout} from "./single_blocks";
import type {State} from "./state";

const pixelsOfColumn = 1;
const rowsShown = 12;
const partDrawn = 2;  // A space that held more than so many times the blocks is cut off.
const seenMost = 4096;  // pixels: a plot is not wider

// Blocks of one row of the table, in the range.
interface Group {
  row: number;
  blocks: number;
  largest: number;
  together: number;  // the most bytes that they held at a moment that is drawn
}

export class SinglesView {
  private readonly plotFrame = h("div.plot", {
    id: "single-blocks", tabindex: 0, role: "application",
    "aria-label": "Single blocks over time. Left and right choose a block, Enter opens its line.",
    onclick: () => this.openTable(this.pointed),
    onkeydown: (event: KeyboardEvent) => this.key(event),
    onblur: () => this.plot?.redraw(false),
  });
  private readonly reading = h("p.reading", {id: "block-reading", role: "status"});
  private readonly meaning = h("p.note", {});
  private readonly legend = h("ol.bands");
  readonly element =
    h("div", {}, this.plotFrame, this.reading, this.meaning, this.legend);
  private plot: uPlot | null = null;
  private pointed = -1;  // the site of the block at the pointer
  // The blocks that are drawn, by their begin, and which one the keyboard has chosen.
  private drawn: Block[] = [];
  private chosen: Block | null = null;
  private readonly ranks = new Map<Space, Map<number, number>>();

  constructor(private readonly state: State) {}

  draw(space: Space): void {
    const {profile, view} = this.state;
    const search = profile.search(view.search);
    const {node, row} = space.data.sites;
    const [begin, end] = [profile.borders[view.range.from], profile.borders[view.range.to]];
    const all = blocksOf(space.data.blocks!);
    const blocks = all.filter((block) => block.begin < end && block.end > begin &&
      (search.hasStack(node[block.site]) || search.hasText(this.nameOf(row[block.site]))));
    const width = Math.min(seenMost, Math.max(200, this.plotFrame.clientWidth));
    const layout = layoutOf(blocks, begin, end, Math.floor(width / pixelsOfColumn));
    this.drawn = [...new Set(layout.boxes.map(({block}) => block))].sort((a, b) => a - b)
      .map((block) => blocks[block]);
    if (this.chosen && !this.drawn.includes(this.chosen)) this.chosen = null;
    const colours = this.coloursOf(space, all);
    const colourOf = (block: Block) => colours.get(row[block.site])!;
    const above = this.paint(space, blocks, layout, {begin, end, width, colourOf});
    this.meaning.textContent =
      `${counted(blocks.length, "block")}, the largest of each time, coloured by your line. ` +
      (above > 0 ? `All blocks held ${bytesText(above)} at most, which is above what is drawn. `
        : "Light grey is everything else, at the most of its slice. ") +
      "A click opens the line of a block.";
    this.list(groupsOf(blocks, layout, row), colours);
  }

  private nameOf(row: number): string {
    return this.state.profile.data.rows[row][1];
  }

  // `site`: -1: none is chosen.
  private openTable(site: number): void {
    if (site < 0) return;
    const space = this.state.profile.space(this.state.view.space);
    this.openRow(space.data.sites.row[site]);
  }

  private openRow(row: number): void {
    this.state.set({tab: "table", search: "", row: `row${row}`});
  }

  private key(event: KeyboardEvent): void {
    const now = this.chosen ? this.drawn.indexOf(this.chosen) : -1;
    const last = this.drawn.length - 1;
    const moves: Record<string, number> = {
      ArrowRight: Math.min(now + 1, last), ArrowLeft: Math.max(now - 1, 0), Home: 0, End: last,
    };
    if (event.key === "Enter" && this.chosen) {
      this.openTable(this.chosen.site);
    } else if (event.key in moves && last >= 0) {
      this.chosen = this.drawn[moves[event.key]];
      this.say(this.chosen);
      this.plot?.redraw(false);
    } else {
      return;
    }
    event.preventDefault();
  }

  // The user's own rows whose blocks held most for longest have colours, in every range the same.
  private coloursOf(space: Space, blocks: Block[]): Map<number, string> {
    let ranks = this.ranks.get(space);
    if (!ranks) {
      const {row} = space.data.sites;
      const duration = this.state.profile.data.program.duration_ns;
      const weights = new Map<number, number>();
      for (const {site, begin, end, bytes} of blocks) {
        const weight = bytes * Math.max(1, Math.min(end, duration) - begin);
        weights.set(row[site], (weights.get(row[site]) ?? 0) + weight);
      }
      const isOwn = (row: number) =>
        ["line", "backward"].includes(this.state.profile.data.rows[row][0]);
      const order = [...weights.keys()].sort((a, b) =>
        Number(isOwn(b)) - Number(isOwn(a)) || weights.get(b)! - weights.get(a)!);
      ranks = new Map(order.map((row, rank) => [row, isOwn(row) ? rank : bandCount + rank]));
      this.ranks.set(space, ranks);
    }
    return new Map([...ranks].map(([row, rank]) =>
      [row, rank < bandCount ? bandColour(rank) : styleOf(`--grey-${2 + rank % 3}`)]));
  }

  // Returns the most that the space held if that has no place in the drawing, or 0.
  private paint(space: Space, blocks: Block[], layout: Layout,
                {begin, end, width, colourOf}: {begin: number; end: number; width: number;
                                                colourOf: (block: Block) => string}): number {
    const course = courseOf(this.state.profile, space)!;
    const times = [begin, ...course.times.filter((time) => time > begin && time < end), end];
    const most = times.map((time) => {
      const slice = course.times.findLastIndex((border) => border <= time);
      return course.highest[Math.min(Math.max(slice, 0), course.highest.length - 1)];
    });
    const columns = layout.moments.length;
    const highest = layout.heights.reduce((most, bytes) => Math.max(most, bytes), 0);
    const all = Math.max(1, ...most);
    // The blocks must be seen, also where they are a small part of the space.
    const isCut = highest > 0 && all > partDrawn * highest;
    const top = 1.08 * (isCut ? highest : Math.max(all, highest));
    const drawBoxes = (plot: uPlot) => {
      const {ctx, bbox} = plot;
      const xOf = (column: number) => bbox.left + (bbox.width * column) / columns;
      const edge = styleOf("--panel");
      for (const {block, from, to, below} of layout.boxes) {
        const {bytes} = blocks[block];
        const [low, high] = [below, below + bytes].map((value) => plot.valToPos(value, "y", true));
        ctx.fillStyle = colourOf(blocks[block]);
        ctx.fillRect(xOf(from), high, xOf(to) - xOf(from), Math.max(low - high, 0.2));
        if (low - high < 4) continue;
        ctx.fillStyle = edge;
        ctx.fillRect(xOf(from), high, xOf(to) - xOf(from), 1);
      }
      if (document.activeElement !== this.plotFrame) return;
      ctx.strokeStyle = styleOf("--text");
      ctx.lineWidth = 2;
      for (const {block, from, to, below} of layout.boxes) {
        if (blocks[block] !== this.chosen) continue;
        const [low, high] = [below, below + blocks[block].bytes].map(
          (value) => plot.valToPos(value, "y", true));
        ctx.strokeRect(xOf(from), high, Math.max(xOf(to) - xOf(from), 2), Math.max(low - high, 2));
      }
    };
    this.plot?.destroy();
    this.plot = new uPlot({
      width, height: 320, legend: {show: false},
      cursor: {drag: {x: false, y: false}, points: {show: false}},
      scales: {x: {time: false}, y: {range: [0, top]}},
      axes: axesOf(), padding: [null, rightPadding, null, null],
      series: [{}, {
        label: "most", stroke: styleOf("--text"), width: 1, fill: styleOf("--grey-1"),
        points: {show: false}, paths: uPlot.paths.stepped!({align: 1}),
      }],
      hooks: {
        draw: [drawBoxes],
        setCursor: [(plot) => this.read(plot, blocks, layout)],
      },
    }, [times.map((ns) => ns / 1e9), most], this.plotFrame);
    return isCut ? all : 0;
  }

  // Says which block is at the pointer.
  private read(plot: uPlot, blocks: Block[], layout: Layout): void {
    const {left = -1, top = -1} = plot.cursor;
    const width = plot.over.clientWidth;
    const column = Math.min(layout.moments.length - 1,
                            Math.floor((left / width) * layout.moments.length));
    const found = left < 0 ? -1 : blockAt(layout, blocks, column, plot.posToVal(top, "y"));
    this.pointed = found < 0 ? -1 : blocks[found].site;
    if (found < 0) {
      this.reading.textContent = "";
      return;
    }
    this.say(blocks[found]);
  }

  private say({site, begin, end, bytes}: Block): void {
    const name = this.nameOf(this.state.profile.space(this.state.view.space).data.sites.row[site]);
    const until = end === Infinity ? "alive at the end"
                                   : `until ${timeText(end)} (for ${timeText(end - begin)})`;
    this.reading.textContent = `${bytesText(bytes)}  ${name}  from ${timeText(begin)} ${until}`;
  }

  private list(groups: Group[], colours: Map<number, string>): void {
    const shown = groups.slice(0, rowsShown);
    const rest = groups.slice(rowsShown).reduce((sum, {blocks}) => sum + blocks, 0);
    replace(this.legend, ...shown.map(({row, blocks, largest, together}) => h("li", {},
      h("span.swatch", {style: `background:${colours.get(row)!}`}),
      h("button.link.name", {type: "button", onclick: () => this.openRow(row)}, this.nameOf(row)),
      h("span.number", {"data-together": together},
        blocks === 1 ? bytesText(largest)
          : `${counted(blocks, "block")} of up to ${bytesText(largest)}, ` +
            `${bytesText(together)} at once`))),
      rest > 0 && h("li", {}, h("span.name", {}, `${counted(rest, "block")} of others`)));
  }
}

// Returns the rows of the blocks, those first that held most at once. `rowOf`: by site.
function groupsOf(blocks: Block[], layout: Layout, rowOf: number[]): Group[] {
  const groups = new Map<number, Group>();
  const heights = new Map<number, Float64Array>();  // by row: bytes by column
  for (const {site, bytes} of blocks) {
    const row = rowOf[site];
    let group = groups.get(row);
    if (!group) groups.set(row, group = {row, blocks: 0, largest: 0, together: 0});
    group.blocks += 1;
    group.largest = Math.max(group.largest, bytes);
    group.together = group.largest;
  }
  for (const {block, from, to} of layout.boxes) {
    const row = rowOf[blocks[block].site];
    let sums = heights.get(row);
    if (!sums) heights.set(row, sums = new Float64Array(layout.moments.length));
    for (let column = from; column < to; column++) sums[column] += blocks[block].bytes;
  }
  for (const [row, sums] of heights) {
    const group = groups.get(row)!;
    group.together = sums.reduce((most, bytes) => Math.max(most, bytes), group.largest);
  }
  return [...groups.values()].sort((a, b) => b.together - a.together);
}
