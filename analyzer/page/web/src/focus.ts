// SPDX-License-Identifier: Apache-2.0
//
// Where the focus is among elements that are made anew. A part is known again by its id, the column
// that it sorts, the row that it is in, or by its text.

const focusable = "button, select, input, summary, a[href], [tabindex]";

export interface FocusPlace {
  key: string;
  among: number;  // number among the parts with this key
  index: number;  // number among all parts
}

function partsOf(element: Element): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(focusable)];
}

function keyOf(part: HTMLElement): string {
  if (part.id !== "") return `#${part.id}`;
  if (part.dataset.sort !== undefined) return `sort ${part.dataset.sort}`;
  const row = part.closest<HTMLElement>("[data-key]");
  const text = row && part.matches("button.open") ? "" : part.textContent;
  return `${part.tagName} ${row?.dataset.key ?? ""} ${text}`;
}

// Returns nothing if the focus is on no part of the element.
export function focusIn(element: Element): FocusPlace | null {
  const active = document.activeElement;
  if (!(active instanceof HTMLElement) || active === element || !element.contains(active)) {
    return null;
  }
  const parts = partsOf(element);
  const key = keyOf(active);
  return {key, among: parts.filter((part) => keyOf(part) === key).indexOf(active),
          index: parts.indexOf(active)};
}

// Where there is no such part any more, the one in its place has the focus, or the element itself.
export function focusAt(element: Element, {key, among, index}: FocusPlace): void {
  const parts = partsOf(element);
  const same = parts.filter((part) => keyOf(part) === key);
  const canUse = (part?: HTMLElement) => part !== undefined && !part.matches(":disabled");
  const found = [same[Math.min(among, same.length - 1)],
                 parts[Math.min(index, parts.length - 1)]].find(canUse);
  if (found) {
    found.focus({preventScroll: true});
  } else if (element instanceof HTMLElement) {
    if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
    element.focus({preventScroll: true});
  }
}
