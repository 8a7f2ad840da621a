// SPDX-License-Identifier: Apache-2.0
//
// Source lines: what a line took, what its backward pass took, and what a search leaves of it.
import fs from "node:fs";
import {expect, require} from "./checks.mjs";
import {openPage, settle} from "./browser.mjs";
import {madeData, pageOf} from "./made_page.mjs";
import {PageParts} from "./page_parts.mjs";

// Line 10 calls line 20, which takes 7000 bytes; the backward pass of line 20 takes 2000.
async function pageOfThree({browser, bundle, folder}, change = () => undefined) {
  const data = madeData(2);
  const [own, python, backward] = [1, 4, 8];
  data.texts = ["", "/home/me/net.py", "step", "forward", "backward of forward", "net.py"];
  data.frames = {function: [2, 3, 4], file: [1, 1, 1], line: [10, 20, 20], group: [5, 5, 5],
                 flags: [own | python, own | python, own | backward]};
  data.nodes = {parent: [0, 0, 1, 0], frame: [-1, 0, 1, 2], all: 3};
  data.rows = [["line", "net.py:20 forward", 1], ["backward", "backward of net.py:20 forward", 2]];
  const [{sites}] = data.spaces;
  sites.node = [2, 3];
  sites.row = [0, 1];
  sites.peak = [7000, 2000];
  data.sources = [{file: 1, is_changed: false,
                   lines: [[10, "net.forward(batch)"], [20, "return relu(batch)"]]}];
  change(data);
  const html = `${folder}/source.html`;
  fs.writeFileSync(html, pageOf(data, bundle));
  const {page, errors} = await openPage(browser, html);
  const parts = new PageParts(page);
  await parts.tab("source");
  return {page, errors};
}

const titlesOf = (page) => page.$$eval("table.code-lines th", (cells) =>
  cells.map(({textContent}) => textContent));
const valuesOf = (page, line) => page.$$eval(`tr[data-line="${line}"] td.number`, (cells) =>
  cells.map(({dataset}) => Number(dataset.value)));

export async function theBackwardPassHasAColumnBesideItsLine(tools) {
  const {page, errors} = await pageOfThree(tools);
  expect(await titlesOf(page), ["Here", "Backward", "Through", "Line", "Source"], "columns");
  expect(await valuesOf(page, 20), [7000, 2000, 7000], "the line");
  expect(await valuesOf(page, 10), [0, 0, 7000], "its caller");
  expect(errors, [], "errors");
}

// What an import takes goes through its line, and is not the line's own; the column says so.
export async function importsGoThroughTheirLine(tools) {
  const {page} = await pageOfThree(tools, (data) => (data.rows[0] = ["import", "import net", 1]));
  expect(await valuesOf(page, 20), [0, 2000, 7000], "the line of the import");
  const titles = await page.$$eval("table.code-lines th", (cells) => cells.map((c) => c.title));
  require(titles[0].includes("not by modules that it imports"), titles[0]);
  require(titles[2].includes("also by modules that it imports"), titles[2]);
}

export async function aSearchLeavesTheMemoryThatItFindsInTheSource(tools) {
  const {page, errors} = await pageOfThree(tools);
  await page.fill("#search", "step");
  await settle(page);
  expect(await titlesOf(page), ["Here", "Through", "Line", "Source"], "no backward pass");
  expect(await valuesOf(page, 20), [7000, 7000], "the line");
  await page.fill("#search", "nosuch");
  await settle(page);
  expect(await page.textContent(".source p.empty"),
         "No line of your own code has memory here in whose stack “nosuch” is.", "nothing");
  expect([await page.isDisabled("#file"), await page.isDisabled("#whole-file"),
          await page.textContent("#file")], [true, true, "none"], "nothing to choose");
  await page.fill("#search", "");
  await settle(page);
  expect([await page.isDisabled("#file"), await page.isDisabled("#whole-file")], [false, false],
         "something to choose");
  expect(errors, [], "errors");
}
