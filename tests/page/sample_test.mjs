// SPDX-License-Identifier: Apache-2.0
//
// A page of a sample says so in its head, and how far off its figures may be.
import {execFileSync} from "node:child_process";
import fs from "node:fs";
import {dataOf, expect, require} from "./checks.mjs";
import {openPage} from "./browser.mjs";
import {madeData, pageOf} from "./made_page.mjs";
import {PageParts} from "./page_parts.mjs";

export async function aSampleSaysWhatItsFiguresAreWorth({browser, terminal, folder}) {
  const dump = `${folder}/sample.bin`;
  const html = `${folder}/sample.html`;
  terminal.run(["html", dump, "-o", html]);
  const summary = terminal.run(["summary", dump]).replace(/\s+/g, " ");
  const {program, spaces} = dataOf(html);
  require(summary.includes(program.sample.text), `${program.sample.text} is the terminal's`);
  const {page, errors} = await openPage(browser, html);
  const parts = new PageParts(page);
  const chip = await parts.text("#sample");
  require(/^a sample: [\d.]+ .iB may be \d+ % off$/.test(chip), `the head says so: ${chip}`);
  require(program.sample.text.includes(chip.slice("a sample: ".length)), "as the terminal does");
  await parts.space("host");
  const host = spaces.find(({name}) => name === "host");
  const report = JSON.parse(execFileSync(terminal.report, ["summary", dump, "--json", "-"],
                                         {encoding: "utf8", maxBuffer: 1 << 28}));
  expect(host.ranges, report.spaces.host.ranges, "the ranges are the terminal's");
  for (const [measure, name] of [["peak", "at_peak_bytes"], ["allocated", "allocated_bytes"]]) {
    await parts.measure(measure);
    const note = await parts.text("#card-when");
    require(/; [\d.]+ .*B – [\d.]+ .*B in 95 of 100 cases/.test(note), `${name}: ${note}`);
  }
  await parts.press("p");
  require((await parts.text("#card-when")).includes("of it may be"), "a range of the run, too");
  await parts.tab("problems");
  require((await parts.text(".problems")).includes(program.sample.text), "the problems");
  expect(errors, [], "errors");
}

export async function anExactPageHasNoSample({browser, bundle, folder}) {
  const html = `${folder}/exact.html`;
  fs.writeFileSync(html, pageOf(madeData(10), bundle));
  const {page} = await openPage(browser, html);
  expect(await page.$("#sample"), null, "no chip");
  require(!(await page.textContent("#card-when")).includes("95 of 100"), "no range");
}
