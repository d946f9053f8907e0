// Takes the pictures that README and the guide show.

import fs from "node:fs";
import path from "node:path";
import { listPages } from "./pages.mjs";
import { openWindow, setWindow, startBrowser } from "./session.mjs";

const plan = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const browser = await startBrowser(plan.chromium);
const { page, origin } = await openWindow(browser, plan.store.link);
const pages = new Map(await listPages(page, origin, plan.store));
const PICTURES = [
  ["overview", pages.get("overview"), 1280, 900, "light"],
  ["value", pages.get("value"), 1280, 900, "light"],
  ["session", await longestSession(), 1280, 900, "light"],
  ["search", pages.get("search"), 1280, 900, "light"],
  ["graph", pages.get("graph"), 1280, 900, "dark"],
  ["narrow", pages.get("sessions"), 400, 860, "light"],
];
for (const [name, address, width, height, scheme] of PICTURES) {
  await setWindow(page, width, height, scheme);
  await page.goto(origin + address);
  // The graph is drawn after the page has come.
  await page.waitForTimeout(500);
  await page.screenshot({ path: path.join(plan.into, `dashboard-${name}.png`) });
}
await browser.close();

/** The longest session has the folds that the guide speaks of. */
async function longestSession() {
  await page.goto(`${origin}/ui/sessions`);
  const rows = await page.locator("main tbody tr").evaluateAll((found) => found.map((row) => [
    row.querySelector("a").getAttribute("href"), Number(row.children[3].textContent.replaceAll(",", "")),
  ]));
  return rows.sort((one, other) => other[1] - one[1])[0][0];
}
