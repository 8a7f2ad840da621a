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

export async function aRecordingWithoutMemory({browser, bundle, folder}) {
  const data = madeData(10);
  data.spaces = [];
  const html = `${folder}/empty.html`;
  fs.writeFileSync(html, pageOf(data, bundle));
  const {page, errors} = await openPage(browser, html);
  require((await page.textContent("#page")).includes("Nothing was allocated"), "it says so");
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
