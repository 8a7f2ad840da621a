// SPDX-License-Identifier: Apache-2.0
//
// Names are text: nothing of them runs, nothing is loaded, and what should not be on a page is not.
import fs from "node:fs";
import {dataOf, expect, require} from "./checks.mjs";
import {openPage} from "./browser.mjs";
import {madeData, pageOf} from "./made_page.mjs";
import {PageParts} from "./page_parts.mjs";

export async function hostileNames({browser, html}) {
  const {page, errors} = await openPage(browser, html);
  const parts = new PageParts(page);
  for (const tab of ["table", "source", "leaks", "blocks", "ledgers", "problems", "flame"]) {
    await parts.tab(tab);
    expect(await page.$$eval("img, iframe, object, embed, link", (found) => found.length), 0,
           `elements made of names in ${tab}`);
    expect(await page.$$eval("script", (found) => found.length), 2, `scripts in ${tab}`);
  }
  await parts.click("#unfold");
  await parts.tab("table");
  const names = (await parts.rows()).map(({name}) => name).join("\n");
  require(names.includes("<img src=x"), "the markup is shown as text");
  require(names.length < 200_000, "long names are cut");
  expect(errors, [], "errors");
}

export async function namesHaveNoControlCharacters({browser, html}) {
  const {page} = await openPage(browser, html);
  const parts = new PageParts(page);
  for (const tab of ["table", "leaks", "blocks", "problems"]) {
    await parts.tab(tab);
    const found = (await page.textContent("body")).match(
      /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
    expect(found, null, `control characters in ${tab}`);
  }
}

export async function aRecordingWithoutMemory({browser, bundle, folder}) {
  const data = madeData(10);
  data.spaces = [];
  data.nothing = "Nothing was allocated: so it is.";
  data.remarks = [["recording", "it was never begun"]];
  const html = `${folder}/empty.html`;
  fs.writeFileSync(html, pageOf(data, bundle));
  const {page, errors} = await openPage(browser, html);
  const text = await page.textContent("#page");
  for (const part of ["Nothing was allocated: so it is.", "it was never begun", "train.py --steps",
                      "12 s", "exit 0", "2026"]) {
    require(text.includes(part), `the page has "${part}": ${text}`);
  }
  await page.click("#theme");
  expect(await page.evaluate(() => document.documentElement.dataset.theme), "dark", "the theme");
  expect(errors, [], "errors");
}

// Damages the dump at some place until events are missing for a while in the middle of the run.
// (The events on both sides of a small gap may have one and the same time.)
function damagedPage({terminal, folder}) {
  const bytes = fs.readFileSync(terminal.dump);
  const [dump, html] = [`${folder}/damaged.bin`, `${folder}/damaged.html`];
  for (let part = 0.2; part < 0.9; part += 0.05) {
    const damaged = Buffer.from(bytes);
    damaged.fill(0x5a, Math.floor(part * bytes.length), Math.floor(part * bytes.length) + 300);
    fs.writeFileSync(dump, damaged);
    try {
      terminal.run(["html", dump, "-o", html]);
    } catch (error) {
      expect(error.status, 3, "the exit code of a damaged dump");
    }
    const {lost, program} = dataOf(html);
    if (lost.length === 0) continue;
    const [begin, end] = lost[0];
    require(begin <= end, `the gap from ${begin} ns does not end before it, at ${end} ns`);
    if (begin > 0 && begin < end && end < program.duration_ns) return html;
  }
  throw new Error("no damage lasted");
}

export async function aDamagedPartIsHatched({browser, terminal, folder}) {
  const html = damagedPage({terminal, folder});
  const {page, errors} = await openPage(browser, html);
  const note = await page.textContent("#lost");
  require(note.startsWith("Hatched: events are missing"), `it says so: ${note}`);
  require((await page.textContent(".head")).includes("incomplete"), "and so does the head");
  expect(errors, [], "errors");
}

// Compares the timelines of a page with and without a time in which events are missing. Returns the
// sentence below the timeline, the columns that differ, and where a time is drawn.
async function hatchOf(lost, {browser, bundle, folder}) {
  const pixels = [];
  let note = "";
  for (const times of [[], [lost]]) {
    const html = `${folder}/lost.html`;
    fs.writeFileSync(html, pageOf({...madeData(100, 10), lost: times}, bundle));
    const {page} = await openPage(browser, html);
    pixels.push(await page.evaluate(() => {
      const canvas = document.querySelector("#timeline canvas");
      const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const sums = new Array(canvas.width).fill(0);  // by column
      data.forEach((value, i) => (sums[Math.floor(i / 4) % canvas.width] += value));
      return sums;
    }));
    if (times.length > 0) note = await page.textContent("#lost");
  }
  const [plain, hatched] = pixels;
  const columns = [...plain.keys()].filter((column) => plain[column] !== hatched[column]);
  // The axis of bytes is in front of the plot, which shows 1.01 seconds.
  const at = (seconds) => 72 + (seconds / 1.01) * (plain.length - 72 - 32);
  return {note, columns, from: Math.min(...columns), to: Math.max(...columns), at};
}

export async function theHatchIsWhereEventsAreMissing(tools) {
  const {note, columns, from, to, at} = await hatchOf([4e8, 7e8], tools);
  require(note.includes("from 400 ms to 700 ms"), `it says when: ${note}`);
  require(columns.length > 100, "many lines");
  require(Math.abs(from - at(0.4)) < 4 && Math.abs(to - at(0.7)) < 4,
          `hatched from ${from} to ${to}, not from ${at(0.4)} to ${at(0.7)}`);
}

// Events on both sides of a gap may have one time: a narrow hatch, and no "from 400 to 400".
export async function aGapOfOneMomentIsHatched(tools) {
  const {note, columns, from, to, at} = await hatchOf([4e8, 4e8], tools);
  require(note.includes("after 400 ms"), `it says when: ${note}`);
  require(columns.length > 0 && Math.abs(from - at(0.4)) < 4 && to - from < 8,
          `hatched from ${from} to ${to}, not at ${at(0.4)}`);
}

// Without a time the page says that it is not known.
export async function damageWithoutATime({browser, bundle, folder}) {
  const data = madeData(10);
  data.program.damaged = true;
  const html = `${folder}/timeless.html`;
  fs.writeFileSync(html, pageOf(data, bundle));
  const {page, errors} = await openPage(browser, html);
  require((await page.textContent(".timeline")).includes("does not say when"), "it says so");
  expect(errors, [], "errors");
}

// Merged profiles of processes that did different steps have no histories.
export async function aRecordingWithoutSlices({browser, bundle, folder}) {
  const data = madeData(10);
  Object.assign(data.slices, {end_ns: [], steps: [], all_steps: 0});
  data.spaces[0].curve = [];
  data.spaces[0].sites.history = data.spaces[0].sites.history.map(() => []);
  const html = `${folder}/sliceless.html`;
  fs.writeFileSync(html, pageOf(data, bundle));
  const {page, errors} = await openPage(browser, html);
  const parts = new PageParts(page);
  for (const tab of ["table", "source", "leaks", "blocks", "ledgers", "problems", "flame"]) {
    await parts.tab(tab);
  }
  await parts.press("p");
  await parts.tab("table");
  expect((await parts.sums()).peak, data.spaces[0].totals.peak, "the peak");
  expect(errors, [], "errors");
}

export async function aPageOfItsOwn({html}) {
  const text = fs.readFileSync(html, "utf8");
  expect(text.match(/<script/g).length, 2, "scripts");
  require(!/\ssrc=["']?https?:|@import|<link/.test(text), "the page loads nothing");
  require(text.includes("default-src 'none'"), "and its policy forbids it");
}

export async function privacy({terminal, folder}) {
  const html = `${folder}/private.html`;
  terminal.run(["html", terminal.dump, "-o", html, "--no-command", "--no-source", "--short-paths"]);
  const data = dataOf(html);
  const text = JSON.stringify(data);
  require(!text.includes("secret-argument"), "no argument is left");
  require(!text.includes("/home/me"), "no folder is left");
  require(!text.includes("kept.append"), "no source line is left");
  const all = JSON.stringify(dataOf(`${folder}/story.html`));
  for (const shown of ["secret-argument", "/home/me", "kept.append"]) {
    require(all.includes(shown), `${shown} is on a page without the options`);
  }
}

export async function bounded({html, terminal}) {
  require(fs.statSync(html).size <= 2_000_000, "a page has at most 2 MB");
  const output = terminal.run(["html", terminal.dump, "-o", `${terminal.folder}/again.html`]);
  require(output.includes("opens in any browser"), output);
}
