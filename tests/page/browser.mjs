// SPDX-License-Identifier: Apache-2.0
//
// A headless Chromium for tests and pictures of the page. Everything that a page must never do is
// an error: messages on the console, exceptions, and requests to any network.
import fs from "node:fs";
import {chromium} from "playwright-core";

const places = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser",
                "/usr/bin/google-chrome"];

export function findChromium() {
  return places.find((place) => place && fs.existsSync(place));
}

export async function startBrowser() {
  return chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync"],
  });
}

export const desktop = {width: 1280, height: 800};
export const phone = {width: 390, height: 844};

// Opens a file and waits until it is drawn. `errors` collects what went wrong.
export async function openPage(browser, file, {viewport = desktop, colorScheme = "light",
                                               hasTouch = false} = {}) {
  const context = await browser.newContext({viewport, colorScheme, hasTouch,
                                             deviceScaleFactor: 1});
  const page = await context.newPage();
  const errors = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("dialog", (dialog) => {
    errors.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) errors.push(`a request: ${request.url()}`);
  });
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => Number(document.body.dataset.drawn) > 0 ||
                                   document.querySelector("#page .empty"));
  return {page, errors, context};
}

// Waits until the page has drawn what was just chosen.
export async function settle(page) {
  await page.evaluate(() => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))));
}
