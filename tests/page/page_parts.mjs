// SPDX-License-Identifier: Apache-2.0
//
// Reads and uses the controls of a page as a person does.
import {settle} from "./browser.mjs";

export class PageParts {
  constructor(page) {
    this.page = page;
  }

  async click(selector) {
    await this.page.click(selector);
    await settle(this.page);
  }

  async press(key) {
    await this.page.keyboard.press(key);
    await settle(this.page);
  }

  tab(name) {
    return this.click(`#tab-${name}`);
  }

  measure(name) {
    return this.click(`#measure-${name}`);
  }

  async space(name) {
    await this.page.selectOption("#space", name);
    await settle(this.page);
  }

  // Returns the chosen range in nanoseconds.
  range() {
    return this.page.$eval("#range", (range) => ({
      from: Number(range.dataset.from), to: Number(range.dataset.to),
    }));
  }

  // Drags over a part of the timeline, 0 to 1.
  async drag(from, to) {
    const plot = await this.page.$("#timeline .u-over");
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    const y = box.y + box.height / 2;
    await this.page.mouse.move(box.x + from * box.width, y);
    await this.page.mouse.down();
    await this.page.mouse.move(box.x + ((from + to) / 2) * box.width, y);
    await this.page.mouse.move(box.x + to * box.width, y);
    await this.page.mouse.up();
    await settle(this.page);
  }

  // Returns the sums below the table by measure.
  sums() {
    return this.page.$$eval("table.sites tfoot td", (cells) =>
      Object.fromEntries(cells.map((cell) => [cell.dataset.measure, Number(cell.dataset.value)])));
  }

  // Returns the rows of the table: name and value by measure. All of them are shown first.
  async rows() {
    for (let more; (more = await this.page.$("p.controls button"));) {
      await more.click();
      await settle(this.page);
    }
    return this.page.$$eval("table.sites tbody tr[data-key]", (rows) => rows.map((row) => ({
      name: row.querySelector(".name").textContent,
      ...Object.fromEntries([...row.querySelectorAll("td")].map((cell) =>
        [cell.dataset.measure, Number(cell.dataset.value)])),
    })));
  }

  text(selector) {
    return this.page.$eval(selector, (element) => element.textContent);
  }
}
