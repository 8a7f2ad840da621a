// SPDX-License-Identifier: Apache-2.0
//
// Every control is used, by mouse and by keyboard alone, on a desk and on a phone, in light and in
// dark; and axe-core finds nothing that a person could not use.
import {expect, require} from "./checks.mjs";
import {openPage, settle} from "./browser.mjs";
import {PageParts} from "./page_parts.mjs";
import {everyButtonOf, usableEverywhere} from "./usable.mjs";

const tabs = ["flame", "table", "source", "leaks", "blocks", "ledgers", "problems"];

export async function everyButton({browser, html}) {
  await everyButtonOf(browser, html, tabs);
}

export async function keyboardAlone({browser, html}) {
  const {page, errors} = await openPage(browser, html);
  const parts = new PageParts(page);
  await parts.press("?");
  require(await page.$("dialog[open]"), "? opens the list of keys");
  await parts.press("Escape");
  require(!(await page.$("dialog[open]")), "Escape closes it");
  for (let i = 0; i < tabs.length; i++) {
    await parts.press(String(i + 1));
    const open = await page.$eval('[role="tab"][aria-selected="true"]', (tab) => tab.id);
    expect(open, `tab-${tabs[i]}`, `key ${i + 1}`);
  }
  await parts.press("1");
  const whole = await parts.range();
  await parts.press("p");
  const slice = await parts.range();
  require(slice.to - slice.from < whole.to - whole.from, "p chooses a slice");
  await parts.press("]");
  expect((await parts.range()).from, slice.to, "] moves to the next slice");
  await parts.press("Escape");
  expect(await parts.range(), slice, "Escape goes back");
  await parts.press("a");
  expect(await parts.range(), whole, "a chooses all");
  await parts.press("/");
  await page.keyboard.type("leak");
  await settle(page);
  expect(await page.$eval("#search", (input) => input.value), "leak", "/ searches");
  await page.fill("#search", "");
  await parts.press("Escape");
  await page.focus("canvas.flame");
  const caption = await parts.text("p.caption");
  await parts.press("ArrowDown");
  const below = await parts.text("p.caption");
  require(below !== caption, "an arrow moves in the flame graph");
  await parts.press("ArrowDown");
  await parts.press("Enter");
  require((await page.$$(".tab .trail button")).length > 0, "Enter zooms");
  await parts.press("Backspace");
  expect((await page.$$(".tab .trail button")).length, 0, "Backspace goes back");
  await page.focus("#timeline");
  await parts.press("ArrowLeft");
  require((await parts.range()).from > 0, "an arrow moves the range in the timeline");
  // Everything that can be used can be reached.
  await page.evaluate(() => (document.activeElement ?? document.body).blur());
  const reached = new Set();
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement?.id ?? ""));
  }
  for (const id of ["timeline", "search", "space", "measure-held", "theme", "help", "tab-flame",
                    "unfold"]) {
    require(reached.has(id), `Tab reaches #${id}`);
  }
  expect(errors, [], "errors");
}

export async function searchFilterAndSort({browser, html}) {
  const {page, errors} = await openPage(browser, html);
  const parts = new PageParts(page);
  await parts.tab("table");
  await page.fill("#search", "leak");
  await settle(page);
  const rows = await parts.rows();
  require(rows.length > 0 && rows.every(({name}) => name.includes("leak")),
          "the table is searched");
  await page.fill("#search", "");
  await parts.click('[data-sort="calls"]');
  const calls = (await parts.rows()).map((row) => row.calls);
  expect(calls, [...calls].sort((a, b) => b - a), "sorted by calls");
  await parts.click('[data-sort="calls"]');
  const upwards = (await parts.rows()).map((row) => row.calls);
  expect(upwards, [...upwards].sort((a, b) => a - b), "sorted the other way");
  await parts.click("button.open");
  require(await page.$("tr.opened ol.stack li"), "a row opens its stack");
  require(await page.$("tr.opened svg.curve"), "and its curve");
  expect(errors, [], "errors");
}

export async function aLineOfTheFirstScreenOpensItsRow({browser, html}) {
  const {page, errors} = await openPage(browser, html);
  const parts = new PageParts(page);
  const name = await parts.text("ol.lines button");
  await parts.click("ol.lines button");
  await parts.page.waitForFunction(() => document.activeElement?.matches("button.open"));
  require((await page.evaluate(() => document.activeElement.textContent)).includes(name),
          "the row has the focus");
  require(await page.$("tr.opened"), "and is open");
  expect(errors, [], "errors");
}

// A page is light on paper, and as it was after that.
export async function paperIsLight({browser, html, diffHtml}) {
  for (const file of [html, diffHtml]) {
    const {page, errors} = await openPage(browser, file, {colorScheme: "dark"});
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const drawn = () => page.$eval("canvas.flame", (canvas) => canvas.toDataURL());
    const dark = [await ground(), await drawn()];
    await page.emulateMedia({media: "print", colorScheme: "dark"});
    await settle(page);
    const light = [await ground(), await drawn()];
    expect(light[0], "rgb(243, 244, 247)", "the ground");
    require(light[1] !== dark[1], "what is drawn is light, too");
    expect(await page.isVisible("#search"), false, "nothing to type into");
    await page.emulateMedia({media: "screen", colorScheme: "dark"});
    await settle(page);
    expect(await ground(), dark[0], "it is dark again");
    require(await drawn() === dark[1], "and what is drawn");
    expect(errors, [], "errors");
  }
}

export async function findsTheLeak({browser, html}) {
  const {page} = await openPage(browser, html);
  const parts = new PageParts(page);
  const card = await parts.text(".cards");
  require(card.includes("leak"), `the first screen names the leak: ${card}`);
  await parts.tab("leaks");
  const text = await parts.text("article.finding");
  require(text.includes("LEAK") && text.includes("leak"), `the finding is shown: ${text}`);
  require((await page.$$("article.finding svg.curve")).length >= 2, "with its two curves");
}

export async function usableByAll({browser, html}) {
  await usableEverywhere(browser, html, tabs);
}
