// SPDX-License-Identifier: Apache-2.0
//
// Light or dark: as the system has it, until the reader decides.

import {h} from "./dom";

const system = matchMedia("(prefers-color-scheme: dark)");
let isChosen = false;

function set(isDark: boolean): void {
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
}

// Call before anything is drawn.
export function followSystem(): void {
  set(system.matches);
}

export function themeButton(changed: () => void): HTMLElement {
  system.addEventListener("change", () => {
    if (isChosen) return;
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
