// SPDX-License-Identifier: Apache-2.0
//
// The steps of the README, "Three leaks in a minute", clicked one after another.
import fs from "node:fs";
import path from "node:path";
import {dataOf, expect, require} from "./checks.mjs";
import {openPage, settle} from "./browser.mjs";
import {PageParts} from "./page_parts.mjs";

// Returns the part of the timeline, 0 to 1, in which the program did its steps.
function stepsOf(html) {
  const {slices, program} = dataOf(html);
  const ends = slices.end_ns.filter((_, i) => slices.steps[i] > 0);
  return [0.2, 0.8].map((part) => ends[Math.floor(part * (ends.length - 1))] / program.duration_ns);
}

export async function aNewcomerFindsThreeLeaks({browser, folder, terminal}) {
  const dump = path.join(folder, "leaky_train.bin");
  if (!fs.existsSync(dump)) {
    console.log("without PyTorch there is no examples/leaky_train.py to look at");
    return;
  }
  const html = path.join(folder, "leaky_train.html");
  terminal.run(["html", dump, "-o", html]);
  const {page, errors} = await openPage(browser, html);
  const parts = new PageParts(page);

  // 1. The second answer of the first screen is red. Click on its first line.
  const growth = await page.$eval("#card-growth", ({className, textContent}) =>
    ({className, textContent}));
  expect(growth.className, "bad", "the answer is red");
  require(/^\d+ leaks(, \d+ more growing, not sure)?$/.test(growth.textContent),
          growth.textContent);
  require((await parts.text(".findings button")).includes("leaky_train.py:52"), "its first line");
  await parts.click(".findings button");

  // 2. The tab Leaks is open, and names the lines.
  expect(await page.$eval('[role="tab"][aria-selected="true"]', ({id}) => id), "tab-leaks", "tab");
  const found = await page.$$eval("article.finding h3", (titles) =>
    titles.map((title) => title.textContent));
  for (const line of [52, 54, 38, 67]) {
    require(found.slice(0, 4).some((title) => title.includes(`leaky_train.py:${line}`)),
            `line ${line} is one of the first four: ${found.slice(0, 6).join("; ")}`);
  }
  require((await page.$$("article.finding svg.curve")).length >= 8, "each with its two curves");

  // 3. Drag over the steps, choose Grown, and open Source.
  await parts.drag(...stepsOf(html));
  await parts.measure("grown");
  await parts.tab("source");
  await settle(page);
  for (const line of [38, 52, 54, 67]) {
    const text = await page.$eval(`tr[data-line="${line}"]`, (row) => row.textContent);
    require(/KiB|MiB/.test(text), `line ${line} has memory beside it: ${text}`);
  }
  expect(errors, [], "errors");
}
