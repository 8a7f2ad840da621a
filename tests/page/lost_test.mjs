// SPDX-License-Identifier: Apache-2.0
//
// The part of the page about lost blocks, with tests/programs/lost_blocks.c.
import path from "node:path";
import {expect, require, Terminal} from "./checks.mjs";
import {openPage, settle} from "./browser.mjs";
import {PageParts} from "./page_parts.mjs";
import {usableEverywhere} from "./usable.mjs";

function searchedIn({folder, terminal}) {
  const dump = path.join(folder, "lost.bin");
  const html = path.join(folder, "lost.html");
  terminal.run(["html", dump, "-o", html]);
  return {html, terminal: new Terminal(terminal.report, dump)};
}

export async function lostBlocksAreTheTerminals(given) {
  const searched = searchedIn(given);
  const {page, errors} = await openPage(given.browser, searched.html);
  await page.click("#card-lost");
  await settle(page);
  expect(await page.$eval('[role="tab"][aria-selected="true"]', ({id}) => id), "tab-leaks",
         "what the card opens");
  const {lost} = searched.terminal.json("leaks");
  const rows = await page.$$eval("table.lost tr", (all) => all.map((row) => ({
    name: row.querySelector("th").textContent,
    bytes: Number(row.querySelector("td[data-value]").dataset.value),
  })));
  expect(rows.slice(0, 4), [
    {name: "definitely lost", bytes: lost.definitely.bytes},
    {name: "indirectly lost", bytes: lost.indirectly.bytes},
    {name: "possibly lost", bytes: lost.possibly.bytes},
    {name: "still reachable", bytes: lost.reachable.bytes},
  ], "the kinds");
  const text = await page.$eval("#lost-blocks", ({textContent}) => textContent);
  require(text.includes("Lost blocks: 1.0 KiB in 8 blocks"), text.slice(0, 200));
  const names = await page.$$eval("#lost-blocks .finding", (all) =>
    all.map((card) => card.querySelector("h3").textContent + card.querySelector("p").textContent));
  require(names.some((name) =>
    /^DEFINITELY LOST .* block100 B in 1 block; called by .*definitely_lost, by/.test(name)),
          names.join("; "));
  const reachable = names.filter((name) => name.includes("held_everywhere"));
  require(reachable.every((name) => name.startsWith("possibly lost")), reachable.join("; "));
  expect(errors, [], "errors");
}

export async function lostBlocksAreUsableEverywhere(given) {
  const {html} = searchedIn(given);
  await usableEverywhere(given.browser, html, ["leaks"]);
}

export async function withoutASearchNothingIsSaidOfLostBlocks({browser, html}) {
  const {page} = await openPage(browser, html);
  const parts = new PageParts(page);
  await parts.tab("leaks");
  expect(await page.$("#lost-blocks"), null, "a part about lost blocks");
  expect(await page.$("#card-lost"), null, "a line about lost blocks");
}
