// SPDX-License-Identifier: Apache-2.0
//
// Steps on the page: the button of the last ones, and the ticks at the foot of the timeline. A
// slice of steps may be cut further, and then its last part says how many steps all parts have.
import fs from "node:fs";
import {expect, require} from "./checks.mjs";
import {openPage, settle} from "./browser.mjs";
import {madeData, pageOf} from "./made_page.mjs";
import {PageParts} from "./page_parts.mjs";

// Ten slices: before the steps (in two parts), a step of three parts, two steps, a step of two
// parts, and two slices after the work.
const cut = {
  steps: [0, 0, 0, 0, 1, 2, 0, 1, 0, 0],
  is_part: [1, 0, 1, 1, 0, 0, 1, 0, 0, 0],
};
const borders = [2, 5, 6, 8];  // of steps

async function openCut({browser, bundle, folder}, slices) {
  const data = madeData(10, 10);
  Object.assign(data.slices, slices);
  const html = `${folder}/steps.html`;
  fs.writeFileSync(html, pageOf(data, bundle));
  return openPage(browser, html);
}

async function lastSteps(page) {
  const button = page.locator(".shortcuts button", {hasText: /^Last/});
  const name = await button.textContent();
  await button.click();
  await settle(page);
  return {name, range: await new PageParts(page).range()};
}

export async function theLastStepHasAllOfItsParts(tools) {
  const {page} = await openCut(tools, cut);
  expect(await lastSteps(page), {name: "Last step", range: {from: 6e8, to: 8e8}}, "two parts");
  const three = {steps: [1, 0, 0, 3, 0], is_part: [0, 1, 1, 0, 0]};
  for (const key of ["steps", "is_part"]) three[key].push(...new Array(5).fill(0));
  const {page: other} = await openCut(tools, three);
  expect(await lastSteps(other), {name: "Last 3 steps", range: {from: 1e8, to: 4e8}},
         "three parts");
}

// A tick is where one step ends and where another begins, and nowhere else.
export async function ticksAreAtTheBordersOfSteps(tools) {
  const pixels = [];
  for (const all_steps of [0, 4]) {
    const {page} = await openCut(tools, {...cut, all_steps});
    pixels.push(await page.evaluate(() => {
      const canvas = document.querySelector("#timeline canvas");
      const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const sums = new Array(canvas.width).fill(0);  // by column
      data.forEach((value, i) => (sums[Math.floor(i / 4) % canvas.width] += value));
      return sums;
    }));
  }
  const [plain, ticked] = pixels;
  const columns = [...plain.keys()].filter((column) => plain[column] !== ticked[column]);
  // The axis of bytes is in front of the plot, which shows 1.01 seconds.
  const at = (border) => 72 + (border / 10.1) * (plain.length - 72 - 32);
  expect(columns.length, borders.length, `ticks in the columns ${columns}`);
  borders.forEach((border, i) => require(Math.abs(columns[i] - at(border)) < 3,
    `a tick is at ${columns[i]}, and the border at ${at(border)}`));
}

// What the button chooses is what the terminal has of as many steps.
export async function theLastStepsAreTheTerminals({browser, html, terminal}) {
  const {page} = await openPage(browser, html);
  const {name} = await lastSteps(page);
  await new PageParts(page).tab("table");
  const sums = await new PageParts(page).sums();
  const count = Number(/\d+/.exec(name)?.[0] ?? 1);
  const {spaces} = terminal.json("sites", ["--from", `step ${60 - count}`, "--to", "step 59"]);
  const space = spaces[await page.inputValue("#space")];
  // The last border is the end of the last step, or of what follows it.
  require(Math.abs(sums.calls - space.allocations) <= 2 &&
          Math.abs(sums.allocated - space.allocated_bytes) <= 4096,
          `${name}: ${sums.calls} calls of ${sums.allocated} B on the page, and ` +
          `${space.allocations} of ${space.allocated_bytes} B in the terminal`);
}
