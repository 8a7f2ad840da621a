// SPDX-License-Identifier: Apache-2.0
//
// A page made by hand, without memtrace-report: as many call sites as a page may have, for the test
// of its speed.  node made_page.mjs BUNDLE SITES OUTPUT
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

// The same numbers in every run.
function randoms() {
  let seed = 1;
  return () => (seed = (seed * 48271) % 2147483647) / 2147483647;
}

const differencesOf = (values) => values.map((value, i) => value - (values[i - 1] ?? 0));

export function madeData(siteCount, sliceCount = 120) {
  const random = randoms();
  const texts = ["", "/home/me/train.py", "/v/lib/python3.11/site-packages/torch/nn/f.py", "torch",
                 "train.py"];
  const frames = {function: [], file: [], line: [], group: [], flags: []};
  for (let i = 0; i < 3000; i++) {
    texts.push(`function_${i}`);
    const isOwn = i % 4 === 0;
    frames.function.push(texts.length - 1);
    frames.file.push(isOwn ? 1 : 2);
    frames.line.push(i % 500 + 1);
    frames.group.push(isOwn ? 4 : 3);
    frames.flags.push(isOwn ? 5 : 4);
  }
  const nodes = {parent: [0], frame: [-1], all: siteCount * 2};
  for (let i = 1; i <= siteCount; i++) {
    nodes.parent.push(i < 4 ? 0 : Math.floor(random() ** 0.7 * (i - 1)) + 1);
    nodes.frame.push(Math.floor(random() * 3000));
  }
  const names = ["peak", "peak_blocks", "held", "held_blocks", "live", "live_blocks", "allocated",
                 "calls", "temporary"];
  const sites = {node: [], row: [], stacks: [], folded: [], history: []};
  for (const name of names) sites[name] = [];
  const curve = new Array(sliceCount).fill(0);
  for (let i = 1; i <= siteCount; i++) {
    const bytes = Math.floor(random() ** 4 * 1e6);
    const history = [];
    let held = 0;
    let last = 0;
    for (let slice = 0; slice < sliceCount; slice += 1 + Math.floor(random() * 12)) {
      const now = Math.floor(bytes * random());
      history.push(slice - last, now - held, 0, 1, bytes);
      for (let s = slice; s < sliceCount; s++) curve[s] += now - held;
      [held, last] = [now, slice];
    }
    sites.node.push(i);
    sites.row.push(i % 200);
    sites.stacks.push(1);
    sites.folded.push(0);
    sites.history.push(history);
    for (const name of names) sites[name].push(name === "held" ? held : bytes);
  }
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const totals = Object.fromEntries(names.map((name) => [name, sum(sites[name])]));
  const points = [];
  curve.forEach((bytes, i) => {
    points.push(i === 0 ? 0 : 1, bytes - (curve[i - 1] ?? 0), 0, siteCount, 0);
  });
  const peak = curve.indexOf(Math.max(...curve));
  const end_ns = curve.map((_, i) => (i + 1) * 1e8);
  return {
    program: {
      command: "train.py --steps 150", title: "train.py --steps 150",
      dump: "memtrace.train.py.1.bin", pid: 1, processes: 1, commands: 1,
      rank: "", is_compacted: false,
      start_ns: 1.79e18, duration_ns: sliceCount * 1e8 + 1e7, work_end_ns: null, end: "exit 0",
      machine_memory: 0, memory_limit: 0, events: 4477835, lost_events: 0,
      lost_events_exact: true, anomalies: 0, sample: null,
      captures: 2000000, captures_complete: 2000000, dump_bytes: 18000000, threads: 3,
      python: "on (3.11.7)", python_objects: "not recorded", gpu: "none", damaged: false,
      version: "0.1.0",
    },
    filters: [], nothing: "Nothing was allocated.", no_course: "",
    course_ends: [0, ...end_ns.map(() => 1e8)],
    slices: {end_ns, steps: curve.map(() => 1), is_part: curve.map(() => 0),
             step: "train.py:88", all_steps: sliceCount, is_found: true, is_trimmed: false},
    samples: curve.map((bytes, i) => [(i + 0.5) * 1e8, bytes * 1.4]),
    phases: [], marks: [], left_out: {phases: 0, phases_without_end: 0, marks: 0}, refusals: [],
    remarks: [], threads: [], lost: [],
    nodes, texts, frames,
    rows: Array.from({length: 200}, (_, i) => [i % 5 === 4 ? "library" : "line",
                                              `train.py:${i} function_${i}`, i * 4]),
    spaces: [{
      name: "host", is_estimate: false, ranges: null, is_gpu: false, peak_ns: end_ns[peak],
      peak_bytes: curve[peak], changed_after_work: false, recorded_sites: siteCount,
      folded_stacks: 0, folded_at_peak: 0, totals, curve: points, sites, blocks: null,
      course: {lowest: differencesOf(curve), highest: differencesOf(curve)},
    }],
    leaks: {not_judged: "", by_steps: true, points: sliceCount, ends_ns: end_ns,
            all_findings: 0, findings: [], spaces: [], ends: []},
    lost_blocks: null,
    ledgers: {host_ledger: {absent: "made by hand", highest: null, highest_sample: 0,
                            missed_peak: false, peak: null, end: null},
              gpu_ledger: []},
    training: null,
    sources: [],
  };
}

export function pageOf(data, bundle) {
  const read = (name) => fs.readFileSync(path.join(bundle, name), "utf8");
  const packed = zlib.deflateSync(JSON.stringify(data)).toString("base64");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>made</title><style>` +
    `${read("page.css")}</style></head><body><div id="page"></div>` +
    `<script type="application/octet-stream" id="data">${packed}</script>` +
    `<script>${read("page.js")}</script></body></html>`;
}

if (process.argv[1] === import.meta.filename) {
  const [bundle, count, output] = process.argv.slice(2);
  fs.writeFileSync(output, pageOf(madeData(Number(count)), bundle));
}
