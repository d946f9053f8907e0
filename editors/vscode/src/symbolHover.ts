// What the program knows of the name under the pointer: signature, description, callers, decisions that name it.

import * as vscode from "vscode";
import type { Program } from "./program";
import { quoted } from "./text";

const MOST_DEFINITIONS = 3;
const MOST_CALLERS = 5;
const MOST_DECISIONS = 3;

export class SymbolHover implements vscode.HoverProvider {
  readonly #program: Program;

  constructor(program: Program) {
    this.#program = program;
  }

  async provideHover(document: vscode.TextDocument, position: vscode.Position, token: vscode.CancellationToken): Promise<vscode.Hover | undefined> {
    const isWanted = vscode.workspace.getConfiguration("epitome").get("hover") === true;
    const range = document.getWordRangeAtPosition(position);
    const path = this.#program.pathOf(document.uri);
    if (!isWanted || !range || !path) return undefined;
    const name = document.getText(range);
    const found = await this.#program.ask((it) => it.symbol({ name, limit: 10 }));
    const line = position.line + 1;
    const exact = (found?.symbols ?? []).filter((symbol) => symbol.fit === "exact" && symbol.kind !== "file");
    // The definition that the pointer is at, where it is at one.
    const here = exact.filter((symbol) => symbol.path === path && symbol.start_line <= line && line <= symbol.end_line);
    const symbols = (here.length > 0 ? here : exact).slice(0, MOST_DEFINITIONS);
    if (symbols.length === 0 || token.isCancellationRequested) return undefined;
    const text = new vscode.MarkdownString();
    for (const symbol of symbols) {
      text.appendCodeblock(symbol.signature, document.languageId);
      const about = symbol.summary ?? symbol.doc;
      if (about) text.appendMarkdown(`${quoted(about)}\n\n`);
      text.appendMarkdown(`${this.#link(symbol.path, symbol.start_line)}\n\n`);
    }
    // Callers and decisions of one thing; of several namesakes they would mix.
    const only = exact.length === 1 || here.length === 1 ? symbols[0] : undefined;
    if (only) await this.#addRelations(text, only.id, only.name);
    return token.isCancellationRequested ? undefined : new vscode.Hover(text, range);
  }

  async #addRelations(text: vscode.MarkdownString, id: string, name: string): Promise<void> {
    const [relations, decisions] = await Promise.all([
      this.#program.ask((it) => it.relations({ symbol: id, only: ["callers"], limit: MOST_CALLERS })),
      this.#program.ask((it) => it.decisions({ entity: name, limit: MOST_DECISIONS })),
    ]);
    const callers = relations?.relations ?? [];
    if (callers.length > 0) {
      const more = relations?.omitted ? ` and ${relations.omitted} more` : "";
      const links = callers.map((it) => `${quoted(it.id.split("#").at(-1) ?? it.id)} (${this.#link(it.path, it.line)})`);
      text.appendMarkdown(`**Called by** ${links.join(", ")}${more}\n\n`);
    }
    for (const it of decisions?.decisions ?? []) {
      text.appendMarkdown(`**Decided** (${quoted(it.status)}): ${quoted(it.decision)}\n\n`);
    }
  }

  #link(path: string, line: number): string {
    const target = this.#program.uriOf(path).with({ fragment: `L${line}` });
    return `[${quoted(path)}:${line}](${target.toString()})`;
  }
}
