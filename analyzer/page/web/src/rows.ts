// SPDX-License-Identifier: Apache-2.0
//
// Call sites grouped for lists: by the user's own line (own_lines.h), or each by itself.

import {own} from "./data";
import {withoutFrames} from "./names";
import type {Profile, Space} from "./profile";
import type {Search} from "./search";
import type {Named} from "./table";

export interface Row extends Named {
  sites: number[];
}

const known = new Map<string, Row[]>();

// Rows depend on the recording alone, so they are made once.
function once(key: string, make: () => Row[]): Row[] {
  let rows = known.get(key);
  if (!rows) known.set(key, rows = make());
  return rows;
}

export function rowsByLine(profile: Profile, space: Space): Row[] {
  return once(`line ${space.name}`, () => makeByLine(profile, space));
}

// A call site is named by its innermost frame.
export function rowsBySite(profile: Profile, space: Space): Row[] {
  return once(`site ${space.name}`, () => makeBySite(profile, space));
}

function makeByLine(profile: Profile, space: Space): Row[] {
  const rows = new Map<number, Row>();
  space.data.sites.row.forEach((index, site) => {
    let row = rows.get(index);
    if (!row) {
      const [kind, name] = profile.data.rows[index];
      row = {key: `row${index}`, name, detail: "", kind, sites: []};
      rows.set(index, row);
    }
    row.sites.push(site);
  });
  return [...rows.values()];
}

function makeBySite(profile: Profile, space: Space): Row[] {
  return space.data.sites.node.map((node, site) => {
    const frames = profile.stackOf(node);
    const line = frames.find((frame) => (profile.flagsOf(frame) & own) !== 0);
    const name = frames.length === 0 ? withoutFrames(space.data.sites.folded[site] === 1)
      : profile.frameText(frames[0]);
    const detail = line === undefined || line === frames[0] ? "" : profile.frameText(line);
    const kind = line === undefined ? "library" : "line";
    return {key: `site${site}`, name, detail, kind, sites: [site]};
  });
}

// True if the row's own name, or a call in one of its stacks, is searched for. `nodes`: by site.
export function isFound(row: Row, search: Search, nodes: number[]): boolean {
  return search.hasText(`${row.name} ${row.detail}`) ||
         row.sites.some((site) => search.hasStack(nodes[site]));
}

export function sumOfSites(values: Float64Array, sites: number[]): number {
  let sum = 0;
  for (const site of sites) sum += values[site];
  return sum;
}
