// Looks at every page of every store, and ends with 1 where one of them is not as it must be: an error in the console, a
// request to elsewhere, something wider than the window, a serious finding of axe-core, something that the keyboard
// cannot do, or text of others that was obeyed.

import fs from "node:fs";
import { createRequire } from "node:module";
import { tryKeyboard } from "./keyboard.mjs";
import { tryLive } from "./live.mjs";
import { listPages } from "./pages.mjs";
import { openWindow, setWindow, startBrowser } from "./session.mjs";

const AXE = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WINDOWS = [[360, 780, "light"], [900, 900, "dark"], [1440, 900, "light"]];
/** Where barriers are looked for: the narrowest window, and the other theme. */
const LOOKED_INTO = [360, 900];
const SERIOUS = ["serious", "critical"];

const plan = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const browser = await startBrowser(plan.chromium);
const findings = [];
let looks = 0;
try {
  // All links are used at once: each is good for two minutes only.
  const windows = [];
  for (const store of plan.stores) windows.push([store, await openWindow(browser, store.link)]);
  for (const [store, opened] of windows) await lookAtStore(store, opened);
} finally {
  await browser.close();
}
for (const finding of findings) console.error(finding);
console.log(`browser: ${looks} looks at pages of ${plan.stores.length} stores, ${findings.length} findings`);
process.exit(findings.length > 0 || looks === 0 ? 1 : 0);

async function lookAtStore(store, { context, page, origin, problems }) {
  const say = (where, what) => findings.push(`${store.name}, ${where}: ${what}`);
  for (const [name, path] of await listPages(page, origin, store)) {
    for (const [width, height, scheme] of WINDOWS) {
      const where = `${name} (${path}) at ${width} ${scheme}`;
      problems.length = 0;
      await setWindow(page, width, height, scheme);
      const reply = await page.goto(origin + path);
      await page.waitForFunction(() => !document.querySelector("[data-working]"));
      looks += 1;
      if (reply.status() !== 200) say(where, `the server answered ${reply.status()}`);
      if (!(await page.title()).endsWith("· Epitome")) say(where, `its title is ${await page.title()}`);
      for (const wide of await page.evaluate(findWide)) say(where, wide);
      if (LOOKED_INTO.includes(width)) for (const barrier of await findBarriers(page)) say(where, barrier);
      for (const problem of problems) say(where, problem);
    }
  }
  if (store.name === "full") {
    problems.length = 0;
    await setWindow(page, 1440, 900, "light");
    for (const finding of await tryKeyboard(page, origin, store)) say("keyboard", finding);
    for (const finding of await tryLive(page, origin, store)) say("live", finding);
    for (const problem of problems) say("keyboard", problem);
  }
  await context.close();
}

/** What lies outside of the window, or makes the page wider than it. Runs in the page. */
function findWide() {
  const found = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const element of document.querySelectorAll("main *, header *")) {
    const box = element.getBoundingClientRect();
    // What is drawn, read aloud only, or scrolls in a frame of its own may lie anywhere.
    const isPlaced = box.width > 0 && box.height > 0 && !element.closest("svg, .hidden, .frame, .said, thead");
    if (isPlaced && (box.right > width + 1 || box.left < -1)) found.push(`${element.tagName}.${element.className} ends at ${Math.round(box.right)}`);
  }
  for (const box of document.querySelectorAll(".table, .card, .tile, .entry, .tiles")) {
    if (box.scrollWidth > box.clientWidth + 1) found.push(`${box.className} cuts what is in it: ${box.scrollWidth} of ${box.clientWidth}`);
  }
  return found.slice(0, 3);
}

async function findBarriers(page) {
  await page.evaluate(AXE);
  const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const grave = result.violations.filter((violation) => SERIOUS.includes(violation.impact));
  const first = (violation) => violation.nodes.slice(0, 2).map((node) => node.html.slice(0, 160)).join(" | ");
  return grave.map((violation) => `${violation.id}: ${violation.help}: ${first(violation)}`);
}
