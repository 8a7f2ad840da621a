// SPDX-License-Identifier: Apache-2.0
//
// The shape of the flame graph is chosen: icicle or flame, callers or callees first; by mouse and
// by keyboard, on both pages, and it stays.
import {expect, require} from "./checks.mjs";
import {openPage, phone} from "./browser.mjs";
import {PageParts} from "./page_parts.mjs";

const pressed = (page) => page.$$eval(
  "#as-icicle, #as-flame, #caller-first, #callee-first",
  (buttons) => buttons.filter((one) => one.getAttribute("aria-pressed") === "true")
    .map((one) => one.id));

// The name of the box at the top or at the bottom of the graph.
async function nameAt(page, end) {
  const canvas = await page.$("canvas.flame");
  await canvas.scrollIntoViewIfNeeded();
  const {height} = await canvas.boundingBox();
  await canvas.hover({position: {x: 20, y: end === "top" ? 10 : height - 10}});
  return page.$eval("p.caption .name", (name) => name.textContent);
}

// The names of the boxes that the keyboard meets on its way from the root.
async function wayFromTheRoot(parts, key) {
  await parts.page.focus("canvas.flame");
  await parts.press("Home");
  const names = [];
  for (let i = 0; i < 3; i++) {
    await parts.press(key);
    names.push(await parts.page.$eval("p.caption .name", (name) => name.textContent));
  }
  for (let i = 0; i < 4; i++) await parts.press(key === "ArrowUp" ? "ArrowDown" : "ArrowUp");
  return names;
}

async function shapeOf(browser, html, options) {
  const {page, errors} = await openPage(browser, html, options);
  const parts = new PageParts(page);
  expect(await pressed(page), ["as-icicle", "caller-first"], "the shape at the beginning");
  expect(await nameAt(page, "top"), "all", "the root of an icicle");
  const way = await wayFromTheRoot(parts, "ArrowDown");

  await parts.click("#as-flame");
  expect(await pressed(page), ["as-flame", "caller-first"], "a flame");
  expect(await nameAt(page, "bottom"), "all", "the root of a flame");
  expect(await wayFromTheRoot(parts, "ArrowUp"), way, "the same boxes, upwards");
  await parts.tab("table");
  await parts.press("f");
  await parts.tab("flame");
  expect(await pressed(page), ["as-flame", "caller-first"], "it stays while it is not to be seen");

  await parts.press("c");
  expect(await pressed(page), ["as-flame", "callee-first"], "c turns the stacks");
  const turned = await wayFromTheRoot(parts, "ArrowUp");
  require(turned[0] !== way[0], `callees first: ${turned}`);
  await parts.press("f");
  expect(await pressed(page), ["as-icicle", "callee-first"], "f turns the graph");
  expect(await wayFromTheRoot(parts, "ArrowDown"), turned, "callees first, downwards");
  await parts.click("#caller-first");
  expect(await wayFromTheRoot(parts, "ArrowDown"), way, "as at the beginning");
  await parts.press("?");
  const keys = await parts.text("dialog[open]");
  require(keys.includes("icicle") && keys.includes("callees first"), `the list of keys: ${keys}`);
  await parts.press("Escape");
  const groups = await page.$$eval(".tab .segments", (found) =>
    found.map((one) => [one.getAttribute("role"), one.getAttribute("aria-label") !== ""]));
  expect(groups.slice(0, 2), [["group", true], ["group", true]], "groups with names");
  expect(errors, [], "errors");
}

export async function flameOrIcicle({browser, html}) {
  await shapeOf(browser, html);
  await shapeOf(browser, html, {viewport: phone, colorScheme: "dark"});
}

export async function flameOrIcicleOfADiff({browser, diffHtml}) {
  await shapeOf(browser, diffHtml);
}
