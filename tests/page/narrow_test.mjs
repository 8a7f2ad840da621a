// SPDX-License-Identifier: Apache-2.0
//
// Recordings of very many call sites: stacks that are folded, boxes that are too narrow, files with
// more lines than a page draws, names that are longer than their room.
import fs from "node:fs";
import {expect, require} from "./checks.mjs";
import {openPage, settle} from "./browser.mjs";
import {madeData, pageOf} from "./made_page.mjs";
import {PageParts} from "./page_parts.mjs";

const siteCount = 20000;
const functionName = `_Z4grow${"ISt3mapINSt7__cxx11".repeat(30)}`;

// Each call site is a line of its own and has 10 bytes, but for the first, whose stack is folded.
function dataOfMany(count = siteCount) {
  const data = madeData(2, 2);
  data.texts = ["", "/home/me/sites.c", functionName, "sites.c"];
  const lines = Array.from({length: count}, (_, i) => 3 * i + 1);
  const same = (value) => lines.map(() => value);
  data.frames = {function: same(2), file: same(1), line: lines, group: same(3), flags: same(1)};
  data.nodes = {parent: [0, ...same(0)], frame: [-1, ...lines.keys()], all: count + 1};
  data.rows = lines.map((line, i) => ["line", `${functionName} src/sites.c:${line}`, i]);
  const [space] = data.spaces;
  const {sites} = space;
  for (const name of Object.keys(sites)) sites[name] = same(10);
  sites.node = lines.map((_, i) => (i === 0 ? 0 : i + 1));
  sites.row = [...lines.keys()];
  sites.folded = lines.map((_, i) => (i === 0 ? 1 : 0));
  sites.peak[0] = 10 * count;
  sites.history = lines.map(() => [0, 10, 1, 1, 10]);
  space.totals.peak = sites.peak.reduce((a, b) => a + b, 0);
  data.sources = [{file: 1, is_changed: false,
                   lines: Array.from({length: 3 * count}, (_, i) => [i + 1, `line ${i + 1}`])}];
  data.phases = [[5e7, 9e7, 0, "serve"]];
  return data;
}

async function open({browser, bundle, folder}, data, name = "narrow", size = undefined) {
  const html = `${folder}/${name}.html`;
  fs.writeFileSync(html, pageOf(data, bundle));
  const {page, errors} = await openPage(browser, html);
  if (size) await page.setViewportSize(size);
  await settle(page);
  return {page, errors, parts: new PageParts(page)};
}

// The labels of the cards can be read whole, on a desk and on a tablet.
export async function labelsOfTheResidentCardAreWhole(tools) {
  const data = dataOfMany(100);
  const names = ["heap_blocks", "heap_overhead", "heap_free", "mappings", "gpu_driver",
                 "files"];
  const parts = Object.fromEntries(names.map((name, i) => [name, 100e6 - 9e6 * i]));
  data.ledgers.host_ledger = {
    absent: null, highest: 342e6, highest_sample: 342e6, missed_peak: false,
    peak: {time_ns: 1e8, resident: 342e6, parts, not_explained: 0, pinned: 0, free_at_top: 0},
    end: null,
  };
  const {page} = await open(tools, data);
  for (const width of [1280, 1001, 1000, 820, 770, 390]) {
    await page.setViewportSize({width, height: 800});
    await settle(page);
    const cut = await page.$$eval("ul.parts .name", (names) =>
      names.filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent));
    expect(cut, [], `labels that are cut at ${width}`);
    require((await page.$$("ul.parts .name")).length >= 3, "there are labels");
  }
}

// Names of hundreds of functions may begin and end alike.
export async function longNamesCanBeToldApart(tools) {
  const data = dataOfMany(60);
  const nameOf = (i) => `function_with_a_rather_long_name_that_is_longer_than_its_room_number_` +
                        `${i % 7}_of_${i}_${"abcdefghij".repeat(8)} module.py:12`;
  data.rows = data.rows.map((_, i) => ["line", nameOf(i), i]);
  const {page, parts} = await open(tools, data);
  await parts.tab("table");
  const names = await page.$$eval("tr[data-key] span.name", (found) => found.map((name) => {
    const box = name.querySelector(".function");
    return {title: name.title, text: box.textContent, room: box.clientWidth / box.scrollWidth};
  }));
  expect(names.length, 60, "the rows");
  expect(new Set(names.map(({title}) => title)).size, 60, "whole names for the pointer");
  require(names.every(({title}) => title.includes("module.py:12")), names[0].title);
  const seen = names.map(({text, room}) => text.slice(0, Math.floor(text.length * room) - 2));
  expect(new Set(seen).size, 60, `names that are to be seen: ${seen.slice(0, 3).join(" | ")}`);
  const lines = await page.$$eval("ol.lines .name .function",
                                  (found) => found.map(({textContent}) => textContent));
  expect(new Set(lines).size, lines.length, "lines of the first screen");
}

// The head shrinks before it is wider than the window, whatever it has to say.
export async function theHeadFitsEveryWidth(tools) {
  const data = dataOfMany(100);
  data.program.title = "a-program-with-a-long-name --and many --options";
  data.program.events = 123456789012;
  data.filters = ["--thread", "a thread with a name", "--own"];
  data.remarks = [["recording", "one"], ["recording", "two"]];
  const {page} = await open(tools, data);
  for (let width = 320; width <= 1300; width += 14) {
    await page.setViewportSize({width, height: 800});
    await settle(page);
    const found = await page.evaluate(() => document.documentElement.scrollWidth);
    require(found <= width, `the page is ${found} wide on ${width}`);
    const help = await page.$eval("#help", (button) => button.getBoundingClientRect().right);
    require(help <= width, `the last button ends at ${help} on ${width}`);
  }
}

const rowHeight = 21;

// What the pointer reads at a part of the graph's width.
async function at(page, row, part, event = "mousemove") {
  await page.$eval("canvas.flame", (canvas, [y, x, type]) => {
    const {left, top, width} = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new MouseEvent(type, {clientX: left + x * width, clientY: top + y}));
  }, [(row + 0.5) * rowHeight, part, event]);
  await settle(page);
  return page.textContent("p.caption .name");
}

export async function aRunOfNarrowCallsIsOneBoxThatOpens(tools) {
  for (const size of [{width: 1280, height: 800}, {width: 390, height: 844}]) {
    const {page, errors, parts} = await open(tools, dataOfMany(), "narrow", size);
    expect(await at(page, 1, 0.25), "folded to keep the page small", "the folded stack");
    let name = await at(page, 1, 0.75);
    let last = Infinity;
    let row = 1;
    for (let zooms = 0; !name.startsWith(functionName); zooms++) {
      const [, count] = /^([\d,]+) calls, each too narrow to draw$/.exec(name);
      const now = Number(count.replaceAll(",", ""));
      require(now < last && zooms < 10, `fewer calls with each zoom: ${now} of ${last}`);
      last = now;
      await at(page, row, zooms === 0 ? 0.75 : 0.01, "click");
      row++;
      name = await at(page, row, 0.01);
    }
    require(name.endsWith(":2") || /sites\.c:\d+$/.test(name), name);
    await page.focus("canvas.flame");
    await parts.press("Home");
    expect(await page.$$eval("nav.trail button.crumb", (crumbs) => crumbs.length), 0, "all again");
    await parts.press("f");
    await parts.press("c");
    expect(errors, [], "errors");
    await page.close();
  }
}

export async function whatIsFoldedIsNotCalledUnrecorded(tools) {
  const {page, errors, parts} = await open(tools, dataOfMany(50));
  await parts.tab("table");
  await page.click("#by-site");
  await settle(page);
  expect(await page.textContent("tbody tr .name"), "folded to keep the page small", "its row");
  await page.click("tbody tr button.open");
  await settle(page);
  expect(await page.textContent(".details ol.stack"), "folded to keep the page small", "its stack");
  require(!(await page.textContent("#page")).includes("no stack was recorded"), "nowhere");
  expect(errors, [], "errors");
}

export async function aLongFileIsShownInParts(tools) {
  const {page, errors, parts} = await open(tools, dataOfMany());
  await parts.tab("source");
  const rows = () => page.$$eval("tr[data-line]", (found) => found.length);
  expect(await rows(), 400, "at first");
  require((await page.$$eval("*", (all) => all.length)) < 20000, "few elements");
  expect(await page.$eval('tr[data-line="1"] td.number', ({dataset}) => dataset.value),
         String(10 * siteCount), "the line with most memory");
  await page.click("#more-lines");
  await settle(page);
  expect(await rows(), 1600, "more");
  await page.click("#whole-file");
  await settle(page);
  expect(await rows(), 400, "all lines, in parts");
  expect(await parts.text("#more-lines"),
         "Show more (59,600 lines with less memory, or none, are left out)", "the rest");
  expect(errors, [], "errors");
}

export async function aShortFileIsShownAsAWhole(tools) {
  const {page, parts} = await open(tools, dataOfMany(20));
  await parts.tab("source");
  await page.click("#whole-file");
  await settle(page);
  expect(await page.$$eval("tr[data-line]", (found) => found.length), 60, "lines");
  expect(await page.$("#more-lines"), null, "nothing more");
}

export async function thePlaceOfALongNameStaysInSight(tools) {
  for (const size of [{width: 1280, height: 800}, {width: 390, height: 844}]) {
    const {page, parts} = await open(tools, dataOfMany(20), "narrow", size);
    await parts.tab("table");
    for (const list of ["ol.lines li.line", "table.sites tbody th"]) {
      const isInside = await page.$eval(list, (item) => {
        const [place, all] = [item.querySelector(".place"), item].map(
          (element) => element.getBoundingClientRect());
        return place.width > 60 && place.left >= all.left && place.right <= all.right + 1;
      });
      require(isInside, `${list} at ${size.width}: the place is cut off`);
    }
    await page.close();
  }
}

export async function aPhaseSaysWhenItBegins(tools) {
  const {page} = await open(tools, dataOfMany(20));
  expect(await page.$$eval("#phase option", (all) => all.map(({textContent}) => textContent)),
         ["Phase…", "serve (after 50 ms)"], "phases");
}

export async function anEstimateIsMarkedEverywhere(tools) {
  const data = dataOfMany(20);
  data.spaces[0].is_estimate = true;
  const {page, parts} = await open(tools, data);
  require((await page.textContent("#space option")).startsWith("host (~"), "the list of spaces");
  require((await parts.text("p.caption strong")).startsWith("~"), "the flame graph");
  await parts.tab("table");
  await page.click("tbody tr button.open");
  await settle(page);
  require((await page.textContent(".details strong")).startsWith("~"), "a stack");
  require((await page.textContent(".details figcaption")).includes("at most ~"), "its curve");
  await parts.tab("source");
  require((await page.textContent('tr[data-line="1"] td.number')).startsWith("~"), "a line");
}
