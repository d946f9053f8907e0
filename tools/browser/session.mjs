// Opens the dashboard in Chromium as a person would: with the one-time link, in a window of some size and theme.

import { chromium } from "playwright-core";

/** As root there is no sandbox, and nothing but the pages is to be asked for anything. */
const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--hide-scrollbars",
];

export function startBrowser(program) {
  return chromium.launch({ executablePath: program, headless: true, args: FLAGS });
}

/** A window that is signed in, and what goes wrong in it. */
export async function openWindow(browser, link, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "light", reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const origin = new URL(link).origin;
  const problems = [];
  page.on("console", (message) => { if (message.type() === "error") problems.push(`console: ${message.text()}`); });
  page.on("pageerror", (error) => problems.push(`script: ${error.message}`));
  page.on("dialog", async (dialog) => { problems.push(`dialog: ${dialog.message()}`); await dialog.dismiss(); });
  await context.route("**/*", (route) => {
    const address = new URL(route.request().url());
    if (address.origin === origin || address.protocol === "data:") return route.continue();
    problems.push(`request to elsewhere: ${address}`);
    return route.abort();
  });
  await page.goto(link);
  return { context, page, origin, problems };
}

/** The same signed-in browser with another window. */
export async function setWindow(page, width, height, colorScheme) {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
}
