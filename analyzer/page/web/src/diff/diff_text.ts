// SPDX-License-Identifier: Apache-2.0
//
// Differences in words, as the terminal has them.

import {bytesText, countText} from "../format";
import {changeOf, measures, type Measure, type Pair} from "./diff";
import type {DiffSpace} from "./diff_data";

const rough = (space: DiffSpace): string => (space.is_estimate ? "~" : "");

// Figures of one step are parts, and small ones are no less different.
function amount(value: number, isCount: boolean): string {
  if (isCount) return Number.isInteger(value) ? countText(value) : value.toPrecision(3);
  return value !== 0 && Math.abs(value) < 0.5 ? "<1 B" : bytesText(value);
}

export function valueText(space: DiffSpace, measure: Measure, value: number): string {
  return value === 0 ? "–" : rough(space) + amount(value, measures[measure].isCount);
}

function signed(text: string, value: number): string {
  return value === 0 ? "–" : (value > 0 ? "+" : "\u2212") + text;
}

export function changeText(space: DiffSpace, measure: Measure, change: number): string {
  const text = amount(Math.abs(change), measures[measure].isCount);
  return change === 0 ? "–" : rough(space) + signed(text, change);
}

export function blocksText(change: number): string {
  return signed(amount(Math.abs(change), true), change);
}

// "host: 104.2 MiB → 161.9 MiB"
export function fromTo(space: DiffSpace, measure: Measure, pair: Pair): string {
  const zero = measures[measure].isCount ? "0" : "0 B";
  const text = (value: number) => (value === 0 ? zero : valueText(space, measure, value));
  return `${text(pair.before)} → ${text(pair.after)}`;
}

// Red where more is taken than before, blue where less is.
export function classOfChange(change: number): string {
  return change > 0 ? "grew" : change < 0 ? "shrank" : "";
}

export const classOf = (pair: Pair): string => classOfChange(changeOf(pair));
