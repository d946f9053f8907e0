// Suggestions in the sidebar: what subscriptions led to and nobody dealt with, each with its places. Two buttons say whether
// one was of use; a click on a place opens it.

import * as vscode from "vscode";
import type { Epitome, SuggestionReplySuggestionsItem } from "../../../clients/node/src/index.js";
import type { Program } from "./program";

/** Suggestions come while a person looks: files change, and hooks tell agents of them. */
const REFRESH_MS = 10_000;
const MOST_SUGGESTIONS = 30;

type Suggestion = SuggestionReplySuggestionsItem;
type Place = Suggestion["items"][number];
type Row = { suggestion: Suggestion } | { place: Place };

export class SuggestionView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #program: Program;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #view: vscode.TreeView<Row>;
  readonly #timer: NodeJS.Timeout;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(context: vscode.ExtensionContext, program: Program) {
    this.#program = program;
    this.#view = vscode.window.createTreeView("epitome.suggestions", { treeDataProvider: this });
    this.#timer = setInterval(() => {
      if (this.#view.visible && vscode.window.state.focused) this.refresh();
    }, REFRESH_MS);
    const note = (action: "act" | "dismiss") => (row: Row) => this.#note(row, action);
    context.subscriptions.push(
      this,
      vscode.commands.registerCommand("epitome.actOnSuggestion", note("act")),
      vscode.commands.registerCommand("epitome.dismissSuggestion", note("dismiss")),
      vscode.commands.registerCommand("epitome.openPlace", (place: Place) => this.#open(place)),
    );
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (row) return "suggestion" in row ? row.suggestion.items.map((place) => ({ place })) : [];
    const reply = await this.#program.ask((it) => it.suggestion({ include_delivered: true, limit: MOST_SUGGESTIONS }));
    const open = (reply?.suggestions ?? []).filter((it) => it.status === "pending" || it.status === "delivered");
    const tooltip = open.length === 1 ? "1 suggestion" : `${open.length} suggestions`;
    this.#view.badge = open.length > 0 ? { value: open.length, tooltip } : undefined;
    return open.map((suggestion) => ({ suggestion }));
  }

  getTreeItem(row: Row): vscode.TreeItem {
    if ("place" in row) {
      const [path = "", name] = row.place.place.split("#");
      const item = new vscode.TreeItem(name ?? path);
      item.description = name === undefined ? row.place.kind : `${row.place.kind} · ${path}`;
      item.iconPath = new vscode.ThemeIcon(name === undefined ? "file" : "symbol-method");
      // A file that was removed cannot be opened.
      if (row.place.kind !== "removed") {
        item.command = { command: "epitome.openPlace", title: "Open", arguments: [row.place] };
      }
      return item;
    }
    const { suggestion } = row;
    const item = new vscode.TreeItem(suggestion.title, vscode.TreeItemCollapsibleState.Expanded);
    item.id = suggestion.id;
    item.description = suggestion.status === "delivered" ? "the agent was told" : "";
    item.tooltip = `${suggestion.title}\nrelevance ${suggestion.relevance_score}, ${suggestion.created_at}`;
    item.iconPath = new vscode.ThemeIcon("lightbulb");
    item.contextValue = "suggestion";
    return item;
  }

  refresh(): void {
    this.#changed.fire();
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#view.dispose();
    this.#changed.dispose();
  }

  async #note(row: Row, action: "act" | "dismiss"): Promise<void> {
    if (!("suggestion" in row)) return;
    const { id } = row.suggestion;
    const done = (it: Epitome) => it.suggestion({ action, id });
    if (await this.#program.askForPerson("Noting what was of use", done)) this.refresh();
  }

  async #open(place: Place): Promise<void> {
    const [path = "", name] = place.place.split("#");
    const line = name === undefined ? 1 : await this.#lineOf(place.place);
    if (line === undefined) return;
    const at = new vscode.Range(line - 1, 0, line - 1, 0);
    await vscode.window.showTextDocument(this.#program.uriOf(path), { selection: at, preview: true });
  }

  async #lineOf(id: string): Promise<number | undefined> {
    const found = await this.#program.askForPerson("Finding the symbol", (it) => it.symbol({ name: id, limit: 1 }));
    return found?.symbols[0]?.start_line;
  }
}
