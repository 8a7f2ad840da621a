// SPDX-License-Identifier: Apache-2.0
//
// The commands that print in the terminal what the page shows. Not every figure of a range is one
// of `sites --from A --to B`, which is about what the range allocated: older memory is only in its
// peak. A command that cannot run is not shown.

import {exactSeconds, shellWord, timeText} from "./format";
import type {Phase} from "./phases";
import {everyThread, type Measure, type Profile, type Range} from "./profile";
import type {View} from "./state";

// Sentences and commands, in the order in which they are shown.
export type Said = {command: string} | {text: string};

const orders: Record<Measure, string> = {
  peak: "at-peak", held: "held", grown: "held", allocated: "allocated", calls: "allocations",
  temporary: "temporary",
};

// `thread` stands in for those that the page is limited to. Without borders it is of the whole run,
// and a range that ends at the last border has no end: the recording goes on a little further.
function commandOf(profile: Profile, name: string, order: Measure, {from, to}: Range,
                   thread = ""): Said {
  const {program, filters} = profile.data;
  const others = filters.filter((word, i) => word !== "--thread" && filters[i - 1] !== "--thread");
  const words = ["memtrace-report", name, program.dump,
                 ...(thread === "" ? filters : [...others, "--thread", thread])];
  if (from > 0) words.push("--from", exactSeconds(profile.borders[from]));
  if (to < profile.last) words.push("--to", exactSeconds(profile.borders[to]));
  if (order !== "peak" && name === "sites") words.push("--sort", orders[order]);
  return {command: words.map(shellWord).join(" ")};
}

// Returns the command that prints the measure of one phase. A name stands for all phases of that
// name, and some names are shown in another form than they have: then the times stand for the
// phase.
export function phaseCommand(profile: Profile, measure: Measure,
                             {name, begin, end}: Phase): string {
  const {program, filters, phases, left_out: left} = profile.data;
  const isAll = left.phases + left.phases_without_end === 0;
  const isKnown = isAll && /^[\w][\w .:/()+-]*$/.test(name) &&
                  phases.filter(([, , , other]) => other === name).length === 1;
  const part = isKnown ? ["--phase", name]
    : ["--from", exactSeconds(begin), "--to", exactSeconds(end)];
  const order = measure === "peak" ? [] : ["--sort", orders[measure]];
  return ["memtrace-report", "sites", program.dump, ...filters, ...part, ...order]
    .map(shellWord).join(" ");
}

function ofThread(profile: Profile, {measure, range, thread}: View): Said[] {
  const [tid] = profile.data.threads[thread] ?? [0];
  if (tid === 0) return [];
  // What a thread held at its own peak is another figure than what it held at the space's.
  return [measure === "peak" ? commandOf(profile, "threads", measure, range)
                             : commandOf(profile, "sites", measure, range, String(tid))];
}

// Returns how the terminal prints the chosen figures.
export function inTerminal(profile: Profile, view: View): Said[] {
  const {measure, range} = view;
  const {program} = profile.data;
  const sites = (part: Range) => commandOf(profile, "sites", measure, part);
  const until = (border: number) => sites({from: 0, to: border});
  const isWhole = profile.isWhole(range);
  if (program.processes > 1) {
    return [{text: isWhole ? "In the terminal: memtrace-report sites, and the merged profile."
      : "A profile has no events, so only this page knows parts of its time."}];
  }
  if (view.thread !== everyThread) return ofThread(profile, view);
  const compacted: Said[] = !isWhole && program.is_compacted
    ? [{text: "(of a copy of the dump from before it was compacted)"}] : [];
  switch (measure) {
    case "held": return [until(range.to), ...compacted];
    case "grown":
      if (range.from === 0) return [until(range.to), ...compacted];
      return [{text: "What was held at the end,"}, until(range.to),
              {text: "less what was held at its beginning:"}, until(range.from), ...compacted];
    case "peak": {
      const space = profile.space(view.space);
      if (profile.hasPeak(space, range)) {
        const estimate: Said[] = !isWhole && space.data.is_estimate
          ? [{text: "(which estimates the peak from the samples of the range alone)"}] : [];
        return [sites(range), ...estimate, ...compacted];
      }
      const border = profile.highestBorder(space, range);
      return [{text: `Held after ${timeText(profile.borders[border])}:`},
              commandOf(profile, "sites", "held", {from: 0, to: border}),
              {text: "The peak between borders may be higher:"}, sites(range), ...compacted];
    }
    default: return [sites(range), ...compacted];
  }
}
