// SPDX-License-Identifier: Apache-2.0
//
// What grows, on a page made by hand: its lines, its curves over time, and the links to it.
import fs from "node:fs";
import {expect, require} from "./checks.mjs";
import {openPage} from "./browser.mjs";
import {madeData, pageOf} from "./made_page.mjs";
import {PageParts} from "./page_parts.mjs";

// Four findings. The slices that are judged end in the first half of the run.
function growingData() {
  const data = madeData(10);
  const ends = [1e8, 2e8, 3e8, 60e8];
  const finding = (i) => ({
    space: "host", verdict: "leak", is_growth: true, confidence: 0.9, held_bytes: 4000,
    held_blocks: 4, grown_bytes: 4000, grown_blocks: 4, acquired_blocks: 4, grown_steps: 4,
    since_ns: 0, sites: 8, per_step: null, per_hour: 1000, why: "", reason: "", frames: [i],
    lines: i === 0 ? [0, 4, 8, 12, 16, 20, 24].map((frame) => [frame, 1 / 7]) : [[4 * i, 1]],
    held: [1000, 2000, 3000, 4000], born: [1000, 1000, 1000, 1000],
  });
  data.leaks = {...data.leaks, ends_ns: ends, findings: [0, 1, 2, 3].map(finding),
                all_findings: 4};
  return data;
}

async function openMade({browser, bundle, folder}, data) {
  const html = `${folder}/leaks.html`;
  fs.writeFileSync(html, pageOf(data, bundle));
  const {page, errors} = await openPage(browser, html);
  return {page, errors, parts: new PageParts(page)};
}

export async function aFindingOfManyLinesNamesThem(tools) {
  const {parts, errors} = await openMade(tools, growingData());
  require((await parts.text(".findings .name")).endsWith("function_0, and 6 lines more"),
          "the first screen");
  await parts.tab("leaks");
  const card = await parts.text("article.finding");
  require(card.includes("function_0, and 6 lines more"), `its title: ${card}`);
  require(card.includes("through these lines of your code14.3 % train.py:1 function_0"), card);
  require(card.includes("14.3 % train.py:17 function_16") && card.includes("2 lines more"), card);
  const one = await parts.page.$$eval("article.finding", (cards) => cards[1].textContent);
  require(!one.includes("through") && !one.includes("more"), `a finding of one line: ${one}`);
  expect(errors, [], "errors");
}

// The judged slices end at 100, 200 and 300 ms and at 6 s of 12 s; the page's every 100 ms.
export async function curvesOfGrowthAreDrawnOverTime(tools) {
  const {page, parts} = await openMade(tools, growingData());
  await parts.tab("leaks");
  const path = await page.$eval("article.finding path", (path) => path.getAttribute("d"));
  const ends = [...path.matchAll(/H([\d.]+)/g)].map(([, x]) => Number(x));
  expect(ends, [2, 4, 6, 8], "where the slices end, of 240");
  const bars = await page.$eval("article.finding figure:nth-child(2)", (figure) =>
    [...figure.querySelectorAll("rect")].map((bar) => Number(bar.getAttribute("x"))));
  expect(bars, [0, 2, 4, 6], "where the survivors were made");
}

// The first screen says which findings are leaks, and which only grow.
export async function growthThatIsNotSureIsNoLeak(tools) {
  const data = growingData();
  data.leaks.findings = data.leaks.findings.slice(0, 3);
  Object.assign(data.leaks.findings[1], {verdict: "growing"});
  Object.assign(data.leaks.findings[2], {verdict: "growing"});
  const {parts, page} = await openMade(tools, data);
  expect(await parts.text("#card-growth"), "1 leak, 2 more growing, not sure", "the title");
  const notes = await page.$$eval(".findings .note", (found) => found.map((n) => n.textContent));
  expect(notes.map((note) => note.startsWith("not sure; ")), [false, true, true], "each finding");
}

// What came late in the first slice that is judged is not drawn from its begin on, and what does
// not grow has not the colour of growth.
export async function aBlockThatCameLateIsDrawnLate(tools) {
  const data = growingData();
  data.leaks.ends_ns = [9e9, 10e9, 11e9, 12e9];
  const [late, other] = data.leaks.findings;
  late.held = Array.from({length: 120}, (_, i) => (i < 80 ? 0 : 4000));
  Object.assign(late, {is_growth: false, verdict: "constant", born: [4000, 0, 0, 0]});
  other.born = [1, 1, 1, 1];
  const {page, parts} = await openMade(tools, data);
  await parts.tab("leaks");
  const colours = (card) => page.$$eval(`${card} figure:nth-child(2) rect`, (bars) =>
    [...new Set(bars.map((bar) => bar.getAttribute("fill")))]);
  const isOf = "article.finding:not(.grows)";
  const path = await page.$eval(`${isOf} path`, (found) => found.getAttribute("d"));
  const first = [...path.matchAll(/V([\d.]+)H([\d.]+)/g)].find(([, y]) => Number(y) < 40);
  require(Number(first[2]) > 160, `nothing before two thirds of the run: ${path.slice(0, 60)}`);
  expect(await colours(isOf), ["var(--step)"], "bars of no growth");
  expect(await colours("article.finding.grows"), ["var(--growth)"], "bars of growth");
}

export async function aLinkOfTheFirstScreenGoesToItsFinding(tools) {
  const {page, parts, errors} = await openMade(tools, growingData());
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  for (const [index, line] of [[1, "function_4"], [2, "function_8"], [0, "function_0,"]]) {
    await parts.tab("flame");
    await parts.click(`.findings li:nth-child(${index + 1}) button`);
    require((await focused()).startsWith(`LEAK train.py:${4 * index + 1} ${line}`),
            `finding ${index}: ${await focused()}`);
    expect(await page.$eval("article.finding:focus", (card) => {
      const {top, bottom} = card.getBoundingClientRect();
      return bottom > 0 && top < window.innerHeight;
    }), true, "it is in sight");
  }
  await parts.click("[aria-labelledby=card-growth] > button.link");
  require((await focused()).includes("function_12"), "the others begin with the fourth");
  expect(errors, [], "errors");
}

// Returns a ledger of the resident set, half of which is not explained.
function hostLedger(parts, more = {}) {
  const bytes = Object.values(parts).reduce((sum, part) => sum + part, 0);
  const moment = {time_ns: 1e9, resident: 2 * bytes, parts, not_explained: bytes, pinned: 0,
                  free_at_top: 0};
  return {absent: null, highest: null, highest_sample: 0, missed_peak: false, peak: moment,
          end: moment, ...more};
}

// Returns data with mappings: of one line of the user's, or of a library. `inMemory`: bytes of them
// in the resident set, where it is known.
function mappedData(isOwn, bytes, inMemory) {
  const data = madeData(10);
  if (inMemory !== undefined) data.ledgers.host_ledger = hostLedger({mappings: inMemory});
  const [host] = data.spaces;
  const index = data.rows.findIndex(([kind]) => (kind === "line") === isOwn);
  const sites = Object.fromEntries(Object.entries(host.sites).map(([name, values]) =>
    [name, values.map((value) => (name === "peak" ? bytes / 10 : value))]));
  sites.row = sites.row.map(() => index);
  data.spaces = [host, {...host, name: "mmap", peak_bytes: bytes, sites}];
  return data;
}

export async function thePageBeginsWithTheSpaceThatMatters(tools) {
  const {peak_bytes: bytes} = madeData(10).spaces[0];
  for (const [wanted, isOwn, most, inMemory] of [
    ["mmap", true, 3 * bytes], ["host", true, 1.5 * bytes], ["host", false, 9 * bytes],
    ["mmap", true, 9 * bytes, 3 * bytes], ["host", true, 9 * bytes, 1.5 * bytes]]) {
    const {page} = await openMade(tools, mappedData(isOwn, most, inMemory));
    expect(await page.inputValue("#space"), wanted,
           `own: ${isOwn}, ${most} bytes mapped, ${inMemory} in memory`);
  }
}

export async function theResidentSetIsThatOfThePeak(tools) {
  const mib = 2 ** 20;
  const parts = {heap: 20 * mib};
  for (const [more, wanted] of [
    [{}, "Resident: 40.0 MiB at most, after 1 s"],
    [{missed_peak: true, highest: 60 * mib, highest_sample: 50 * mib},
     "Resident: 60.0 MiB at most; 40.0 MiB when memtrace looked, after 1 s"]]) {
    const data = madeData(10);
    data.ledgers.host_ledger = hostLedger(parts, more);
    const {page} = await openMade(tools, data);
    const title = (await page.textContent("#card-resident")).replace("MiBat", "MiB at");
    expect(title, wanted, "the title of the card");
  }
}
