// SPDX-License-Identifier: Apache-2.0
//
// The page of one recording: everything is drawn once, and whatever depends on the reader's choice
// again.

import {Cards} from "./cards";
import type {Data} from "./data";
import {h, replace} from "./dom";
import {FlameTab} from "./flame_tab";
import {filtersText, headerOf} from "./header";
import {helpWindow, keysOf, listenToKeys} from "./keys";
import {ProblemsTab} from "./problems_tab";
import {everyThread, Profile, type Space, sumOf} from "./profile";
import {State} from "./state";
import {tabsOf} from "./tabs";
import {Timeline} from "./timeline";
import {Toolbar} from "./toolbar";

const muchMore = 2;  // times

// Returns what the user's own lines held of a space at its peak.
function ownAtPeak(profile: Profile, {data}: Space): number {
  return sumOf(data.sites.peak.filter((_, site) => {
    const [kind] = profile.data.rows[data.sites.row[site]];
    return kind === "line" || kind === "backward";
  }));
}

// Returns the space that the page begins with: the one that held most. In mappings and in the
// memory of devices lies what allocators hand out, whose spaces say more, unless the user's own
// lines map much more. Only what was in memory of it counts: files may be mapped to read a part.
function firstSpace(profile: Profile): string {
  const hasTensors = profile.spaces.some(({name}) => name.startsWith("tensors"));
  const rank = (name: string) =>
    name === "mmap" || name === "pinned" || (hasTensors && name.startsWith("device")) ? 1 : 0;
  const [first] = [...profile.spaces].sort((a, b) =>
    rank(a.name) - rank(b.name) || b.data.peak_bytes - a.data.peak_bytes);
  const mapped = profile.spaces.find(({name}) => name === "mmap");
  const inMemory = profile.data.ledgers.host_ledger.peak?.parts["mappings"] ?? Infinity;
  const isMapped = mapped && first !== mapped &&
      Math.min(inMemory, ownAtPeak(profile, mapped)) > muchMore * first.data.peak_bytes;
  return isMapped ? mapped.name : first.name;
}

export function showRecording(data: Data, page: HTMLElement): void {
  const profile = new Profile(data);
  if (profile.spaces.length === 0) {
    replace(page, headerOf(data, {refresh: () => undefined}),
            h("p.empty", {}, data.filters.length === 0 ? data.nothing
              : `Nothing that was allocated passes the filter: ${filtersText(data)}`),
            new ProblemsTab(data).element);
    return;
  }
  const state = new State(profile, {
    space: firstSpace(profile), measure: "peak", range: {from: 0, to: profile.last},
    tab: "flame", thread: everyThread, search: "", unfold: false, row: "",
    finding: null,
  });
  const dialog = helpWindow();
  const timeline = new Timeline(state);
  const toolbar = new Toolbar(state);
  const cards = new Cards(state);
  const flame = new FlameTab(state);
  const tabs = tabsOf(state, flame);
  replace(page, headerOf(data, {
            refresh: (atOnce) => state.refresh(atOnce), help: () => dialog.showModal(),
            showProblems: () => state.set({tab: "problems"}),
          }),
          h("main", {}, h("div.panel", {}, timeline.element, toolbar.ranges), toolbar.element,
            cards.element, tabs.element), dialog);
  listenToKeys({...keysOf(state), ...flame.shape.keys}, toolbar.search, dialog);
  state.onChange(() => {
    const {view} = state;
    const values = profile.values(profile.space(view.space), view.measure, view.range,
                                  view.thread);
    toolbar.draw();
    timeline.draw();
    cards.draw(values);
    tabs.draw(view.tab, values);
  });
  state.refresh();
}
