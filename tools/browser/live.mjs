// Sees that a page which says that it is live changes by itself when an agent reads something, and that it does not
// stutter meanwhile. A server without events has no such page, and there is nothing to see.

const LONGEST_WAIT = 10000;
const LONGEST_TASK = 50;

export async function tryLive(page, origin, store) {
  await page.goto(`${origin}/ui/value`);
  if (await page.locator("[data-events]").count() === 0) return [];
  await page.waitForSelector('[data-events][data-state="open"]', { timeout: LONGEST_WAIT });
  const trace = page.locator('[data-live="entries"]');
  const before = await trace.innerHTML();
  await page.evaluate(() => {
    window.longTasks = [];
    const note = (list) => window.longTasks.push(...list.getEntries().map((entry) => entry.duration));
    new PerformanceObserver(note).observe({ type: "longtask" });
  });
  await callOperation(origin, store, "read", { targets: [store.file], mode: "map" });
  const until = Date.now() + LONGEST_WAIT;
  while (Date.now() < until && await trace.innerHTML() === before) await page.waitForTimeout(100);
  const findings = [];
  if (await trace.innerHTML() === before) findings.push("a call was not shown");
  const longest = Math.max(0, ...await page.evaluate(() => window.longTasks));
  if (longest > LONGEST_TASK) findings.push(`a task of the page took ${Math.round(longest)} ms`);
  return findings;
}

/** Calls an operation as a program with the token does. */
async function callOperation(origin, store, name, params) {
  const headers = { authorization: `Bearer ${store.token}`, "content-type": "application/json" };
  const reply = await fetch(`${origin}/v1/${name}`, { method: "POST", headers, body: JSON.stringify(params) });
  if (!reply.ok) throw new Error(`${name}: the server answered ${reply.status}`);
}
