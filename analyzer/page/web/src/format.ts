// SPDX-License-Identifier: Apache-2.0
//
// Numbers as memtrace-report prints them (analyzer/base/units.cpp).

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function bytesText(bytes: number): string {
  if (bytes < 0) return "\u2212" + bytesText(-bytes);
  if (bytes < 1024) return `${Math.round(bytes)} B`;
  let value = bytes;
  let unit = 0;
  while (value >= 1023.95 && unit + 1 < units.length) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

export function countText(count: number): string {
  return (count < 0 ? "\u2212" : "") + Math.abs(Math.round(count)).toLocaleString("en-US");
}

export function counted(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function digits3(value: number): string {
  return String(Number(value.toPrecision(3)));
}

export function timeText(ns: number): string {
  if (ns < 1e3) return `${Math.round(ns)} ns`;
  if (ns < 999.5e3) return `${digits3(ns / 1e3)} us`;
  if (ns < 999.5e6) return `${digits3(ns / 1e6)} ms`;
  if (ns < 59.95e9) return `${digits3(ns / 1e9)} s`;
  const seconds = Math.floor((ns + 5e8) / 1e9);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

export function percentText(part: number, whole: number): string {
  if (whole === 0) return "–";
  const share = (100 * part) / whole;
  if (part !== 0 && Math.abs(share) < 0.1) return "<0.1 %";
  if (part < whole && share > 99.9) return ">99.9 %";
  return `${share < 0 ? "\u2212" : ""}${Math.abs(share).toFixed(1)} %`;
}

// Returns a text of at most so many characters, and no half of one.
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const isHalf = /[\ud800-\udbff]/.test(text[most - 1]);
  return `${text.slice(0, isHalf ? most - 1 : most)}…`;
}

// A time for the command line, exact to the nanosecond.
export function exactSeconds(ns: number): string {
  const whole = Math.floor(ns / 1e9);
  return `${whole}.${String(Math.round(ns - whole * 1e9)).padStart(9, "0")}s`;
}

// A word of a command as a shell reads it.
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
