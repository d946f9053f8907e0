// Commands: ask, show a symbol with what it depends on, copy the context of a symbol, show what a change touches.

import * as vscode from "vscode";
import type { ImpactReply, ReadReply } from "../../../clients/node/src/index.js";
import type { Program } from "./program";
import type { ReplyDocuments } from "./replyDocuments";
import { fenced, named, numbered } from "./text";

/** Tokens of a symbol with what it depends on. */
const SYMBOL_BUDGET = 4_000;

export function registerPalette(context: vscode.ExtensionContext, program: Program, documents: ReplyDocuments): void {
  const commands: Array<[string, () => Promise<void>]> = [
    ["epitome.ask", () => ask(program, documents)],
    ["epitome.hydrateSymbol", () => showSymbol(program, documents)],
    ["epitome.copyContext", () => copyContext(program)],
    ["epitome.showImpact", () => showImpact(program, documents)],
  ];
  for (const [name, run] of commands) context.subscriptions.push(vscode.commands.registerCommand(name, run));
}

async function ask(program: Program, documents: ReplyDocuments): Promise<void> {
  const prompt = "A question about the project; the answer cites source and conversations";
  const query = await vscode.window.showInputBox({ prompt, placeHolder: "how are passwords checked" });
  if (!query) return;
  const reply = await program.askForPerson("Looking through the project", (it) => it.context({ query, anyway: true }));
  if (!reply) return;
  const parts = reply.items.map((item) => `## ${named(item.source)}\n\n${fenced(item.text)}\n\n${item.why}`);
  const left = reply.omitted.length + (reply.omitted_more ?? 0);
  const tail = `${numbered(reply.tokens)} tokens; left out for the budget: ${left}`;
  const notes = reply.degraded.map((note) => `Note: ${note}`);
  await documents.show(query, [`# ${named(query)}`, ...parts, ...notes, tail].join("\n\n") + "\n");
}

async function showSymbol(program: Program, documents: ReplyDocuments): Promise<void> {
  const place = await symbolHere(program);
  if (!place) return;
  const reply = await readSymbol(program, place);
  if (reply) await documents.show(place, `# ${named(place)}\n\n${renderItems(reply)}\n`);
}

async function copyContext(program: Program): Promise<void> {
  const place = await symbolHere(program);
  if (!place) return;
  const reply = await readSymbol(program, place);
  if (!reply) return;
  await vscode.env.clipboard.writeText(`${renderItems(reply)}\n`);
  vscode.window.setStatusBarMessage(`$(clippy) Epitome: ${numbered(reply.tokens)} tokens of context copied`, 5_000);
}

function readSymbol(program: Program, place: string): Promise<ReadReply | undefined> {
  const parameters = { targets: [place], depth: 1, budget: SYMBOL_BUDGET };
  return program.askForPerson("Reading the symbol", (it) => it.read(parameters));
}

function renderItems(reply: ReadReply): string {
  const parts = reply.items.map((item) => {
    const why = item.relation ? ` (${item.relation} of ${item.of ?? "it"})` : "";
    return `${item.path}:${item.start_line}-${item.end_line}${why}\n\n${fenced(item.text)}`;
  });
  const left = reply.omitted.map((item) => `Left out: ${item.id} (${item.reason})`);
  return [...parts, ...left].join("\n\n");
}

async function showImpact(program: Program, documents: ReplyDocuments): Promise<void> {
  const place = await symbolHere(program);
  if (!place) return;
  const reply = await program.askForPerson("Following its callers", (it) => it.impact({ symbols: [place] }));
  if (reply) await documents.show(`Impact of ${place}`, renderImpact(place, reply));
}

function renderImpact(place: string, reply: ImpactReply): string {
  const affected = reply.affected.map(
    (it) => `- ${named(it.id)}: ${it.how}, ${it.distance === 1 ? "1 step" : `${it.distance} steps`}, confidence ${it.confidence}`,
  );
  const tests = reply.tests.map((it) => `- ${named(it.path)}`);
  const list = (lines: string[], more: number) =>
    [...(lines.length > 0 ? lines : ["- none is known"]), ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
  const mentions = `Lines that mention the name and are linked to nothing: ${reply.unlinked.total}`;
  return [
    `# Impact of ${named(place)}`,
    `## Uses it\n\n${list(affected, reply.omitted)}`,
    `## Tests to run\n\n${list(tests, reply.omitted_tests)}`,
    mentions,
  ].join("\n\n") + "\n";
}

/** The symbol that the cursor is in, by its id: the innermost definition of a name on the line, else around it. */
async function symbolHere(program: Program): Promise<string | undefined> {
  const editor = vscode.window.activeTextEditor;
  const path = editor && program.pathOf(editor.document.uri);
  if (!editor || !path) {
    void vscode.window.showInformationMessage("Epitome: open a file of the project and put the cursor into a symbol.");
    return undefined;
  }
  const place = `${path}:${editor.selection.active.line + 1}`;
  const question = { symbol: place, only: ["container" as const], limit: 1 };
  const reply = await program.askForPerson("Finding the symbol", (it) => it.relations(question));
  return reply?.symbol.id;
}
