// Which pages there are, with what this store has for each of them.

const ALWAYS = [
  ["overview", "/"],
  ["value", "/ui/value"],
  ["sessions", "/ui/sessions"],
  ["sessions of the project", "/ui/sessions?within=project"],
  ["memory", "/ui/memory"],
  ["memory tiers", "/ui/tiers"],
  ["checkpoints", "/ui/checkpoints"],
  ["suggestions", "/ui/suggestions"],
  ["search before asking", "/ui/search"],
  ["graph before asking", "/ui/graph"],
  ["documents", "/ui/documents"],
  ["documents without a match", "/ui/documents?about=nowhere&missing=1"],
  ["projects", "/ui/projects"],
  ["health", "/ui/health"],
  ["health with proof", "/ui/health?verify=now"],
];

/** Names and addresses of all pages of a store; `ask` says what to search and which symbol to show. */
export async function listPages(page, origin, ask) {
  const pages = [...ALWAYS];
  pages.push(["search", `/ui/search?q=${encodeURIComponent(ask.question)}&budget=2000`]);
  pages.push(["graph", `/ui/graph?symbol=${encodeURIComponent(ask.symbol)}`]);
  await page.goto(`${origin}/ui/documents`);
  await page.waitForFunction(() => !document.querySelector("[data-working]"));
  const documents = await page.locator('main a[href^="/ui/documents?document="]').evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  for (const [at, document] of [...new Set(documents)].slice(0, 2).entries()) pages.push([`document ${at + 1}`, document]);
  await page.goto(`${origin}/ui/sessions`);
  const sessions = await page.locator('main a[href^="/ui/sessions/"]').evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  for (const [at, session] of sessions.slice(0, 4).entries()) pages.push([`session ${at + 1}`, session]);
  for (const session of sessions.slice(0, 4)) {
    await page.goto(origin + session);
    const fold = page.locator("details[data-load]").first();
    if (await fold.count() > 0) {
      pages.push(["summary", await fold.getAttribute("data-load")]);
      break;
    }
  }
  if (await page.locator('nav a[href="/ui/modes"]').count() > 0) pages.push(["modes", "/ui/modes"]);
  return pages;
}
