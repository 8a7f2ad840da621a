// SPDX-License-Identifier: Apache-2.0
//
// Lets a finger choose a part of a plot, as a mouse does. Moves along the time are those of the
// plot; up and down, and of two fingers, they are those of the page.

import type uPlot from "uplot";

export function dragByTouch(plot: uPlot): void {
  const {over} = plot;
  over.style.touchAction = "pan-y pinch-zoom";
  let begin: number | null = null;
  const at = (event: PointerEvent) => {
    const {left, width} = over.getBoundingClientRect();
    return Math.min(width, Math.max(0, event.clientX - left));
  };
  const select = (event: PointerEvent, isEnd: boolean) => {
    if (begin === null || !event.isPrimary) return;
    const x = at(event);
    plot.setSelect({left: Math.min(begin, x), width: Math.abs(x - begin), top: 0,
                    height: over.clientHeight}, isEnd);
  };
  over.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" || !event.isPrimary) return;
    begin = at(event);
    over.setPointerCapture(event.pointerId);
  });
  over.addEventListener("pointermove", (event) => select(event, false));
  over.addEventListener("pointerup", (event) => {
    select(event, true);
    begin = null;
  });
  // The page scrolls instead.
  over.addEventListener("pointercancel", () => {
    if (begin !== null) plot.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
    begin = null;
  });
}
