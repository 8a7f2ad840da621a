// SPDX-License-Identifier: Apache-2.0
//
// The numbers on the page equal the terminal's, for the whole run and for ranges.
import {dataOf, expect, require, timeOf} from "./checks.mjs";
import {openPage, settle} from "./browser.mjs";
import {PageParts} from "./page_parts.mjs";

const totals = {
  peak: "peak_bytes", held: "held_bytes", allocated: "allocated_bytes", calls: "allocations",
  temporary: "temporary",
};

export async function sumsOfTheWholeRun({browser, html, terminal}) {
  const {page, errors} = await openPage(browser, html);
  const parts = new PageParts(page);
  await parts.tab("table");
  const json = terminal.json("sites");
  for (const [name, space] of Object.entries(json.spaces)) {
    if (!(await page.$(`#space option[value="${name}"]`))) continue;
    await parts.space(name);
    const sums = await parts.sums();
    for (const [measure, key] of Object.entries(totals)) {
      // A sample does not know what is temporary, and has no column of it.
      expect(sums[measure] ?? null, space[key], `${name}: ${measure}`);
    }
  }
  expect(errors, [], "errors");
}

export async function linesOfTheWholeRun({browser, html, terminal}) {
  const {page} = await openPage(browser, html);
  const parts = new PageParts(page);
  await parts.tab("table");
  const lines = terminal.json("summary").own_lines.filter((line) => line.space === "host");
  await parts.space("host");
  const rows = await parts.rows();
  for (const [measure, key] of [["peak", "at_peak_bytes"], ["held", "held_bytes"]]) {
    const values = (list, value) => list.map(value).filter((bytes) => bytes !== 0)
      .sort((a, b) => a - b);
    expect(values(rows, (row) => row[measure]), values(lines, (line) => line[key]),
           `rows ${measure}`);
  }
  // Call sites add up to the same.
  const byLine = await parts.sums();
  await parts.click("#by-site");
  expect(await parts.sums(), byLine, "sums of call sites");
  const sites = await parts.rows();
  expect(sites.reduce((sum, row) => sum + row.peak, 0), byLine.peak, "call sites at the peak");
}

// What a thread acquired is what --thread shows, except at the peak, which is that of all threads.
export async function sumsOfThreads({browser, html, terminal}) {
  const {page, errors} = await openPage(browser, html);
  const parts = new PageParts(page);
  await parts.tab("table");
  const atPeak = terminal.json("threads").thread_memory;
  const threads = await page.$$eval("#thread option", (options) =>
    options.map(({value, textContent}) => ({value, name: textContent})).slice(1));
  require(threads.length >= 3, `three threads can be chosen: ${JSON.stringify(threads)}`);
  let held = 0;
  for (const {value, name} of threads) {
    const tid = name.split(" ")[0];
    await page.selectOption("#thread", value);
    await settle(page);
    const {spaces} = terminal.json("sites", ["--thread", tid]);
    for (const space of ["host", "mmap"]) {
      await parts.space(space);
      const sums = await parts.sums();
      for (const measure of ["held", "allocated", "calls", "temporary"]) {
        expect(sums[measure], spaces[space]?.[totals[measure]] ?? 0,
               `${name}: ${space} ${measure}`);
      }
      const thread = atPeak.find((thread) => String(thread.tid) === tid).spaces[space];
      expect(sums.peak, thread?.at_peak_bytes ?? 0, `${name}: ${space} at the peak`);
      if (space === "host") held += sums.held;
    }
  }
  await parts.space("host");
  expect(held, terminal.json("sites").spaces.host.held_bytes, "all threads together");
  // A range is of all threads.
  await parts.drag(0.3, 0.7);
  expect(await page.$eval("#thread", ({value}) => value), "-1", "the thread of a range");
  await page.selectOption("#thread", threads[0].value);
  await settle(page);
  expect((await parts.range()).from, 0, "a thread is of the whole run");
  await parts.tab("flame");
  const sum = await parts.text("p.caption strong");
  await parts.tab("table");
  expect(await parts.text('tfoot td[data-measure="peak"]'), sum, "the flame graph of a thread");
  expect(errors, [], "errors");
}

// A range that ends at the last border has everything until the recording ended.
async function checkRange(parts, terminal, space, last) {
  const {from, to} = await parts.range();
  const end = to === last ? [] : ["--to", timeOf(to)];
  const of = (words) => {
    const json = terminal.json("sites", words);
    return json.spaces[space] ?? {allocations: 0, allocated_bytes: 0, held_bytes: 0};
  };
  const until = of(end);
  const before = from === 0 ? {held_bytes: 0, allocations: 0}
                            : of(["--to", timeOf(from)]);
  const inside = of([...(from === 0 ? [] : ["--from", timeOf(from)]), ...end]);
  const sums = await parts.sums();
  const where = `${space} ${timeOf(from)} to ${timeOf(to)}`;
  expect(sums.held, until.held_bytes, `${where}: held at its end`);
  expect(sums.grown, until.held_bytes - before.held_bytes, `${where}: grown`);
  expect(sums.calls, inside.allocations, `${where}: calls`);
  for (const measure of ["allocated", "temporary"]) {
    if (measure in sums) expect(sums[measure], inside[totals[measure]], `${where}: ${measure}`);
  }
}

export async function sumsOfRanges({browser, html, terminal}) {
  const last = dataOf(html).slices.end_ns.at(-1);
  const {page, errors} = await openPage(browser, html);
  const parts = new PageParts(page);
  await parts.tab("table");
  for (const space of ["host", "mmap"]) {
    await parts.space(space);
    for (const [from, to] of [[0.3, 0.7], [0.01, 0.2], [0.55, 0.56], [0.5, 0.999]]) {
      await parts.drag(from, to);
      await checkRange(parts, terminal, space, last);
      await parts.press("a");
    }
  }
  expect(errors, [], "errors");
}

export async function linesOfARange({browser, html, terminal}) {
  const {page} = await openPage(browser, html);
  const parts = new PageParts(page);
  await parts.tab("table");
  await parts.space("host");
  await parts.drag(0.3, 0.7);
  const {to} = await parts.range();
  const lines = terminal.json("summary", ["--to", timeOf(to)]).own_lines
    .filter((line) => line.space === "host");
  const held = (await parts.rows()).map((row) => row.held).filter((bytes) => bytes !== 0);
  // In a range that begins with the run, what was left is what was held.
  const wanted = terminal.json("sites", ["--to", timeOf(to)]).sites
    .filter((site) => site.space === "host").reduce((sum, site) => sum + site.leaked_bytes, 0);
  expect(held.reduce((a, b) => a + b, 0), wanted, "lines held");
  require(lines.length > 0, "there are lines in the range");
}

export async function peakOfARange({browser, html, terminal}) {
  const {page} = await openPage(browser, html);
  const parts = new PageParts(page);
  await parts.tab("table");
  await parts.space("host");
  const peak = terminal.json("sites").spaces.host;
  await parts.press("p");
  const {from, to} = await parts.range();
  require(from <= peak.peak_time_ns && peak.peak_time_ns < to, "p chooses the slice of the peak");
  expect((await parts.sums()).peak, peak.peak_bytes, "the peak in its slice");
  await parts.press("]");
  const at = await page.$eval("#card-lines strong", (strong) => Number(strong.dataset.value));
  expect((await parts.sums()).peak, at, "the card has the sum of the table");
  // It may begin at the moment of the peak.
  require(at <= peak.peak_bytes, "no slice has more");
}

// The page's slices are others than those by which growth is judged.
export async function growthIsThatOfTheTerminal({html, terminal}) {
  const page = dataOf(html).leaks;
  const {growth} = terminal.json("growth");
  const keys = ["space", "verdict", "held_bytes", "grown_bytes", "grown_blocks", "since_ns",
                "sites", "why"];
  const of = (findings) => findings.slice(0, 30).map((finding) =>
    keys.map((key) => finding[key]));
  expect(of(page.findings), of(growth.findings), "findings");
  expect(page.points, growth.points, "judged slices");
}

// What is held at the last border is what was held when the work ended.
export async function theRangesReachTheEndOfTheWork({browser, html, terminal}) {
  const {page} = await openPage(browser, html);
  const parts = new PageParts(page);
  await parts.tab("table");
  const {spaces} = terminal.json("sites");
  await parts.space("host");
  await parts.press("[");  // the last slice
  const sums = await parts.sums();
  expect(sums.held, spaces.host.held_bytes, "held at the last border");
}
