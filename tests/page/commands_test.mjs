// SPDX-License-Identifier: Apache-2.0
//
// The commands that the page shows run, and print the figures that it shows.
import fs from "node:fs";
import {expect, require} from "./checks.mjs";
import {openPage, settle} from "./browser.mjs";
import {madeData, pageOf} from "./made_page.mjs";
import {PageParts} from "./page_parts.mjs";

const keys = {
  peak: "peak_bytes", held: "held_bytes", grown: "held_bytes", allocated: "allocated_bytes",
  calls: "allocations", temporary: "temporary",
};

async function commandsOf(page) {
  return page.$$eval("code.command", (codes) => codes.map(({textContent}) => textContent));
}

const known = new Map();  // by command: the spaces

// Runs a command of the page on the dump. Returns what it says of a space.
function figuresOf(command, terminal, space) {
  if (!known.has(command)) known.set(command, spacesOf(command, terminal));
  return known.get(command)[space] ?? {};
}

function spacesOf(command, terminal) {
  const [program, report, dump, ...words] = command.split(" ");
  expect([program, report, dump], ["memtrace-report", "sites", "story.bin"], "a command");
  return JSON.parse(terminal.run([report, terminal.dump, ...words, "--json", "-"])).spaces;
}

async function checkMeasure(page, parts, measure, space, terminal) {
  await parts.measure(measure);
  const commands = await commandsOf(page);
  const found = commands.map((command) => figuresOf(command, terminal, space));
  const key = commands[0].endsWith(" --sort held") ? "held_bytes" : keys[measure];
  const [first, second] = found.map((figures) => figures[key] ?? 0);
  const value = measure === "grown" && commands.length > 1 ? first - second : first;
  expect((await parts.sums())[measure], value, `${space}: ${measure}: ${commands.join(" less ")}`);
  // Where the page does not know the peak, it says so, and the terminal may find a higher one.
  if (measure === "peak" && commands.length > 1) {
    require(value <= (found[1].peak_bytes ?? 0), `${space}: no higher peak: ${commands[1]}`);
    require((await parts.text("p.terminal")).includes("may be higher"), "it says so");
  }
}

export async function commandsPrintWhatThePageShows({browser, html, terminal}) {
  const {page, errors} = await openPage(browser, html);
  const parts = new PageParts(page);
  await parts.tab("table");
  for (const space of ["host", "mmap"]) {
    await parts.space(space);
    for (const range of [null, [0, 0.3], [0.3, 0.6], [0.55, 0.551], [0.8, 1]]) {
      if (range) await parts.drag(...range);
      for (const measure of Object.keys(keys)) {
        if (await page.isDisabled(`#measure-${measure}`)) continue;
        await checkMeasure(page, parts, measure, space, terminal);
      }
      await parts.press("a");
    }
  }
  expect(errors, [], "errors");
}

async function openMade({browser, bundle, folder}, data) {
  const html = `${folder}/commands.html`;
  fs.writeFileSync(html, pageOf(data, bundle));
  const {page} = await openPage(browser, html);
  return new PageParts(page);
}

// The last border of a killed program is later than its last event, after which nothing ends.
export async function aRangeToTheLastBorderHasNoEnd(tools) {
  const data = madeData(10);
  data.program.duration_ns = data.slices.end_ns.at(-1) - 1;
  const parts = await openMade(tools, data);
  await parts.press("[");
  await parts.measure("calls");
  const [command] = await commandsOf(parts.page);
  require(command.includes(" --from ") && !command.includes(" --to "), command);
}

export async function aMergedPageHasNoCommandThatFails(tools) {
  const data = madeData(10);
  Object.assign(data.program, {processes: 3, commands: 2, dump: "many.bin and 2 more"});
  const parts = await openMade(tools, data);
  expect(await commandsOf(parts.page), [], "commands");
  require((await parts.text("p.terminal")).includes("the merged profile"), "it says what to read");
  const head = await parts.text(".head");
  require(head.includes("3 processes as one, of 2 commands") &&
          head.includes("peaks are upper bounds"), head);
  require((await parts.text("#card-lines")).includes("at the peak of each process"), "the card");
  await parts.press("[");
  expect(await commandsOf(parts.page), [], "commands of a range");
}

export async function aCompactedDumpMayLackTheRange(tools) {
  const data = madeData(10);
  data.program.is_compacted = true;
  const parts = await openMade(tools, data);
  require(!(await parts.text("p.terminal")).includes("compacted"), "the whole run is in it");
  await parts.press("[");
  require((await parts.text("p.terminal")).includes("before it was compacted"), "it says so");
}

// A peak of a sample is an estimate, which depends on what is in the range.
export async function anEstimatedPeakIsThatOfTheRun(tools) {
  const data = madeData(10);
  data.spaces[0].is_estimate = true;
  const parts = await openMade(tools, data);
  require(!(await parts.text("p.terminal")).includes("estimates"), "the whole run is the same");
  await parts.press("p");
  require((await parts.text("p.terminal")).includes("estimates the peak from the samples"), "note");
  await parts.measure("held");
  require(!(await parts.text("p.terminal")).includes("estimates"), "what is held is the same");
}

// The event at a border belongs to the slice that begins there.
export async function aPeakAtABorderIsInTheNextSlice(tools) {
  const data = madeData(10);
  const [space] = data.spaces;
  space.peak_ns = data.slices.end_ns[40];
  const parts = await openMade(tools, data);
  await parts.tab("table");
  await parts.press("p");
  expect(await parts.range(), {from: space.peak_ns, to: data.slices.end_ns[41]}, "its slice");
  expect((await parts.sums()).peak, space.totals.peak, "the peak in its slice");
  await parts.press("[");
  expect((await parts.range()).to, space.peak_ns, "the slice before");
  require((await parts.text("p.terminal")).includes("may be higher"), "it does not have the peak");
  await parts.press("a");
  await parts.page.click(".shortcuts button >> nth=0");
  await settle(parts.page);
  expect((await parts.range()).from, space.peak_ns, "the button chooses the same");
}

// A peak after the last border is in the last slice, and in no other.
export async function aPeakAtTheEndIsInTheLastSlice(tools) {
  const data = madeData(10);
  const [space] = data.spaces;
  space.peak_ns = data.slices.end_ns.at(-1) + 5;
  const parts = await openMade(tools, data);
  await parts.tab("table");
  await parts.press("p");
  expect((await parts.range()).to, data.slices.end_ns.at(-1), "the last slice");
  expect((await parts.sums()).peak, space.totals.peak, "the peak in it");
}
