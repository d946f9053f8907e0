// Uses every feature of the extension in the real workbench, in Chromium, as a person would, and takes a picture of each.
// Ends with 1 where one of them does not show what it must. For `cargo xtask editor`, which starts the editor.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { Epitome } from "../../../clients/node/src/index.js";

const plan = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
/** As root there is no sandbox. */
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
/** A busy machine takes its time to start an editor. */
const PATIENCE = Number(process.env.PATIENCE ?? 60_000);
const SAVINGS = "[id*='epitome.savedTokens']";
const STEPS = [showSavings, readAsAgent, foldAsAgent, showAgentWindow, hoverSymbol, browseSidebar, suggestAtCursor, ask, hydrateSymbol, showImpact, copyContext, followSaves];

// Something an agent was spared, for the status bar to tell.
const agent = await Epitome.start({ project: plan.project, program: plan.program, agent: "some-agent" });
await agent.read({ targets: ["server/auth.py", "cart/src/lib.rs", "web/checkout.ts"], mode: "map" });
await agent.subscription({ action: "add", value: "server/*.py", trigger: "cursor_proximity" });
await agent.close();
writeSession();

const browser = await chromium.launch({ executablePath: plan.chromium, headless: true, args: FLAGS });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, permissions: ["clipboard-read", "clipboard-write"] });
const page = await context.newPage();
page.setDefaultTimeout(PATIENCE);
let failed = 0;
try {
  await page.goto(`${plan.origin}/?folder=${encodeURIComponent(plan.project)}`);
  await page.locator(".monaco-workbench").waitFor();
  await trustFolder();
  await page.locator(SAVINGS).waitFor();
  for (const step of STEPS) {
    try {
      await step();
      const toasts = (await page.locator(".notification-toast").allInnerTexts()).filter((text) => text.includes("Epitome:"));
      if (toasts.length > 0) throw new Error(`it complains: ${toasts.join("; ")}`);
      await page.screenshot({ path: path.join(plan.pictures, `${step.name}.png`) });
      console.log(`${step.name}: passed`);
    } catch (error) {
      failed += 1;
      await page.screenshot({ path: path.join(plan.pictures, `${step.name}-failed.png`) });
      console.error(`${step.name}: ${error.message.split("\n").slice(0, 3).join(" ")}`);
    }
  }
} catch (error) {
  failed += 1;
  await page.screenshot({ path: path.join(plan.pictures, "start-failed.png") });
  console.error(`the workbench did not start: ${error.message.split("\n")[0]}`);
} finally {
  await browser.close();
}
console.log(`editor: ${STEPS.length} features in the workbench, ${failed} findings`);
process.exit(failed > 0 ? 1 : 0);

/** Nothing of the extension may run before: it starts a program. */
async function trustFolder() {
  await page.getByRole("button", { name: "Yes, I trust the authors" }).waitFor();
  if (await page.locator(SAVINGS).count() > 0) throw new Error("the extension runs in a folder that nobody trusts");
  await page.getByRole("button", { name: "Yes, I trust the authors" }).click();
}

async function showSavings() {
  await waitForText(page.locator(SAVINGS), /^[\d.]+ % · [\d,]+ tokens saved$/);
}

async function readAsAgent() {
  await openFile("server", "auth.py");
  await runCommand("Epitome: Toggle Ghost Mode");
  await poll(async () => {
    const notes = await page.locator(".view-lines span").evaluateAll((spans) => spans.map((span) => getComputedStyle(span, "::after").content));
    return notes.some((note) => /an agent reads [\d,]+ of [\d,]+ tokens/.test(plain(note))) ? null : "nothing says what an agent reads";
  });
  const opacity = await opacityOf("hashlib.pbkdf2_hmac");
  if (!(opacity < 0.5)) throw new Error(`a body has the opacity ${opacity}`);
  if (await opacityOf("def check_password") < 1) throw new Error("a signature is dimmed");
}

async function foldAsAgent() {
  await runCommand("Epitome: Toggle Ghost Mode");
  if (await opacityOf("hashlib.pbkdf2_hmac") < 1) throw new Error("a body is still dimmed");
  await setSetting("epitome.ghostMode.style", "fold");
  await runCommand("Epitome: Toggle Ghost Mode");
  await page.locator(".view-line", { hasText: "hashlib.pbkdf2_hmac" }).first().waitFor({ state: "detached" });
  await page.locator(".view-line", { hasText: "def check_password" }).first().waitFor();
  await page.screenshot({ path: path.join(plan.pictures, "folded.png") });
  await setSetting("epitome.ghostMode.style", "dim");
  await runCommand("Epitome: Toggle Ghost Mode");
  await runCommand("Unfold All");
  await page.locator(".view-line", { hasText: "hashlib.pbkdf2_hmac" }).first().waitFor();
}

async function showAgentWindow() {
  await page.locator(".editor-actions").getByRole("button", { name: "Toggle What the Agent Has in Its Context" }).first().click();
  await poll(async () => {
    const notes = await notesShown();
    return notes.some((note) => /14 of 36 lines, 1 changed since: in the context of claude-code:9f0c1a52/.test(note)) ? null : `the notes say ${JSON.stringify(notes)}`;
  });
  if (await opacityOf("hashlib.pbkdf2_hmac") < 1) throw new Error("a line that the agent has is dimmed");
  const opacity = await opacityOf("secrets.token_urlsafe");
  if (!(opacity < 0.5)) throw new Error(`a line that the agent does not have has the opacity ${opacity}`);
  const [seen, changed] = [await barOf("hashlib.pbkdf2_hmac"), await barOf("SESSION_HOURS = 12")];
  if (!seen || !changed || seen === changed) throw new Error(`a line that was changed since is marked as one that was not: ${seen}`);
  // Ghost Mode takes its place, and goes in its turn.
  await page.screenshot({ path: path.join(plan.pictures, "agentWindow.png") });
  await runCommand("Epitome: Toggle Ghost Mode");
  await poll(async () => ((await notesShown()).some((note) => /an agent reads/.test(note)) ? null : "Ghost Mode is not on"));
  if (await barOf("SESSION_HOURS = 12")) throw new Error("both views are on");
  await runCommand("Epitome: Toggle What the Agent Has in Its Context");
  await poll(async () => ((await barOf("SESSION_HOURS = 12")) ? null : "it is not on again"));
  await runCommand("Epitome: Toggle What the Agent Has in Its Context");
  await poll(async () => ((await notesShown()).length === 0 ? null : "it is still on"));
}

async function hoverSymbol() {
  await putCursor("def hash_password", "hash_password");
  await runCommand("Show or Focus Hover");
  const hover = page.locator(".monaco-hover:visible").first();
  await waitForText(hover, /def hash_password\(password: str, salt: bytes\)/);
  await waitForText(hover, /Slow on purpose/);
}

async function browseSidebar() {
  await page.keyboard.press("Escape");
  await page.locator(".activitybar [aria-label^='Epitome']").first().click();
  const row = (view, text) => page.locator(".pane", { hasText: view }).locator(".monaco-list-row", { hasText: text }).first();
  await row("Memories", plan.memory).waitFor();
  await row("Decisions", plan.decision).waitFor();
  await row("Sessions", plan.session).click();
  await waitForText(page.locator(".editor-group-container .monaco-editor").first(), /verbatim/);
}

async function suggestAtCursor() {
  await putCursor("def hash_password", "hash_password");
  const row = page.locator(".pane", { hasText: "Suggestions" }).locator(".monaco-list-row", { hasText: "the cursor is at server/auth.py#hash_password" });
  await row.first().waitFor();
  // What calls it, and is a place that a click opens.
  const caller = page.locator(".pane", { hasText: "Suggestions" }).locator(".monaco-list-row", { hasText: "check_password" }).last();
  await caller.click();
  await waitForText(page.locator("[id='status.editor.selection']"), /Ln 16, Col 1/);
  const other = page.locator(".monaco-list-row", { hasText: "the cursor is at server/auth.py#check_password" });
  await other.first().waitFor();
  await page.screenshot({ path: path.join(plan.pictures, "suggestions.png") });
  await press(row.first(), "It Was of Use");
  await press(other.first(), "Dismiss");
  const asked = await Epitome.start({ project: plan.project, program: plan.program, agent: "some-agent" });
  const { suggestions } = await asked.suggestion({ include_delivered: true });
  await asked.close();
  const stands = Object.fromEntries(suggestions.map((it) => [it.items[0].place, it.status]));
  const expected = { "server/auth.py#hash_password": "acted", "server/auth.py#check_password": "dismissed" };
  for (const [place, status] of Object.entries(expected)) {
    if (stands[place] !== status) throw new Error(`${place} is ${stands[place]}`);
  }
}

/** A button of a row, which shows under the pointer; the row goes. */
async function press(row, title) {
  const before = await row.count();
  await row.hover();
  await row.locator(`.actions .action-label[aria-label^="${title}"]`).first().click();
  if (before > 0) await row.waitFor({ state: "detached" });
}

async function ask() {
  await runCommand("Epitome: Ask the Project");
  await page.locator(".quick-input-widget input").first().waitFor();
  await page.keyboard.type("how are passwords checked");
  await page.keyboard.press("Enter");
  await waitForAnyEditor(/hmac\.compare_digest/, "how are passwords checked");
}

async function hydrateSymbol() {
  await putCursor("def check_password", "check_password");
  await runCommand("Epitome: Show This Symbol with What It Depends On");
  await waitForAnyEditor(/server\/auth\.py:\d+-\d+/, "server auth.py check_password");
}

async function showImpact() {
  await putCursor("def hash_password", "hash_password");
  await runCommand("Epitome: Impact of This Function");
  await waitForAnyEditor(/Tests to run/, "Impact of");
}

async function copyContext() {
  await putCursor("def check_password", "check_password");
  await runCommand("Epitome: Copy Context of This Symbol");
  await page.locator(".statusbar-item", { hasText: "tokens of context copied" }).first().waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  if (!copied.includes("hmac.compare_digest")) throw new Error(`the clipboard has ${JSON.stringify(copied.slice(0, 200))}`);
}

async function followSaves() {
  await putCursor("SESSION_HOURS = 12", "SESSION_HOURS");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("GRACE_MINUTES = 5");
  await page.keyboard.press("Control+S");
  await page.locator(".statusbar-item", { hasText: "Epitome: indexed" }).first().waitFor();
  const asked = await Epitome.start({ project: plan.project, program: plan.program, agent: "some-agent" });
  const found = await asked.symbol({ name: "GRACE_MINUTES" });
  await asked.close();
  if (found.symbols[0]?.fit !== "exact") throw new Error("the saved constant is not in the index");
}

/** A session of Claude Code that read the beginning of a file, one line of which was another one then. */
function writeSession() {
  const file = path.join(plan.project, "server", "auth.py");
  const lines = fs.readFileSync(file, "utf8").split("\n").slice(3, 18);
  const shown = lines.map((line, at) => `${String(at + 4).padStart(6)}→${line.replace("SESSION_HOURS = 12", "SESSION_HOURS = 8")}\n`);
  const used = [{ type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: file, offset: 4, limit: 15 } }];
  const got = [{ type: "tool_result", tool_use_id: "toolu_1", content: shown.join("") }];
  const talk = [
    ["user", "How are passwords checked?"],
    ["assistant", used],
    ["user", got],
    ["assistant", [{ type: "text", text: "In constant time." }]],
  ];
  const written = talk.map(([role, content], at) => {
    const timestamp = new Date(Date.now() - (talk.length - at) * 1_000).toISOString();
    const message = { id: `msg_${at}`, role, type: "message", content };
    const parentUuid = at === 0 ? null : `u${at - 1}`;
    return JSON.stringify({ type: role, uuid: `u${at}`, parentUuid, sessionId: "9f0c1a52", cwd: plan.project, version: "2.1.325", timestamp, message });
  });
  const folder = path.join(process.env.HOME, ".claude", "projects", "-shop");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "9f0c1a52.jsonl"), `${written.join("\n")}\n`);
  execFileSync(plan.program, ["import"], { cwd: plan.project, stdio: "ignore" });
}

/** What stands behind lines and is no text of the file. */
async function notesShown() {
  const notes = await page.locator(".view-lines span").evaluateAll((spans) => spans.map((span) => getComputedStyle(span, "::after").content));
  return notes.filter((note) => note !== "none" && note !== "normal" && note !== '""').map((note) => plain(note));
}

/** The bar before a line; nothing where it has none. */
async function barOf(text) {
  const line = page.locator(".view-line", { hasText: text }).first();
  await line.waitFor();
  await page.waitForTimeout(300);
  const top = (await line.boundingBox()).y;
  const marks = await page.locator(".glyph-margin-widgets .cgmr").evaluateAll((marks) => marks.map((mark) => [mark.getBoundingClientRect().y, getComputedStyle(mark).backgroundImage]));
  return marks.find(([y, image]) => Math.abs(y - top) < 2 && image.includes("svg"))?.[1];
}

/** Opens a file from the tree, or goes to its tab. */
async function openFile(folder, name) {
  const tab = page.locator(".tab", { hasText: name }).first();
  if (await tab.count() > 0) return tab.click();
  const row = (text) => page.locator(".explorer-folders-view .monaco-list-row", { hasText: text }).first();
  await row(folder).click();
  await row(name).dblclick();
  await page.locator(".tab.active", { hasText: name }).first().waitFor();
}

async function runCommand(title) {
  await page.keyboard.press("F1");
  const input = page.locator(".quick-input-widget input").first();
  await input.waitFor();
  await input.fill(`>${title}`);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().waitFor({ state: "hidden" });
}

/** Puts the cursor into a word of a line of the file. */
async function putCursor(line, word) {
  await openFile("server", "auth.py");
  const text = fs.readFileSync(path.join(plan.project, "server", "auth.py"), "utf8").split("\n");
  const number = text.findIndex((it) => it.startsWith(line));
  const column = text[number].indexOf(word) + 2;
  await page.keyboard.press("Control+G");
  const input = page.locator(".quick-input-widget input").first();
  await input.waitFor();
  await input.fill(`:${number + 1}:${column}`);
  await page.keyboard.press("Enter");
  await waitForText(page.locator("[id='status.editor.selection']"), new RegExp(`Ln ${number + 1}, Col ${column}`));
}

/** What the person would write into the settings of the machine. */
async function setSetting(name, value) {
  const settings = JSON.parse(fs.readFileSync(plan.settings, "utf8"));
  settings[name] = value;
  fs.writeFileSync(plan.settings, JSON.stringify(settings));
  // The editor hears of the file a moment later, and says nothing when it did.
  await page.waitForTimeout(2_500);
}

async function opacityOf(text) {
  const line = page.locator(".view-line", { hasText: text }).first();
  await line.waitFor();
  await page.waitForTimeout(300);
  return line.evaluate((element) => Math.min(...[...element.querySelectorAll("span")].map((span) => Number(getComputedStyle(span).opacity))));
}

/** A document of the program, by the tab it has; closed again once it was looked at. */
async function waitForAnyEditor(wanted, tab) {
  await page.locator(".tab", { hasText: tab }).first().waitFor();
  await poll(async () => {
    const texts = await page.locator(".monaco-editor .view-lines").allInnerTexts();
    return texts.some((text) => wanted.test(plain(text))) ? null : `no editor shows ${wanted}`;
  });
}

async function waitForText(locator, wanted) {
  await locator.waitFor();
  await poll(async () => {
    const text = plain(await locator.innerText());
    return wanted.test(text) ? null : `${wanted} is not in ${JSON.stringify(text.slice(0, 300))}`;
  });
}

/** The editor writes spaces that do not break, and parts of a line on lines of their own. */
function plain(text) {
  return text.replaceAll("\u00a0", " ").replace(/\n+/g, "\n").trim();
}

async function poll(finding) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const found = await finding();
    if (!found) return;
    if (Date.now() > end) throw new Error(found);
    await page.waitForTimeout(200);
  }
}
