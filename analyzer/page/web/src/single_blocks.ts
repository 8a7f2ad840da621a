// SPDX-License-Identifier: Apache-2.0
//
// Single blocks over time, as boxes that stand on each other: the oldest one is lowest, and what
// stands on a block sinks when the block is given back.
//
//   bytes │      ┌──┐
//         │   ┌──┤c │          b ends: c sinks
//         │   │ b└──┤
//         ├───┴──┬──┴──┐
//         │  a   │  c  │
//         └──────┴─────┴─ time
//
// Times are cut into columns, one for some pixels. A column shows the moment at which its blocks
// held most together, so that no peak is between two columns.

import type {BlockColumns} from "./data";

export interface Block {
  site: number;
  begin: number;  // in nanoseconds
  end: number;    // Infinity: alive at the end
  bytes: number;
}

// What a block was from one column to another.
export interface Box {
  block: number;  // index into the blocks
  from: number;   // column
  to: number;     // the first column without it
  below: number;  // bytes
}

export interface Layout {
  boxes: Box[];
  moments: Float64Array;  // by column, in nanoseconds
  heights: Float64Array;  // by column: bytes of all its blocks
}

const nsOfUs = 1000;
const known = new WeakMap<BlockColumns, Block[]>();

// The columns depend on the recording alone, so they are read once.
export function blocksOf(columns: BlockColumns): Block[] {
  let blocks = known.get(columns);
  if (!blocks) known.set(columns, blocks = read(columns));
  return blocks;
}

function read(columns: BlockColumns): Block[] {
  let begin = 0;
  return columns.begin.map((difference, i) => {
    begin += difference;
    const life = columns.life[i];
    return {site: columns.site[i], begin: begin * nsOfUs, bytes: columns.bytes[i],
            end: life < 0 ? Infinity : (begin + life) * nsOfUs};
  });
}

// Goes through the births and ends of blocks by time.
class Sweep {
  private readonly ends: number[];
  private born = 0;
  private ended = 0;
  // Those that are alive, the oldest one first.
  readonly alive = new Set<number>();
  height = 0;

  // `blocks`: by their begin.
  constructor(private readonly blocks: Block[]) {
    this.ends = blocks.map((_, i) => i).filter((i) => blocks[i].end !== Infinity)
      .sort((a, b) => blocks[a].end - blocks[b].end);
  }

  private get nextBirth(): number {
    return this.born < this.blocks.length ? this.blocks[this.born].begin : Infinity;
  }
  private get nextEnd(): number {
    return this.ended < this.ends.length ? this.blocks[this.ends[this.ended]].end : Infinity;
  }

  get next(): number {
    return Math.min(this.nextBirth, this.nextEnd);
  }

  // Comes to a time: what begins then is alive, and what ends then is not.
  comeTo(time: number): void {
    while (this.next <= time) {
      if (this.nextEnd <= this.nextBirth) this.end(this.ends[this.ended++]);
      else this.begin(this.born++);
    }
  }

  private begin(block: number): void {
    const {begin, end, bytes} = this.blocks[block];
    if (end <= begin) return;
    this.alive.add(block);
    this.height += bytes;
  }

  private end(block: number): void {
    if (this.alive.delete(block)) this.height -= this.blocks[block].bytes;
  }
}

// Returns for each column the moment at which its blocks held most.
function momentsOf(blocks: Block[], begin: number, end: number, count: number): Float64Array {
  const sweep = new Sweep(blocks);
  return Float64Array.from({length: count}, (_, column) => {
    let moment = begin + ((end - begin) * column) / count;
    const last = begin + ((end - begin) * (column + 1)) / count;
    sweep.comeTo(moment);
    for (let most = sweep.height; sweep.next < last;) {
      const time = sweep.next;
      sweep.comeTo(time);
      if (sweep.height > most) [most, moment] = [sweep.height, time];
    }
    return moment;
  });
}

// `blocks`: by their begin.
export function layoutOf(blocks: Block[], begin: number, end: number, count: number): Layout {
  const moments = momentsOf(blocks, begin, end, count);
  const heights = new Float64Array(count);
  const boxes: Box[] = [];
  let open = new Map<number, Box>();
  const sweep = new Sweep(blocks);
  for (let column = 0; column < count; column++) {
    sweep.comeTo(moments[column]);
    const now = new Map<number, Box>();
    let below = 0;
    for (const block of sweep.alive) {
      const before = open.get(block);
      if (before && before.below === below) {
        before.to = column + 1;
        now.set(block, before);
      } else {
        const box = {block, from: column, to: column + 1, below};
        boxes.push(box);
        now.set(block, box);
      }
      below += blocks[block].bytes;
    }
    heights[column] = below;
    open = now;
  }
  return {boxes, moments, heights};
}

// Returns the block at a column and a height, or -1.
export function blockAt({boxes}: Layout, blocks: Block[], column: number, bytes: number): number {
  const found = boxes.find(({block, from, to, below}) => from <= column && column < to &&
    below <= bytes && bytes < below + blocks[block].bytes);
  return found ? found.block : -1;
}
