// SPDX-License-Identifier: Apache-2.0
//
// Single blocks over time: boxes that stand on each other, and what is said of each.
import fs from "node:fs";
import {dataOf, expect, require} from "./checks.mjs";
import {openPage, settle} from "./browser.mjs";
import {madeData, pageOf} from "./made_page.mjs";
import {PageParts} from "./page_parts.mjs";

const MiB = 2 ** 20;

// Of 12 s: a block of 4 MiB for all of the time, one of 2 MiB from 3 s to 6 s, and one of 1 MiB
// from 4 s to 10 s.
function dataWithBlocks() {
  const data = madeData(2);
  const [space] = data.spaces;
  const slices = data.slices.end_ns.length;
  space.blocks = {site: [0, 1, 1], begin: [0, 3e6, 1e6], life: [-1, 3e6, 6e6],
                  bytes: [4 * MiB, 2 * MiB, MiB]};
  space.peak_ns = 5e9;
  space.peak_bytes = 8 * MiB;
  const course = new Array(slices).fill(0);
  course[0] = 8 * MiB;
  space.course = {lowest: course, highest: course};
  return data;
}

async function blocksOf({browser, bundle, folder}, data, options) {
  const html = `${folder}/blocks.html`;
  fs.writeFileSync(html, pageOf(data, bundle));
  const {page, errors} = await openPage(browser, html, options);
  const parts = new PageParts(page);
  await parts.tab("blocks");
  return {page, errors, parts};
}

// Returns what is said of the block at a time and a height. The axis ends at 10 MiB or so, and
// where it does is read from the reading itself: the lowest block is at the bottom.
async function readAt({page}, seconds, share) {
  const plot = await page.$("#single-blocks .u-over");
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + (seconds / 12) * box.width, box.y + (1 - share) * box.height);
  await settle(page);
  return page.textContent("#block-reading");
}

const listOf = (page) => page.$$eval("#single-blocks ~ ol.bands li", (lines) =>
  lines.map((line) => [...line.querySelectorAll(".name, .number")]
    .map(({textContent}) => textContent)));

// What the pointer reads, the keyboard reads, too.
export async function blocksAreReadByKeyboard(tools) {
  const {page, parts, errors} = await blocksOf(tools, dataWithBlocks());
  await page.focus("#single-blocks");
  const read = async (key) => {
    await parts.press(key);
    return parts.text("#block-reading");
  };
  expect([await read("ArrowRight"), await read("ArrowRight"), await read("ArrowRight"),
          await read("ArrowRight"), await read("ArrowLeft"), await read("Home")], [
    "4.0 MiB  train.py:1 function_1  from 0 ns alive at the end",
    "2.0 MiB  train.py:2 function_2  from 3 s until 6 s (for 3 s)",
    "1.0 MiB  train.py:2 function_2  from 4 s until 10 s (for 6 s)",
    "1.0 MiB  train.py:2 function_2  from 4 s until 10 s (for 6 s)",
    "2.0 MiB  train.py:2 function_2  from 3 s until 6 s (for 3 s)",
    "4.0 MiB  train.py:1 function_1  from 0 ns alive at the end",
  ], "the blocks");
  await parts.press("Enter");
  await page.waitForFunction(() => document.activeElement?.matches("button.open"));
  require((await page.evaluate(() => document.activeElement.textContent)).includes("function_1"),
          "Enter opens its line");
  for (const way of ["singles", "lines", "sites"]) {
    await parts.tab("blocks");
    await parts.click(`#blocks-${way}`);
    const button = page.locator("ol.bands button:visible").first();
    const name = await button.textContent();
    await button.focus();
    await parts.press("Enter");
    await page.waitForFunction(() => document.activeElement?.matches("button.open"));
    require((await page.evaluate(() => document.activeElement.textContent)).includes(name),
            `${way}: the list opens ${name}`);
  }
  expect(errors, [], "errors");
}

export async function singleBlocksStandOnEachOther(tools) {
  const given = await blocksOf(tools, dataWithBlocks());
  expect(await listOf(given.page), [
    ["train.py:1 function_1", "4.0 MiB"],
    ["train.py:2 function_2", "2 blocks of up to 2.0 MiB, 3.0 MiB at once"],
  ], "the list");
  // The height of the axis: the first block reaches 4 MiB.
  let top = 0.02;
  while ((await readAt(given, 1, top)).startsWith("4.0 MiB")) top += 0.02;
  const mebibyte = top / 4;
  expect(await readAt(given, 5, 5 * mebibyte), "2.0 MiB  train.py:2 function_2  from 3 s until " +
         "6 s (for 3 s)", "the second block");
  require((await readAt(given, 5, 6.5 * mebibyte)).startsWith("1.0 MiB"), "the third stands on it");
  require((await readAt(given, 8, 4.5 * mebibyte)).startsWith("1.0 MiB"), "and sinks when it ends");
  expect(await readAt(given, 11, 4.6 * mebibyte), "", "above all blocks is nothing");
  require((await readAt(given, 11, mebibyte)).endsWith("from 0 ns alive at the end"), "the first");
  expect(given.errors, [], "errors");
}

export async function aClickOnABlockOpensItsLine(tools) {
  const given = await blocksOf(tools, dataWithBlocks());
  await readAt(given, 5, 0.1);
  await given.page.mouse.down();
  await given.page.mouse.up();
  await settle(given.page);
  expect(await given.page.getAttribute("#tab-table", "aria-selected"), "true", "the table");
  require((await given.parts.text("div.details")).includes("held over the run"), "its row is open");
  expect(given.errors, [], "errors");
}

export async function aSearchAndARangeChooseBlocks(tools) {
  const given = await blocksOf(tools, dataWithBlocks());
  await given.page.fill("#search", "function_2");
  await settle(given.page);
  expect((await listOf(given.page)).length, 1, "lines found");
  await given.page.fill("#search", "");
  await given.parts.drag(0.9, 0.99);
  expect(await listOf(given.page), [["train.py:1 function_1", "4.0 MiB"]], "at the end of the run");
  expect(given.errors, [], "errors");
}

export async function blocksThatAreNotKnownAreNotOffered(tools) {
  const {page, parts, errors} = await blocksOf(tools, madeData(10));
  require(await page.$eval("#blocks-singles", ({disabled}) => disabled), "no single blocks");
  require((await parts.text("#panel")).includes("Single blocks of this space are not known here"),
          "and a sentence");
  expect(await page.getAttribute("#blocks-lines", "aria-pressed"), "true", "lines instead");
  expect(errors, [], "errors");
}

export async function singleBlocksAreOnesOfTheirSites({html}) {
  const {spaces} = dataOf(html);
  for (const {name, blocks, sites, is_estimate: isEstimate} of spaces) {
    if (isEstimate) {
      expect(blocks, null, `blocks of the sample ${name}`);
      continue;
    }
    require(blocks.bytes.length > 0, `${name} has blocks`);
    const alive = new Map();
    blocks.site.forEach((site, i) => {
      if (blocks.life[i] < 0) alive.set(site, (alive.get(site) ?? 0) + blocks.bytes[i]);
    });
    for (const [site, bytes] of alive) {
      require(bytes <= sites.live[site], `${name}, site ${site}: ${bytes} of ${sites.live[site]}`);
    }
    const largest = Math.max(...blocks.bytes);
    require(largest <= Math.max(...sites.allocated), `${name}: a block of ${largest} bytes`);
  }
}
