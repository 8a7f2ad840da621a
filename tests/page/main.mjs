// SPDX-License-Identifier: Apache-2.0
//
// Runs every test of the page:  main.mjs REPORT DUMP BUNDLE FOLDER [WORDS]
// FOLDER has next.bin, the recording with which DUMP is compared.
// A test is a function that a *_test.mjs file exports. WORDS choose tests by a part of their name.
import fs from "node:fs";
import path from "node:path";
import {fileURLToPath, pathToFileURL} from "node:url";
import {startBrowser} from "./browser.mjs";
import {Comparison, Failed, Terminal} from "./checks.mjs";

const [report, dump, bundle, folder, ...words] = process.argv.slice(2);
const terminal = new Terminal(report, dump);
const html = path.join(folder, "story.html");
terminal.run(["html", dump, "-o", html]);
const comparison = new Comparison(terminal, path.join(folder, "next.bin"));
const diffHtml = path.join(folder, "diff.html");
comparison.html(diffHtml);
const browser = await startBrowser();
const given = {browser, html, terminal, bundle, folder, comparison, diffHtml};
let failed = 0;
let count = 0;
const here = path.dirname(fileURLToPath(import.meta.url));
for (const file of fs.readdirSync(here).filter((name) => name.endsWith("_test.mjs"))) {
  const tests = await import(pathToFileURL(path.join(here, file)));
  for (const [name, test] of Object.entries(tests)) {
    if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
    const begin = Date.now();
    count += 1;
    try {
      await test(given);
      console.log(`ok      ${name} (${Date.now() - begin} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}: ${error instanceof Failed ? error.message : error.stack}`);
    }
    for (const context of browser.contexts()) await context.close();
  }
}
await browser.close();
terminal.close();
console.log(`${count - failed} of ${count} tests passed`);
process.exit(failed === 0 && count > 0 ? 0 : 1);
