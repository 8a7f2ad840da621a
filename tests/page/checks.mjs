// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the page have in common: expectations, and the terminal's figures.
import {execFileSync} from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";

export class Failed extends Error {}

export function expect(found, wanted, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Failed(`${what}: expected ${b}, found ${a}`);
}

export function require(condition, what) {
  if (!condition) throw new Failed(what);
}

// The terminal: memtrace-report on one dump.
export class Terminal {
  constructor(report, dump) {
    this.report = report;
    this.dump = dump;
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), "memtrace-page-"));
  }

  run(words) {
    return execFileSync(this.report, words, {
      encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "pipe"],
    });
  }

  json(command, words = []) {
    const file = path.join(this.folder, "report.json");
    this.run([command, this.dump, "--json", file, ...words]);
    return JSON.parse(fs.readFileSync(file, "utf8"));
  }

  close() {
    fs.rmSync(this.folder, {recursive: true});
  }
}

// The terminal's comparison of its dump with a later one.
export class Comparison {
  constructor(terminal, after) {
    this.terminal = terminal;
    this.after = after;
  }

  text(words = []) {
    return this.terminal.run(["diff", this.terminal.dump, this.after, ...words]);
  }

  html(file, words = []) {
    return this.text(["--html", file, ...words]);
  }

  json() {
    return JSON.parse(this.text(["--json", "-"]));
  }
}

// Returns the data of a page.
export function dataOf(html) {
  const packed = fs.readFileSync(html, "utf8").match(/id="data">([^<]*)</)[1];
  return JSON.parse(zlib.inflateSync(Buffer.from(packed, "base64")));
}

// Returns a time for the command line, exact to the nanosecond.
export function timeOf(ns) {
  const whole = Math.floor(ns / 1e9);
  return `${whole}.${String(Math.round(ns - whole * 1e9)).padStart(9, "0")}s`;
}
