// SPDX-License-Identifier: Apache-2.0
//
// Ranges are chosen by phases and by a finger; and texts of times and amounts are whole and of one
// form.
import fs from "node:fs";
import {expect, require} from "./checks.mjs";
import {openPage, phone, settle} from "./browser.mjs";
import {madeData, pageOf} from "./made_page.mjs";
import {PageParts} from "./page_parts.mjs";

// Moves a finger from one place of the timeline, in parts of its size, to another.
async function touch(page, from, to) {
  const box = await (await page.$("#timeline .u-over")).boundingBox();
  const client = await page.context().newCDPSession(page);
  const send = (type, points) =>
    client.send("Input.dispatchTouchEvent", {type, touchPoints: points});
  const at = ([x, y]) => [{x: box.x + x * box.width, y: box.y + y * box.height}];
  await send("touchStart", at(from));
  for (let i = 1; i <= 5; i++) {
    await send("touchMove", at(from.map((place, k) => place + ((to[k] - place) * i) / 5)));
  }
  await send("touchEnd", []);
  await settle(page);
}

export async function aFingerChoosesARange({browser, html}) {
  const {page, errors} = await openPage(browser, html, {viewport: phone, hasTouch: true});
  const parts = new PageParts(page);
  const whole = await parts.range();
  await touch(page, [0.2, 0.5], [0.6, 0.5]);
  const {from, to} = await parts.range();
  require(Math.abs(from / whole.to - 0.2) < 0.1 && Math.abs(to / whole.to - 0.6) < 0.1,
          `from ${from} to ${to} of ${whole.to}`);
  const drawn = await page.$eval("#timeline .u-select", (select) => select.clientWidth);
  expect(drawn, 0, "the chosen part is no longer marked");
  // A finger that moves down scrolls the page.
  await touch(page, [0.2, 0.9], [0.2, -2]);
  expect(await parts.range(), {from, to}, "the range stays");
  expect(errors, [], "errors");
}

async function openMade({browser, bundle, folder}, data, options) {
  const html = `${folder}/timeline.html`;
  fs.writeFileSync(html, pageOf(data, bundle));
  const {page} = await openPage(browser, html, options);
  return {page, parts: new PageParts(page)};
}

export async function bandsSayWhereTheyEnd(tools) {
  const data = madeData(10);
  data.program.duration_ns = 130e8;
  const {parts} = await openMade(tools, data);
  await parts.tab("blocks");
  expect(await parts.text("#after-work"),
         "Bands end when the work ended, after 12 s; the process went on until 13 s.", "the note");
  await parts.press("p");
  expect(await parts.text("#after-work"), "", "a range ends earlier");
}

// Labels are drawn on a canvas: the last one must have room to the right of its tick.
export async function theLastTickIsNotCutOff(tools) {
  const data = madeData(10, 3);
  data.program.duration_ns = 3e8;
  const {page} = await openMade(tools, data);
  const free = await page.evaluate(() => {
    const canvas = document.querySelector("#timeline canvas");
    const {data} = canvas.getContext("2d").getImageData(0, canvas.height - 20, canvas.width, 20);
    let last = 0;
    for (let i = 3; i < data.length; i += 4) {
      if (data[i] > 0) last = Math.max(last, (i >> 2) % canvas.width);
    }
    return canvas.width - 1 - last;
  });
  require(free >= 3, `${free} pixels are free behind the last label`);
}

export async function timesAreThoseOfTheTerminal(tools) {
  const data = madeData(10);
  data.program.duration_ns = 931e3;
  data.slices.end_ns = data.slices.end_ns.map((_, i) => 1000 * (i + 1));
  data.slices.end_ns[119] = 931e3;
  data.slices.end_ns[118] = 930999;
  const {page, parts} = await openMade(tools, data);
  require((await parts.text(".head")).includes("931 us"), "microseconds");
  await parts.press("[");
  expect(await page.textContent("#range"), "0.000930999s – 0.000931000s", "a very short slice");
}

export async function oneMinusSign({browser, terminal, comparison, folder}) {
  const html = `${folder}/backwards.html`;
  terminal.run(["diff", comparison.after, terminal.dump, "--html", html]);
  const {page} = await openPage(browser, html);
  const parts = new PageParts(page);
  await page.focus("canvas.flame");
  const captions = [];
  for (let i = 0; i < 12; i++) {
    await parts.press(i % 3 === 2 ? "ArrowRight" : "ArrowDown");
    captions.push(await parts.text("p.caption"));
  }
  for (const caption of captions) {
    require(!/(^| )-\d/.test(caption), `a minus sign, and not a hyphen: ${caption}`);
  }
  require(captions.some((caption) => caption.includes("\u2212")), captions.join("; "));
}

// ---- phases

async function pageWithPhases({browser, bundle, folder}, phases, change = {}) {
  const data = {...madeData(10), ...change};
  data.phases = phases.map(([name, begin, end]) => [begin, end, 0, name]);
  const html = `${folder}/phases.html`;
  fs.writeFileSync(html, pageOf(data, bundle));
  const {page, errors} = await openPage(browser, html);
  const choose = async (index) => {
    await page.selectOption("#phase", String(index));
    await settle(page);
    return {range: await new PageParts(page).range(), note: await page.textContent("#phase-note")};
  };
  return {page, errors, choose};
}

// Slices of the page are 100 ms long.
export async function theRangeOfAPhaseHasAllOfIt(tools) {
  const {page, errors, choose} = await pageWithPhases(tools, [
    ["short", 4.24e8, 4.58e8], ["exact", 6e8, 9e8], ["long", 9.6e8, 15.1e8],
    ["late", 120.05e8, 120.08e8],
  ]);
  const short = await choose(0);
  expect(short.range, {from: 4e8, to: 5e8}, "a phase within a slice");
  expect(short.note, "short ran from 424 ms to 458 ms. The figures here are of 400 ms to 500 ms, " +
         "the whole slices around it: 2.9 times as long. Those of the phase alone: " +
         "memtrace-report sites memtrace.train.py.1.bin --phase short", "the sentence");
  expect(await choose(1), {range: {from: 6e8, to: 9e8}, note: ""}, "a phase of whole slices");
  expect((await choose(2)).range, {from: 9e8, to: 16e8}, "a phase that ends in a slice");
  expect((await choose(3)).range, {from: 119e8, to: 120e8}, "a phase after the last border");
  expect(await page.inputValue("#phase"), "3", "the list has the phase");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await settle(page);
  expect(await page.inputValue("#phase"), "-1", "until the range is another");
  expect(await page.textContent("#phase-note"), "", "and the sentence is gone");
  expect(errors, [], "errors");
}

// Of many phases the page has the longest, and says beside the list and the timeline that there are
// others.
// Where a name stands for other phases, too, or is not shown as it is, the times stand for the one.
export async function thePhaseCommandIsOfThisPhase(tools) {
  const {page, choose} = await pageWithPhases(tools, [
    ["load 1", 1.1e8, 1.2e8], ["load", 2.1e8, 2.2e8], ["load", 3.1e8, 3.2e8],
    ["a*?", 4.1e8, 4.2e8], ["same", 500_000_100, 599_999_900],
  ]);
  require((await choose(0)).note.endsWith("--phase 'load 1'"), "a name of its own");
  require((await choose(1)).note.endsWith("--from 0.210000000s --to 0.220000000s"), "one of two");
  require((await choose(3)).note.endsWith("--from 0.410000000s --to 0.420000000s"), "a pattern");
  const {note} = await choose(4);
  require(note.startsWith("same ran from 0.500000100s to 0.599999900s. The figures here are of " +
                          "0.500000000s to 0.600000000s, the whole slices around it: 200 ns " +
                          "longer."), `times that differ look different: ${note}`);
  await new PageParts(page).measure("held");
  require((await page.textContent("#phase-note")).endsWith("--sort held"), "the measure");
}

// Of a program with few phases, the figures of a phase are exact.
export async function thePhasesOfAProgramAreExact({browser, html, terminal}) {
  const {page} = await openPage(browser, html);
  const parts = new PageParts(page);
  await parts.tab("table");
  const options = await page.$$eval("#phase option", (found) => found.map(
    ({value, textContent}) => [value, textContent.replace(/ \(after .*$/, "")]));
  const space = await page.inputValue("#space");
  for (const [asked, pattern] of [["work", "work"], ["setup", "setup *"]]) {
    const [value, name] = options.find(([, name]) => name.startsWith(asked));
    await page.selectOption("#phase", value);
    await settle(page);
    expect(await page.textContent("#phase-note"), "", `${name}: no sentence`);
    const {spaces} = terminal.json("sites", ["--phase", pattern]);
    const {allocated, calls} = await parts.sums();
    expect({allocated, calls}, {allocated: spaces[space].allocated_bytes,
                                calls: spaces[space].allocations}, name);
  }
}

export async function phasesThatAreLeftOutAreCounted(tools) {
  const left_out = {phases: 1252, phases_without_end: 3, marks: 40};
  const {page, choose} = await pageWithPhases(
    tools, [["warm-up", 1e8, 6e8], ["serve", 7e8, null]], {left_out});
  const note = await page.textContent("#phases-left-out");
  for (const part of ["The 2 longest of 1,254 phases", "1,252 shorter", "Of 3 more phases", "ended",
                      "Of 40 marks, 40", "memtrace-report phases memtrace.train.py.1.bin --each"]) {
    require(note.includes(part), `the page says "${part}": ${note}`);
  }
  expect(await page.textContent("#phase option"), "Phase… (2 of 1,257)", "the list");
  expect((await choose(0)).range, {from: 1e8, to: 6e8}, "a phase has its own end");
  await page.setViewportSize({width: 390, height: 844});
  for (const note of ["#phases-left-out", "#phase-note"]) {
    if (note === "#phase-note") await choose(1);
    expect(await page.isVisible(`${note} code.command`), true, `the command of ${note} on a phone`);
  }
  require((await choose(1)).note.includes("to the end of the recording, because it was not ended"),
          "an open phase is called open");
  const whole = await pageWithPhases(tools, [["warm-up", 1e8, 6e8]]);
  expect(await whole.page.$("#phases-left-out"), null, "no note if all are there");
  expect(await whole.page.textContent("#phase option"), "Phase…", "the list of all");
}

export async function everyPhaseCanBeChosen(tools) {
  const names = ["", "x".repeat(100)];
  const phases = Array.from({length: 300}, (_, i) =>
    [names[i] ?? `step ${i}`, i * 4e7, i * 4e7 + 1e7]);
  const {page, choose} = await pageWithPhases(tools, phases);
  const texts = await page.$$eval("#phase option", (options) =>
    options.map(({textContent}) => textContent));
  expect(texts.length, 301, "the options");
  expect(texts[1], "(no name) (after 0 ns)", "a phase without a name");
  require(texts[2].startsWith(`${"x".repeat(60)}…`), "a long name is cut, and it is to be seen");
  require((await choose(299)).note.startsWith("step 299 ran from 11.96"), "the last phase");
}
