// SPDX-License-Identifier: Apache-2.0
//
// A page that is limited to some of the memory says so, and so does its command.
import {expect, require} from "./checks.mjs";
import {openPage, phone} from "./browser.mjs";
import {PageParts} from "./page_parts.mjs";

async function filteredPage({browser, terminal, folder}, words) {
  const html = `${folder}/filtered.html`;
  terminal.run(["html", terminal.dump, "-o", html, ...words]);
  return openPage(browser, html);
}

export async function theHeadNamesTheFilters(tools) {
  const {page, errors} = await filteredPage(tools, ["--function", "le*k", "--own"]);
  const wanted = "--function 'le*k' --own";
  require((await page.textContent(".head")).includes(`only ${wanted}`), "the head");
  require((await page.textContent("code.command")).endsWith(wanted), "the command");
  require((await page.textContent("#course")).includes("is not known here"), "the course");
  const parts = new PageParts(page);
  await parts.press("p");
  require((await page.textContent("code.command")).includes(`${wanted} --`), "that of a range");
  await parts.tab("blocks");
  expect(errors, [], "errors");
}

export async function nothingPassesTheFilter(tools) {
  const {page, errors} = await filteredPage(tools, ["--function", "nosuch"]);
  const text = await page.textContent("#page");
  require(text.includes("passes the filter: --function nosuch"), `it says so: ${text}`);
  expect(errors, [], "errors");
}

export async function everyTabIsInSightOnAPhone({browser, html}) {
  const {page} = await openPage(browser, html, {viewport: phone});
  const ends = await page.$$eval('[role="tab"]', (tabs) =>
    tabs.map((tab) => tab.getBoundingClientRect().right));
  require(ends.every((end) => end <= phone.width), `tabs end at ${ends}`);
}
