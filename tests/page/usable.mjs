// SPDX-License-Identifier: Apache-2.0
//
// Whether a person can use a page: on a desk and on a phone, in light and in dark, and with
// axe-core's eyes.
import fs from "node:fs";
import {createRequire} from "node:module";
import {expect, require} from "./checks.mjs";
import {desktop, openPage, phone, settle} from "./browser.mjs";
import {PageParts} from "./page_parts.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

// Presses every button of every tab, and chooses what can be chosen.
export async function everyButtonOf(browser, html, tabs) {
  const {page, errors} = await openPage(browser, html);
  const parts = new PageParts(page);
  for (const tab of tabs) {
    await parts.tab(tab);
    // Some buttons replace others, so they are found again each time.
    const count = await page.$$eval("button", (buttons) => buttons.length);
    for (let i = 0; i < Math.min(count, 70); i++) {
      const isClicked = await page.evaluate((number) => {
        const button = document.querySelectorAll("button")[number];
        if (!button || button.disabled || button.role === "tab" || button.id === "help") {
          return false;
        }
        button.click();
        return true;
      }, i);
      if (isClicked) await settle(page);
    }
    for (const select of await page.$$("select")) {
      const values = await select.$$eval("option", (options) => options.map(({value}) => value));
      for (const value of values.slice(0, 5)) {
        await select.selectOption(value).catch(() => {});
        await settle(page);
      }
    }
  }
  expect(errors, [], "errors");
}

async function violationsOf(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource());
  const found = await page.evaluate(() => window.axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"],
  }));
  return found.violations.map((violation) => `${violation.id}: ` +
    violation.nodes.slice(0, 3).map((node) => node.target.join(" ")).join(", "));
}

let source = "";
function axeSource() {
  source ||= fs.readFileSync(axe, "utf8");
  return source;
}

export async function usableEverywhere(browser, html, tabs) {
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of [desktop, phone]) {
      const {page, errors, context} = await openPage(browser, html, {viewport, colorScheme});
      const parts = new PageParts(page);
      for (const tab of tabs) {
        await parts.tab(tab);
        if (tab === "table") await parts.click("button.open");
        expect(await violationsOf(page), [], `${colorScheme} ${viewport.width}: ${tab}`);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        require(width <= viewport.width, `${tab} is ${width} wide on ${viewport.width}`);
      }
      expect(errors, [], "errors");
      await context.close();
    }
  }
}
