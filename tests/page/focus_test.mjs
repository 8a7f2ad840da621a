// SPDX-License-Identifier: Apache-2.0
//
// Whoever uses the keyboard goes on where they are: a control that is made anew keeps the focus.
import {expect, require} from "./checks.mjs";
import {openPage, settle} from "./browser.mjs";
import {PageParts} from "./page_parts.mjs";

// Says what has the focus.
function focused(page) {
  return page.evaluate(() => {
    const active = document.activeElement;
    const row = active.closest("[data-key]");
    return [active.tagName, active.id, active.dataset.sort ?? "", row?.dataset.key ?? "",
            active.textContent.replace(/[▴▾]/g, "").trim()].join("|");
  });
}

// Presses a key on a control, which has the focus then, too.
async function keepsFocus(page, selector, key = "Enter") {
  await page.locator(selector).first().focus();
  const before = await focused(page);
  await page.keyboard.press(key);
  await settle(page);
  expect(await focused(page), before, `the focus after ${key} on ${selector}`);
}

export async function controlsKeepTheFocus({browser, html}) {
  const {page, errors} = await openPage(browser, html);
  const parts = new PageParts(page);
  for (const selector of ["#measure-held", "#measure-calls", ".shortcuts button",
                          ".shortcuts button:nth-child(2)", ".timeline .legend button"]) {
    await keepsFocus(page, selector);
  }
  await parts.press("a");
  await parts.tab("table");
  for (const selector of ['[data-sort="calls"]', '[data-sort="calls"]', '[data-sort="name"]',
                          "button.open", "tbody tr[data-key]:last-child button.open", "#by-site"]) {
    await keepsFocus(page, selector);
  }
  await parts.tab("source");
  await keepsFocus(page, "#whole-file");
  expect(errors, [], "errors");
}

export async function aRowOpensAndClosesByKeyboard({browser, html}) {
  const {page} = await openPage(browser, html);
  const parts = new PageParts(page);
  await parts.tab("table");
  const row = page.locator("tr[data-key]").nth(2).locator("button.open");
  await row.focus();
  const isOpen = () => row.getAttribute("aria-expanded");
  await parts.press("Enter");
  expect(await isOpen(), "true", "Enter opens the row");
  await parts.press("Tab");
  require(await page.evaluate(() => {
    const active = document.activeElement;
    return active.closest("tr.opened") !== null ||
           active.closest("[data-key]") === document.querySelectorAll("tr[data-key]")[3];
  }), "Tab leads into what was opened, or to the next row");
  await row.focus();
  await parts.press("Enter");
  expect(await isOpen(), "false", "a second Enter closes it");
}

export async function theArrowsGoThroughAllPhases({browser, html}) {
  const {page} = await openPage(browser, html);
  const parts = new PageParts(page);
  await page.focus("#phase");
  for (const wanted of ["0", "1", "2", "3"]) {
    await parts.press("ArrowDown");
    expect(await page.inputValue("#phase"), wanted, "the phase");
    expect(await page.evaluate(() => document.activeElement.id), "phase", "the focus");
  }
}

// A crumb that is gone leaves the focus in its row, from which Tab goes on.
export async function aCrumbThatGoesLeavesTheFocusNearby({browser, html}) {
  const {page} = await openPage(browser, html);
  const parts = new PageParts(page);
  await parts.press("p");
  await page.locator(".ranges .trail button").first().focus();
  await parts.press("Enter");
  require(await page.evaluate(() => document.activeElement.closest(".ranges") !== null),
          "the focus stays in the row");
  await page.keyboard.press("Tab");
  require(await page.evaluate(() => document.activeElement.matches(".shortcuts button")),
          "Tab goes to the shortcuts");
}

export async function controlsOfAComparisonKeepTheFocus({browser, diffHtml}) {
  const {page, errors} = await openPage(browser, diffHtml);
  const parts = new PageParts(page);
  await keepsFocus(page, "#measure-held");
  await parts.tab("table");
  for (const selector of ['[data-sort="before"]', "button.open", "#only-grew", "#by-site"]) {
    await keepsFocus(page, selector);
  }
  expect(errors, [], "errors");
}
