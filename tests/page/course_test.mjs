// SPDX-License-Identifier: Apache-2.0
//
// What the timeline and the bands draw was so: no slopes between what is known, the least and the
// most of each slice, and a sentence where nothing is known.
import fs from "node:fs";
import {dataOf, expect, require} from "./checks.mjs";
import {openPage} from "./browser.mjs";
import {madeData, pageOf} from "./made_page.mjs";
import {PageParts} from "./page_parts.mjs";

const sums = (differences) => {
  let sum = 0;
  return differences.map((difference) => (sum += difference));
};

export async function theCourseIsTheTerminals({html, terminal}) {
  const data = dataOf(html);
  const ends = sums(data.course_ends);
  for (const curve of terminal.json("timeline").timeline.curves) {
    if (curve.name === "resident") continue;
    const {course} = data.spaces.find(({name}) => name === curve.name);
    const of = (key) => curve.slices.map((slice) => slice[key]);
    expect(ends.slice(1), of("end_ns"), "the ends of slices");
    expect(sums(course.lowest), of("lowest"), `${curve.name}: the least`);
    expect(sums(course.highest), of("highest"), `${curve.name}: the most`);
  }
}

// Returns the sums of the colours of each column of a timeline.
function columnsOf(page) {
  return page.evaluate(() => {
    const canvas = document.querySelector("#timeline canvas");
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const found = new Array(canvas.width).fill(0);
    data.forEach((value, i) => (found[Math.floor(i / 4) % canvas.width] += value));
    return found;
  });
}

// Two courses of ten slices, each with one that holds memory for a while, differ in these only.
export async function aSliceIsABox({browser, bundle, folder}) {
  const columns = [];
  for (const held of [2, 6]) {
    const data = madeData(100, 10);
    const highest = new Array(10).fill(0);
    highest[held] = 1e6;
    highest[held + 1] = -1e6;
    data.spaces[0].course = {lowest: new Array(10).fill(0), highest};
    const html = `${folder}/box.html`;
    fs.writeFileSync(html, pageOf(data, bundle));
    const {page, errors} = await openPage(browser, html);
    columns.push(await columnsOf(page));
    expect(errors, [], "errors");
  }
  const [one, other] = columns;
  const found = [...one.keys()].filter((column) => one[column] !== other[column]);
  // The axis of bytes is in front of the plot, which shows 1.01 seconds.
  const at = (slice) => 72 + (slice / 10.1) * (one.length - 72 - 32);
  const inside = (column) => [2, 6].some((slice) =>
    column > at(slice) - 3 && column < at(slice + 1) + 3);
  expect(found.filter((column) => !inside(column)), [], "columns outside of the two slices");
  require(found.length > 1.8 * (at(1) - at(0)), "and the slices are full");
}

export async function aProfileOfSeveralProcessesHasNoCourse({browser, terminal, comparison,
                                                             folder}) {
  const [profile, html] = [`${folder}/merged.mtp`, `${folder}/merged.html`];
  terminal.run(["merge", `${folder}/lost.bin`, comparison.after, "-o", profile]);
  terminal.run(["html", profile, "-o", html]);
  const {page, errors} = await openPage(browser, html);
  require((await page.textContent("#course")).includes("has no course"), "a sentence");
  expect(await page.$$eval("#timeline", (plots) => plots.length), 0, "plots");
  const parts = new PageParts(page);
  await parts.tab("blocks");
  require((await parts.text("#panel")).includes("has no course"), "and so do the bands");
  require(terminal.run(["timeline", profile]).includes("has no course"), "and the terminal");
  expect(await page.$eval("#card-growth", ({className}) => className), "", "growth is not judged");
  expect(errors, [], "errors");
}
