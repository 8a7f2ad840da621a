// SPDX-License-Identifier: Apache-2.0
//
// What the reader of a page has chosen, and who must be drawn again if that changes.

export class Choice<View> {
  private readonly listeners: (() => void)[] = [];
  private isDue = false;

  constructor(public view: View) {}

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  set(change: Partial<View>): void {
    this.view = {...this.view, ...change};
    this.refresh();
  }

  // Draws once for any number of changes before the next frame; or at once: paper has no frames.
  refresh(atOnce = false): void {
    if (atOnce) {
      this.draw();
      return;
    }
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.draw();
    });
  }

  private draw(): void {
    for (const listener of this.listeners) listener();
    // Tests wait for it.
    document.body.dataset.drawn = String(Number(document.body.dataset.drawn ?? 0) + 1);
  }
}
