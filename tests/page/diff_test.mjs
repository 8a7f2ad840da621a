// SPDX-License-Identifier: Apache-2.0
//
// The page of a comparison has the numbers of the terminal, its flame graph is red and blue, every
// control works, and names are text.
import fs from "node:fs";
import {dataOf, expect, require} from "./checks.mjs";
import {openPage, settle} from "./browser.mjs";
import {PageParts} from "./page_parts.mjs";
import {everyButtonOf, usableEverywhere} from "./usable.mjs";

const tabs = ["flame", "table", "remarks"];
// The columns of the terminal's JSON by measure: bytes and blocks.
const figures = {
  peak: ["at_peak_bytes", "at_peak_blocks"], held: ["held_bytes", "held_blocks"],
  allocated: ["allocated_bytes", "allocations"], calls: ["allocations"],
};

async function open(browser, html) {
  const {page, errors} = await openPage(browser, html);
  return {page, errors, parts: new PageParts(page)};
}

// Returns the rows of the terminal as those of the page, without empty ones.
function rowsOf(entries, space, [bytes, blocks]) {
  const value = (side, figure) => (side && figure ? side[figure] : 0);
  return entries.filter((entry) => entry.space === space)
    .map(({before, after}) => [bytes, blocks].flatMap(
      (figure) => [value(before, figure), value(after, figure)]))
    .filter((values) => values.some((number) => number !== 0)).map(String).sort();
}

function shownRows(rows) {
  return rows.map((row) => String([row.before, row.after, row["blocks-before"] ?? 0,
                                   row["blocks-after"] ?? 0])).sort();
}

export async function numbersOfADiff({browser, diffHtml, comparison}) {
  const {page, errors, parts} = await open(browser, diffHtml);
  const json = comparison.json();
  await parts.tab("table");
  for (const [name, space] of Object.entries(json.spaces)) {
    await parts.space(name);
    for (const [measure, keys] of Object.entries(figures)) {
      await parts.measure(measure);
      const where = `${name}, ${measure}`;
      const [bytes, blocks] = keys;
      for (const [button, list] of [["#by-line", json.own_lines], ["#by-site", json.sites]]) {
        await parts.click(button);
        const sums = await parts.sums();
        expect([sums.before, sums.after, sums.change],
               [space.before[bytes], space.after[bytes], space.change[bytes]], `${where}: sums`);
        if (blocks) expect(sums.blocks, space.change[blocks], `${where}: sum of blocks`);
        expect(shownRows(await parts.rows()), rowsOf(list, name, keys), `${where}: ${button}`);
      }
    }
  }
  expect(errors, [], "errors");
  await page.context().close();
}

// Every frame of the graph is the sum of its stacks, so its root is the total.
export async function flameOfADiff({browser, diffHtml, comparison}) {
  const {page, errors, parts} = await open(browser, diffHtml);
  const {spaces} = comparison.json();
  for (const [name, space] of Object.entries(spaces)) {
    await parts.space(name);
    for (const [measure, [bytes]] of Object.entries(figures)) {
      await parts.measure(measure);
      for (const width of ["both", "after", "before"]) {
        await page.selectOption("#width", width);
        await settle(page);
        const found = await page.$eval("p.caption strong", ({dataset}) =>
          [Number(dataset.before), Number(dataset.after)]);
        expect(found, [space.before[bytes], space.after[bytes]], `${name}, ${measure}, ${width}`);
      }
    }
  }
  expect(errors, [], "errors");
}

// Returns how many points of the flame graph have the colours of variables of the style.
function pointsOf(page, ...variables) {
  return page.evaluate((names) => {
    const style = getComputedStyle(document.documentElement);
    const colours = names.map((name) => parseInt(style.getPropertyValue(name).trim().slice(1), 16));
    const canvas = document.querySelector("canvas.flame");
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const counts = names.map(() => 0);
    for (let i = 0; i < data.length; i += 4) {
      const at = colours.indexOf(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
      if (at >= 0) counts[at]++;
    }
    return counts;
  }, variables);
}

export async function redGrewAndBlueShrank({browser, diffHtml}) {
  const {page, parts} = await open(browser, diffHtml);
  await parts.space("host");
  await parts.measure("held");
  const [red, blue] = await pointsOf(page, "--grew-4", "--shrank-4");
  require(red > 100, "what is new is red");
  require(blue > 100, "what is gone is blue");
  await page.selectOption("#width", "after");
  await settle(page);
  expect(await pointsOf(page, "--shrank-4"), [0], "what is gone has no width afterwards");
}

export async function keyboardInADiff({browser, diffHtml}) {
  const {page, errors, parts} = await open(browser, diffHtml);
  for (let i = 0; i < tabs.length; i++) {
    await parts.press(String(i + 1));
    const tab = await page.$eval('[role="tab"][aria-selected="true"]', ({id}) => id);
    expect(tab, `tab-${tabs[i]}`, `key ${i + 1}`);
  }
  await parts.press("1");
  await page.focus("canvas.flame");
  await parts.press("ArrowDown");
  await parts.press("Enter");
  require((await page.$$(".tab .trail button")).length > 0, "Enter zooms");
  await parts.press("Backspace");
  expect((await page.$$(".tab .trail button")).length, 0, "Backspace goes back");
  await page.evaluate(() => document.activeElement.blur());
  await parts.press("/");
  await page.keyboard.type("fresh");
  await settle(page);
  require((await pointsOf(page, "--found"))[0] > 20, "what was searched for is marked");
  expect(errors, [], "errors");
}

// The first table of the text, and the first card of the page.
export async function reasonsOfADiff({browser, diffHtml, comparison}) {
  const {page} = await open(browser, diffHtml);
  const lines = comparison.text().split("\n");
  const title = lines.findIndex((line) => line.includes(", from ") && /^\S/.test(line));
  const wanted = [];
  for (const line of lines.slice(title + 2)) {
    if (!/^ .*(KiB|MiB|B) /.test(line)) break;
    wanted.push(line.trim().split(/\s+/).slice(0, 2).join(" ").replace("-", "\u2212"));
  }
  const card = await page.$eval(".reason", (card) => ({
    title: card.querySelector("h2 button").textContent,
    changes: [...card.querySelectorAll("li .number")].map((number) => number.textContent),
  }));
  require(lines[title].startsWith(card.title), `${lines[title]} begins with ${card.title}`);
  const count = Math.min(5, card.changes.length);
  expect(card.changes.slice(0, count), wanted.slice(0, count), "the largest changes");
}

export async function aReasonOpensItsRow({browser, diffHtml}) {
  const {page, errors, parts} = await open(browser, diffHtml);
  const name = await parts.text(".reason li button");
  await parts.click(".reason li button");
  await page.waitForFunction(() => document.activeElement?.matches("button.open"));
  require((await page.evaluate(() => document.activeElement.textContent)).includes(name),
          "the row has the focus");
  require(await page.$("tr.opened ol.stack li"), "and shows its stacks");
  expect(errors, [], "errors");
}

export async function filtersOfADiff({browser, diffHtml}) {
  const {page, errors, parts} = await open(browser, diffHtml);
  await parts.tab("table");
  await parts.space("host");
  await parts.measure("held");
  const rows = async (filter) => {
    await parts.click(`#only-${filter}`);
    return parts.rows();
  };
  const named = (list, name) => list.some((row) => row.name.includes(name));
  require(named(await rows("new"), "fresh"), "fresh() is new");
  require(named(await rows("gone"), "old"), "old() is gone");
  require((await rows("grew")).every(({change}) => change > 0), "what grew");
  const shrank = await rows("shrank");
  require(shrank.length > 0 && shrank.every(({change}) => change < 0), "what shrank");
  await rows("all");
  await page.fill("#search", "remember");
  await settle(page);
  const found = await parts.rows();
  require(found.length > 0 && found.every(({name}) => name.includes("remember")), "a search");
  expect((await parts.sums()).change, found.reduce((sum, row) => sum + row.change, 0), "its sum");
  await page.fill("#search", "");
  await parts.click('[data-sort="after"]');
  const values = (await parts.rows()).map(({after}) => after);
  expect(values, [...values].sort((a, b) => b - a), "sorted by what is held now");
  expect(errors, [], "errors");
}

export async function everyButtonOfADiff({browser, diffHtml}) {
  await everyButtonOf(browser, diffHtml, tabs);
}

export async function aDiffIsUsableByAll({browser, diffHtml}) {
  await usableEverywhere(browser, diffHtml, tabs);
}

export async function hostileNamesInADiff({browser, diffHtml}) {
  const {page, errors, parts} = await open(browser, diffHtml);
  await parts.click("#unfold");
  for (const tab of tabs) {
    await parts.tab(tab);
    expect(await page.$$eval("img, iframe, object, embed, link", (found) => found.length), 0,
           `elements made of names in ${tab}`);
    expect(await page.$$eval("script", (found) => found.length), 2, `scripts in ${tab}`);
  }
  await parts.tab("table");
  await parts.space("host");
  const names = (await parts.rows()).map(({name}) => name).join("\n");
  require(names.includes("<img src=x"), "the markup is shown as text");
  require(names.length < 200_000, "long names are cut");
  expect(errors, [], "errors");
}

export async function nothingDiffersFromItself({browser, folder, terminal}) {
  const html = `${folder}/same.html`;
  terminal.run(["diff", terminal.dump, terminal.dump, "--html", html]);
  const {page, errors} = await open(browser, html);
  require((await page.textContent(".reasons")).includes("Nothing differs"), "it says so");
  expect(await pointsOf(page, "--grew-1", "--shrank-1", "--grew-4", "--shrank-4"), [0, 0, 0, 0],
         "points in red and blue");
  expect(errors, [], "errors");
}

export async function nothingWasAllocatedInEither({browser, folder, terminal}) {
  const html = `${folder}/nothing.html`;
  terminal.run(["diff", terminal.dump, terminal.dump, "--html", html, "--function", "no such"]);
  const {page, errors} = await open(browser, html);
  require((await page.textContent("#page")).includes("only --function no such"),
          "the head says what they are limited to");
  expect(errors, [], "errors");
}

export async function privacyOfADiff({comparison, diffHtml, folder}) {
  const html = `${folder}/private-diff.html`;
  comparison.html(html, ["--no-command", "--no-source", "--short-paths"]);
  const [text, all] = [html, diffHtml].map((file) => JSON.stringify(dataOf(file)));
  for (const secret of ["secret-argument", "/home/me", "kept.append"]) {
    require(!text.includes(secret), `${secret} is left out`);
    require(all.includes(secret), `${secret} is on a page without the options`);
  }
}

export async function aDiffOfItsOwn({diffHtml}) {
  const text = fs.readFileSync(diffHtml, "utf8");
  require(text.length <= 2_000_000, "a page has at most 2 MB");
  expect(text.match(/<script/g).length, 2, "scripts");
  require(!/\ssrc=["']?https?:|@import|<link/.test(text), "the page loads nothing");
  require(text.includes("default-src 'none'"), "and its policy forbids it");
}
