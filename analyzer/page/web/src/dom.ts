// SPDX-License-Identifier: Apache-2.0
//
// Elements, made without markup: names of other programs only ever become text.

import {focusAt, focusIn} from "./focus";

export type Child = Node | string | null | undefined | false;
type Value = string | number | boolean | null | undefined | ((event: never) => void);

// h("button.primary", {title: "…", onclick: f}, "text"). An attribute that is false, null or
// undefined is left out.
export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K | `${K}.${string}`, attributes: Record<string, Value> = {},
    ...children: Child[]): HTMLElementTagNameMap[K] {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name) as HTMLElementTagNameMap[K];
  if (classes.length > 0) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") {
      element.addEventListener(key.slice(2), value as unknown as EventListener);
    } else if (key === "style") {
      element.style.cssText = String(value);
    } else {
      element.setAttribute(key, value === true ? "" : String(value));
    }
  }
  append(element, children);
  return element;
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

// Replaces what is in an element. If the focus was on a part of it, it goes to the same part of the
// new content (focus.ts): who uses the keyboard goes on from there.
export function replace(element: Element, ...children: Child[]): void {
  const place = focusIn(element);
  element.replaceChildren();
  append(element, children);
  if (place) focusAt(element, place);
}

// A button that stays pressed.
export function toggle(id: string, text: string, change: (on: boolean) => void): HTMLElement {
  const button = h("button", {
    id, type: "button", "aria-pressed": "false", onclick: () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(on));
      change(on);
    },
  }, text);
  return button;
}

export interface Segment {
  id: string;
  text: string;
  title: string;
}

// Buttons of which one is pressed; the first one at the beginning.
export function segments(label: string, parts: Segment[],
                         change: (id: string) => void): HTMLElement {
  const buttons = parts.map(({id, text, title}, i) => h("button", {
    id, title, type: "button", "aria-pressed": String(i === 0), onclick: () => {
      for (const one of buttons) one.setAttribute("aria-pressed", String(one.id === id));
      change(id);
    },
  }, text));
  return h("div.segments", {role: "group", "aria-label": label}, ...buttons);
}

const svgNames = "http://www.w3.org/2000/svg";

export function svg(tag: string, attributes: Record<string, string | number> = {},
                    ...children: Node[]): SVGElement {
  const element = document.createElementNS(svgNames, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

export function styleOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
