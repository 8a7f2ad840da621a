// SPDX-License-Identifier: Apache-2.0
//
// Exported files in speedscope itself: it opens them, complains about nothing, loads nothing from
// the network, and reads the terminal's totals out of them.
import fs from "node:fs";
import path from "node:path";
import {expect, require} from "./checks.mjs";

// Chromium's renderer in software remarks on its own speed.
const isOfDriver = (text) => text.includes("GL Driver Message");

// Opens a file as speedscope's command does: its page, with a script that has the file.
async function openInSpeedscope(browser, folder, file) {
  const script = path.resolve(folder, "speedscope_file.js");
  const [name, data] = [path.basename(file), fs.readFileSync(file).toString("base64")];
  fs.writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(name)}, "${data}")`);
  const context = await browser.newContext({acceptDownloads: true});
  const page = await context.newPage();
  const errors = [];
  page.on("console", (message) => {
    const text = message.text();
    if (["error", "warning"].includes(message.type()) && !isOfDriver(text)) errors.push(text);
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("dialog", (dialog) => {
    errors.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) errors.push(`a request: ${request.url()}`);
  });
  const site = path.resolve(folder, "node_modules/speedscope/dist/release/index.html");
  await page.goto(`file://${site}#localProfilePath=${script}`);
  await page.getByText("Export").waitFor();
  return {page, errors};
}

// Returns what speedscope has read, as it saves it, and the weights by the names of the profiles.
async function readBack(page) {
  const [saved] = await Promise.all([page.waitForEvent("download"),
                                     page.getByText("Export").click()]);
  const data = JSON.parse(fs.readFileSync(await saved.path(), "utf8"));
  const weights = {};
  for (const profile of data.profiles) {
    weights[profile.name] = profile.type === "evented"
      ? profile.endValue - profile.startValue
      : profile.weights.reduce((sum, weight) => sum + weight, 0);
  }
  return {data, weights};
}

function totalsOf(terminal) {
  const totals = {};
  for (const [name, space] of Object.entries(terminal.json("sites").spaces)) {
    const rough = space.is_estimate ? " (estimated)" : "";
    const add = (title, value) => {
      if (value !== 0) totals[`${name}, ${title}${rough}`] = value;
    };
    add("at the peak", space.peak_bytes);
    add("held at the end", space.held_bytes);
    add("allocated", space.allocated_bytes);
    add("calls", space.allocations);
  }
  return totals;
}

export async function speedscopeReadsItsOwnFormat({browser, folder, terminal}) {
  const file = path.join(folder, "story.speedscope.json");
  terminal.run(["export", terminal.dump, "-o", file, "--measure", "allocated"]);
  const {page, errors} = await openInSpeedscope(browser, folder, file);
  const {data, weights} = await readBack(page);
  expect(weights, totalsOf(terminal), "weights");
  expect(data.profiles[data.activeProfileIndex].name, "host, allocated", "what is shown first");
  const line = data.shared.frames.find((frame) => frame.file?.endsWith("story.py"));
  require(line.line > 0, "frames have their line");
  for (const view of ["Left Heavy", "Sandwich"]) await page.getByText(view).click();
  expect(await page.$$eval("img", (found) => found.length), 0, "elements made of names");
  expect(errors, [], "errors");
}

export async function speedscopeReadsPprof({browser, folder, terminal}) {
  const file = path.join(folder, "story.pb.gz");
  terminal.run(["export", terminal.dump, "-o", file, "--space", "host"]);
  const {page, errors} = await openInSpeedscope(browser, folder, file);
  const {weights} = await readBack(page);
  const host = terminal.json("sites").spaces.host;
  expect(Object.values(weights), [host.peak_bytes], "the weight of the default sample type");
  expect(errors, [], "errors");
}

export async function speedscopeReadsCollapsedStacks({browser, folder, terminal}) {
  const file = path.join(folder, "story.collapsed.txt");
  terminal.run(["export", terminal.dump, "-o", file, "--measure", "calls"]);
  const {page, errors} = await openInSpeedscope(browser, folder, file);
  const {weights} = await readBack(page);
  const calls = Object.values(terminal.json("sites").spaces)
    .reduce((sum, space) => sum + space.allocations, 0);
  expect(Object.values(weights), [calls], "the weight");
  expect(errors, [], "errors");
}

// A recording in which nothing was allocated is opened, too.
export async function speedscopeReadsAnEmptyFile({browser, folder, terminal}) {
  const file = path.join(folder, "empty.speedscope.json");
  terminal.run(["export", terminal.dump, "-o", file, "--function", "no such function"]);
  const {page, errors} = await openInSpeedscope(browser, folder, file);
  expect((await readBack(page)).weights, {"nothing was allocated": 0}, "weights");
  expect(errors, [], "errors");
}
