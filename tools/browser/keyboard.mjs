// Does with the keyboard alone what a person does with the pages: ask, open what a summary stands for, walk the graph.

export async function tryKeyboard(page, origin, store) {
  const findings = [];
  for (const step of [skipNavigation, askQuestion, openFold, walkGraph]) {
    try {
      const finding = await step(page, origin, store);
      if (finding) findings.push(`${step.name}: ${finding}`);
    } catch (error) {
      findings.push(`${step.name}: ${error.message.split("\n")[0]}`);
    }
  }
  return findings;
}

/** Presses Tab until a selector has the focus. */
async function tabTo(page, selector, most = 120) {
  for (let pressed = 0; pressed < most; pressed += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector)) return true;
  }
  return false;
}

async function skipNavigation(page, origin) {
  await page.goto(`${origin}/`);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  return page.url().endsWith("#content") ? null : "the first stop does not lead to the content";
}

async function askQuestion(page, origin, store) {
  await page.goto(`${origin}/ui/search`);
  if (!await page.evaluate(() => document.activeElement?.id === "q")) return "the question has no focus";
  await page.keyboard.type(store.question);
  await page.keyboard.press("Enter");
  await page.waitForSelector("ol.answers > li");
  const why = await page.locator("ol.answers .why").first().textContent();
  return why.includes("Taken for: ") ? null : "a region does not say why it was taken";
}

async function openFold(page, origin) {
  await page.goto(`${origin}/ui/sessions`);
  const sessions = await page.locator('main a[href^="/ui/sessions/"]').evaluateAll((links) => links.map((link) => link.href));
  for (const session of sessions) {
    await page.goto(session);
    if (await page.locator("details[data-load]").count() === 0) continue;
    if (!await tabTo(page, "details[data-load] > summary")) return "no fold can be reached";
    await page.keyboard.press("Enter");
    await page.waitForSelector("details[open] ol.timeline li.entry");
    return page.url() === session ? null : "the fold opened on another page";
  }
  return "no session has a fold";
}

async function walkGraph(page, origin, store) {
  await page.goto(`${origin}/ui/graph?symbol=${encodeURIComponent(store.symbol)}`);
  await page.waitForSelector(".graph.moves [data-node]");
  if (!await tabTo(page, ".graph [data-node]")) return "no node can be reached";
  const count = () => page.locator(".graph [data-node]").count();
  const view = () => page.locator(".graph svg").getAttribute("viewBox");
  const [nodes, start] = [await count(), await view()];
  await page.keyboard.press("+");
  const enlarged = await view();
  if (enlarged === start) return "+ does not enlarge";
  await page.keyboard.press("ArrowRight");
  if (await view() === enlarged) return "an arrow key does not move";
  // Not every neighbour has neighbours of its own, so several are opened.
  const address = page.url();
  for (let opened = 0; opened < 6 && await count() === nodes; opened += 1) {
    const isOpen = await page.evaluate(() => document.activeElement?.getAttribute("aria-label")?.endsWith("opens its own page"));
    if (!isOpen) await page.keyboard.press("Enter");
    await page.waitForTimeout(300);
    if (page.url() !== address) return "a neighbour opened on another page";
    await page.keyboard.press("Tab");
  }
  return await count() > nodes ? null : "no neighbour opens in place";
}
