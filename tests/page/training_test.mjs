// SPDX-License-Identifier: Apache-2.0
//
// The tab of a program that trains, with the leaky training of the README.
import fs from "node:fs";
import path from "node:path";
import {expect, require, Terminal} from "./checks.mjs";
import {openPage} from "./browser.mjs";
import {madeData, pageOf} from "./made_page.mjs";
import {PageParts} from "./page_parts.mjs";
import {usableEverywhere} from "./usable.mjs";

// Returns the page of the training and its terminal, or nothing without PyTorch.
function trainingIn({folder, terminal}) {
  const dump = path.join(folder, "leaky_train.bin");
  if (!fs.existsSync(dump)) {
    console.log("without PyTorch there is no examples/leaky_train.py to look at");
    return null;
  }
  const html = path.join(folder, "leaky_train.html");
  if (!fs.existsSync(html) || fs.statSync(html).mtimeMs < fs.statSync(dump).mtimeMs) {
    terminal.run(["html", dump, "-o", html]);
  }
  return {html, terminal: new Terminal(terminal.report, dump)};
}

function figuresOf(page, selector) {
  return page.$$eval(`${selector} tbody tr`, (rows) => rows.map((row) => ({
    name: row.querySelector("th").textContent,
    bytes: [...row.querySelectorAll("td[data-value]")].map(({dataset}) => Number(dataset.value)),
  })));
}

export async function trainingKindsAreTheTerminals(given) {
  const training = trainingIn(given);
  if (training === null) return;
  const {page, errors} = await openPage(given.browser, training.html);
  const parts = new PageParts(page);
  await parts.press("8");
  expect(await page.$eval('[role="tab"][aria-selected="true"]', ({id}) => id), "tab-training",
         "the key 8");
  const json = training.terminal.json("training");
  const [host] = json.training.spaces;
  const bytes = (rows) => rows.map(({bytes}) => bytes).sort((a, b) => b - a);
  const kinds = await figuresOf(page, 'table.kinds[data-space="host"]');
  const none = kinds.pop();
  expect(none.name, "no tensors: Python, libraries, the framework", "the last row");
  expect(none.bytes[0], host.peak_bytes - host.tensor_bytes, "no tensors");
  expect(kinds.map(({bytes: [value]}) => value), bytes(host.kinds), "kinds at the peak");

  const steps = await figuresOf(page, ".steps table.figures");
  for (const [i, row] of host.steps.rows.entries()) {
    const column = steps.map(({bytes: values}) => values[i]);
    const sum = (values) => values.reduce((a, b) => a + b, 0);
    expect(sum(column.slice(0, -3)), sum(Object.values(row.bytes_at_end)), `step ${row.step}`);
    expect(column.slice(-3), [row.most_bytes, row.made_bytes, row.given_back_bytes],
           `in step ${row.step}`);
  }
  const modules = await figuresOf(page, ".modules table.figures");
  expect(modules.map(({name, bytes: [all]}) => [name, all]),
         host.modules.map((module) => [module.class, module.bytes]), "modules");
  for (const kind of host.kinds) {
    const lines = await page.$$eval(`details[data-kind="${kind.kind}"] .number`, (numbers) =>
      numbers.map(({dataset}) => Number(dataset.value)));
    expect(lines.reduce((a, b) => a + b, 0), kind.bytes, `lines of ${kind.kind}`);
    expect(lines[0], kind.lines[0].bytes, `the first line of ${kind.kind}`);
  }
  expect(errors, [], "errors");
  training.terminal.close();
}

export async function trainingAdviceLeadsToItsLine(given) {
  const training = trainingIn(given);
  if (training === null) return;
  const {page, errors} = await openPage(given.browser, training.html);
  const parts = new PageParts(page);
  await parts.tab("training");
  const {advice} = training.terminal.json("training");
  const found = await page.$$eval(".advice article", (articles) => articles.map((article) => ({
    rule: article.dataset.rule, text: article.querySelector("p").textContent,
    link: article.querySelector("a").href,
  })));
  expect(found, advice.map(({rule, text, link}) => ({rule, text, link})), "advice");
  require(found.length > 0, "the leaky training is given advice");
  await parts.click(".advice article button.link");
  expect(await page.$eval('[role="tab"][aria-selected="true"]', ({id}) => id), "tab-table", "tab");
  const opened = await page.$eval('button.open[aria-expanded="true"]', (button) =>
    button.textContent);
  require(found[0].text.includes(opened), `the row of the line is open: ${opened}`);
  expect(errors, [], "errors");
  training.terminal.close();
}

export async function trainingIsUsableEverywhere(given) {
  const training = trainingIn(given);
  if (training !== null) await usableEverywhere(given.browser, training.html, ["training"]);
}

export async function trainingIsOnlyOfTrainings({browser, html}) {
  const {page, errors} = await openPage(browser, html);
  expect((await page.$$("#tab-training")).length, 0, "a program that does not train has no tab");
  expect(errors, [], "errors");
}

export async function arraysAreToldWithoutPassesAndAdvice({browser, bundle, folder}) {
  const data = madeData(10);
  const held = {parameter: 4096, activation: 1024};
  data.training = {
    backward_passes: 0, loop: "train.py:12", steps: 2, why_no_steps: "", tensors_left_out: 0,
    has_module_names: false, is_of_arrays: true, advice: [],
    limits: ["A step is one compiled program."],
    kinds: [{kind: "parameter", name: "parameters", what: "weights"},
            {kind: "activation", name: "activations", what: "made by a step"}],
    spaces: [{
      space: "host", peak_time_ns: 5e8, peak_bytes: 8192, tensor_bytes: 5120, part: "", line: null,
      kinds: Object.entries(held).map(([kind, bytes]) => ({kind, bytes, blocks: 2, all_lines: 0,
                                                           lines: []})),
      modules: [], all_modules: 0,
      steps: {rows: [1, 2].map((step) => ({step, bytes_at_end: held, most_bytes: 5120,
                                           made_bytes: 1024, given_back_bytes: 1024})),
              grown: []},
    }],
  };
  const html = `${folder}/arrays.html`;
  fs.writeFileSync(html, pageOf(data, bundle));
  const {page, errors} = await openPage(browser, html);
  await new PageParts(page).tab("training");
  const kinds = await figuresOf(page, 'table.kinds[data-space="host"]');
  expect(kinds.map(({name, bytes: [value]}) => [name, value]),
         [["parameters", 4096], ["activations", 1024],
          ["no arrays: Python, libraries, the framework", 3072]], "kinds");
  const text = await page.textContent(".tab.training");
  require(text.includes("A step is one compiled program."), "what is not known is said");
  require(text.includes("2 arrays") && !text.includes("tensor"), `arrays are arrays: ${text}`);
  for (const word of ["What could be changed", "Modules", "backward"]) {
    require(!text.includes(word), `"${word}" is not there`);
  }
  expect(errors, [], "errors");
}
