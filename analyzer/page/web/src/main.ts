// SPDX-License-Identifier: Apache-2.0
//
// The program of the page. It reads the data that stands in the page, draws everything once, and
// draws again whatever depends on the reader's choice.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import {Cards} from "./cards";
import {readData, type Data} from "./data";
import {h, replace} from "./dom";
import {headerOf} from "./header";
import {helpWindow, listenToKeys} from "./keys";
import {Profile} from "./profile";
import {State} from "./state";
import {Tabs} from "./tabs";
import {followSystem} from "./theme";
import {Timeline} from "./timeline";
import {Toolbar} from "./toolbar";

// Returns the space that the page begins with: the one that held most. In mappings and in the
// memory of devices lies what allocators hand out, whose spaces say more.
function firstSpace(profile: Profile): string {
  const hasTensors = profile.spaces.some(({name}) => name.startsWith("tensors"));
  const rank = (name: string) =>
    name === "mmap" || name === "pinned" || (hasTensors && name.startsWith("device")) ? 1 : 0;
  const [first] = [...profile.spaces].sort((a, b) =>
    rank(a.name) - rank(b.name) || b.data.peak_bytes - a.data.peak_bytes);
  return first.name;
}

function show(data: Data, page: HTMLElement): void {
  const profile = new Profile(data);
  if (profile.spaces.length === 0) {
    replace(page, h("header.head", {}, h("h1", {}, data.program.command)),
            h("p.empty", {}, "Nothing was allocated in this recording."));
    return;
  }
  const state = new State(profile, {
    space: firstSpace(profile), measure: "peak", range: {from: 0, to: profile.last},
    tab: "flame", search: "", unfold: false, row: "",
  });
  const dialog = helpWindow();
  const timeline = new Timeline(state);
  const toolbar = new Toolbar(state);
  const cards = new Cards(state);
  const tabs = new Tabs(state);
  replace(page, headerOf(state, () => dialog.showModal()),
          h("main", {}, h("div.panel", {}, timeline.element, toolbar.ranges), toolbar.element,
            cards.element, tabs.element), dialog);
  listenToKeys(state, toolbar.search, dialog);
  state.onChange(() => {
    const {view} = state;
    const values = profile.values(profile.space(view.space), view.measure, view.range);
    toolbar.draw();
    timeline.draw();
    cards.draw(values);
    tabs.draw(values);
    document.body.dataset.drawn = String(Number(document.body.dataset.drawn ?? 0) + 1);
  });
  state.refresh();
}

followSystem();
const page = document.getElementById("page")!;
readData(document.getElementById("data")!.textContent.trim())
  .then((data) => show(data, page))
  .catch((error: unknown) => {
    replace(page, h("p.empty", {}, "This page cannot be shown: " + String(error)));
    throw error;
  });
