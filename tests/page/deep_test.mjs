// SPDX-License-Identifier: Apache-2.0
//
// Stacks that are deeper than the flame graph draws at once.
import fs from "node:fs";
import {expect, require} from "./checks.mjs";
import {openPage, settle} from "./browser.mjs";
import {madeData, pageOf} from "./made_page.mjs";
import {PageParts} from "./page_parts.mjs";

// Each call is made by the one before it, and each is the user's own.
async function deepPage({browser, bundle, folder}, depth) {
  const data = madeData(depth);
  data.nodes.parent = data.nodes.parent.map((_, node) => Math.max(0, node - 1));
  data.nodes.frame = data.nodes.frame.map((_, node) => (node === 0 ? -1 : 4 * (node % 750)));
  // Only the deepest call allocates.
  const {sites} = data.spaces[0];
  sites.peak = sites.peak.map((_, site) => (site === depth - 1 ? 1000 : 0));
  const html = `${folder}/deep.html`;
  fs.writeFileSync(html, pageOf(data, bundle));
  const {page, errors} = await openPage(browser, html);
  return {page, errors, parts: new PageParts(page)};
}

const rowHeight = 21;

async function boxAt(page, row) {
  await page.$eval("canvas.flame", (canvas, y) => {
    const {left, top} = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new MouseEvent("mousemove", {clientX: left + 9, clientY: top + y}));
  }, (row + 0.5) * rowHeight);
  await settle(page);
  return page.textContent("p.caption .name");
}

async function clickRow(page, row) {
  await page.$eval("canvas.flame", (canvas, y) => {
    const {left, top} = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new MouseEvent("click", {clientX: left + 9, clientY: top + y}));
  }, (row + 0.5) * rowHeight);
  await settle(page);
}

export async function whatIsTooDeepIsSaidAndCanBeSeen(tools) {
  const {page, errors, parts} = await deepPage(tools, 700);
  const rows = () => page.$eval("canvas.flame", ({height}, size) => height / size, rowHeight);
  expect(await rows(), 402, "rows: the root and 401 calls");
  const note = await parts.text("#deeper");
  require(/^299 calls below the last row, 299 levels deep, with [\d.]+ % .* not drawn/.test(note),
          `it says so: ${note}`);
  await clickRow(page, 400);
  expect(await parts.text("#deeper"), "", "from there on everything is drawn");
  require((await rows()) < 360, "and only some of its callers");
  expect(await boxAt(page, (await rows()) - 1), "function_2800 train.py:301", "the deepest call");
  expect(errors, [], "errors");
}

export async function allOfAShallowStackIsDrawn(tools) {
  const {page} = await deepPage(tools, 100);
  expect(await page.textContent("#deeper"), "", "nothing is missing");
}

// The root of a flame is at its lower end, which is what a reader must see first.
export async function theRootOfAHighFlameIsInSight(tools) {
  const {page, parts} = await deepPage(tools, 300);
  await parts.press("f");
  const gap = await page.$eval("canvas.flame", (canvas) =>
    window.innerHeight - canvas.getBoundingClientRect().bottom);
  require(gap >= -1 && gap < 100, `the graph ends ${gap} pixels above the window's end`);
}

// Boxes have other numbers in another order, so the focus is on the root again.
export async function anotherOrderBeginsAtTheRoot({browser, html}) {
  const {page} = await openPage(browser, html);
  const parts = new PageParts(page);
  await page.focus("canvas.flame");
  for (let i = 0; i < 3; i++) await parts.press("ArrowDown");
  require((await parts.text("p.caption .name")) !== "all", "a box has the focus");
  await parts.press("c");
  expect(await parts.text("p.caption .name"), "all", "the root has it");
}
