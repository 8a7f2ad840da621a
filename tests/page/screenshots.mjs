// SPDX-License-Identifier: Apache-2.0
//
// Pictures of a page for the documents:  screenshots.mjs PAGE DIFF FOLDER
import path from "node:path";
import {openPage, settle, startBrowser} from "./browser.mjs";
import {dataOf} from "./checks.mjs";
import {PageParts} from "./page_parts.mjs";

const [html, diff, folder] = process.argv.slice(2);
const browser = await startBrowser();

async function picture(name, options, use, file = html) {
  const {page, context} = await openPage(browser, file, options);
  await use(page);
  await settle(page);
  await page.screenshot({path: path.join(folder, name)});
  await context.close();
}

// Returns a part of the timeline, 0 to 1, in which the program did its steps.
function middleOfSteps() {
  const {slices, program} = dataOf(html);
  const times = slices.end_ns.filter((_, i) => slices.steps[i] > 0);
  const at = (part) => times[Math.floor(part * (times.length - 1))] / program.duration_ns;
  return [at(0.25), at(0.75)];
}

const viewport = {width: 1180, height: 860};
await picture("page-flame.png", {viewport}, async () => {});
await picture("page-leaks.png", {viewport, colorScheme: "dark"}, async (page) => {
  await page.click("#tab-leaks");
  await page.evaluate(() => document.querySelector(".views").scrollIntoView());
});
await picture("page-range.png", {viewport}, async (page) => {
  const parts = new PageParts(page);
  await parts.drag(...middleOfSteps());
  await parts.measure("grown");
});
await picture("diff-page.png", {viewport}, async () => {}, diff);
await browser.close();
