// SPDX-License-Identifier: Apache-2.0
//
// A search finds the same memory in every view: by functions, files and modules of its calls.
import fs from "node:fs";
import {expect, require} from "./checks.mjs";
import {openPage, settle} from "./browser.mjs";
import {madeData, pageOf} from "./made_page.mjs";
import {PageParts} from "./page_parts.mjs";

// Two call sites: one line calls into a module, the other allocates by itself.
async function pageOfTwo({browser, bundle, folder}) {
  const data = madeData(2);
  data.texts.push("libblas.so.3", "/opt/vendor/blas.c", "dgemm");
  const [group, file, name] = [-3, -2, -1].map((at) => data.texts.length + at);
  Object.assign(data.frames, Object.fromEntries(Object.entries(
    {function: name, file, line: 5, group, flags: 0}).map(([key, value]) =>
    [key, [...data.frames[key], value]])));
  const library = data.frames.function.length - 1;
  // Own lines are frames 0 and 4.
  data.nodes = {parent: [0, 0, 0, 1], frame: [-1, 0, 4, library], all: 3};
  const [{sites}] = data.spaces;
  sites.node = [3, 2];
  sites.row = [0, 1];
  sites.peak = [7000, 9000];
  const html = `${folder}/search.html`;
  fs.writeFileSync(html, pageOf(data, bundle));
  const {page, errors} = await openPage(browser, html);
  return {page, errors, parts: new PageParts(page)};
}

async function search(page, text) {
  await page.fill("#search", text);
  await settle(page);
}

const foundIn = (parts) => parts.page.$$eval("tbody tr[data-key] .name", (names) =>
  names.map(({textContent}) => textContent));

export async function aSearchFindsModulesFilesAndCallers(tools) {
  const {page, errors, parts} = await pageOfTwo(tools);
  await parts.tab("table");
  for (const text of ["libblas", "LIBBLAS.so", "/opt/vendor", "dgemm", "blas.c:5"]) {
    await search(page, text);
    expect(await foundIn(parts), ["train.py:0 function_0"], `lines with ${text}`);
  }
  await parts.click("#by-site");
  await search(page, "function_0");
  expect(await foundIn(parts), ["blas.c:5 dgemm"], "a call site by its caller");
  await search(page, "train.py");
  expect((await foundIn(parts)).length, 2, "by a file");
  await search(page, "nosuch");
  expect(await foundIn(parts), [], "nothing");
  await parts.tab("blocks");
  await search(page, "libblas");
  const bands = await page.$$eval("ol.bands .name", (names) =>
    names.map(({textContent}) => textContent));
  expect(bands, ["train.py:0 function_0", "everything else"], "bands");
  expect(errors, [], "errors");
}

// Returns how many pixels of the flame graph have the colour of what is found.
function markedPixels(page) {
  return page.evaluate(() => {
    const canvas = document.querySelector("canvas.flame");
    const probe = document.createElement("canvas").getContext("2d");
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--found");
    probe.fillRect(0, 0, 1, 1);
    const wanted = [...probe.getImageData(0, 0, 1, 1).data].join();
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data.slice(i, i + 4).join() === wanted) count += 1;
    }
    return count;
  });
}

export async function theFlameMarksWhatAFoldedBoxHas(tools) {
  const {page} = await pageOfTwo(tools);
  expect(await markedPixels(page), 0, "without a search");
  for (const text of ["libblas", "dgemm", "/opt/vendor"]) {
    await search(page, text);
    require((await markedPixels(page)) > 100, `the box of the library has ${text}`);
  }
  await search(page, "nosuch");
  expect(await markedPixels(page), 0, "nothing is found");
}

export async function aSearchOfADiffFindsCallers({browser, diffHtml}) {
  const {page, errors} = await openPage(browser, diffHtml);
  const parts = new PageParts(page);
  await parts.tab("table");
  await search(page, "main");
  require((await foundIn(parts)).some((name) => !name.includes("main")), "lines that main calls");
  await search(page, "nosuchfunction");
  expect(await foundIn(parts), [], "nothing");
  expect(errors, [], "errors");
}
