// SPDX-License-Identifier: Apache-2.0
//
// Light or dark: as the system has it, until the reader decides. On paper it is light.

import {h} from "./dom";

const system = matchMedia("(prefers-color-scheme: dark)");
const paper = matchMedia("print");
let isChosen = false;

function set(isDark: boolean): void {
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
}

// Call before anything is drawn.
export function followSystem(): void {
  set(system.matches);
}

// `changed` draws again; at once: before it returns.
export function themeButton(changed: (atOnce?: boolean) => void): HTMLElement {
  let before = "light";
  paper.addEventListener("change", () => {
    const {dataset} = document.documentElement;
    if (paper.matches) before = dataset.theme ?? before;
    set(!paper.matches && before === "dark");
    changed(true);
  });
  system.addEventListener("change", () => {
    if (isChosen || paper.matches) return;
    followSystem();
    changed();
  });
  return h("button", {
    type: "button", id: "theme", "aria-label": "Light or dark", title: "Light or dark (t)",
    onclick: () => {
      isChosen = true;
      set(document.documentElement.dataset.theme !== "dark");
      changed();
    },
  }, "◐");
}
