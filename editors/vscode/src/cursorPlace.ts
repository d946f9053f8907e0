// Where the cursor rests: told to the program where somebody subscribed to that, so that the agent's next prompt is told what
// is there.

import * as vscode from "vscode";
import type { Program } from "./program";

/** A cursor that stays as long is looked at what is there. */
const REST_MS = 1_500;
/** How long it is believed that nobody subscribed, or that somebody did. */
const SUBSCRIBED_MS = 60_000;

export function registerCursorPlace(context: vscode.ExtensionContext, program: Program, onSuggested: () => void): void {
  const cursor = new CursorPlace(program, onSuggested);
  context.subscriptions.push(
    cursor,
    vscode.window.onDidChangeTextEditorSelection((change) => cursor.moved(change.textEditor)),
    vscode.window.onDidChangeActiveTextEditor((editor) => editor && cursor.moved(editor)),
  );
}

class CursorPlace implements vscode.Disposable {
  readonly #program: Program;
  readonly #onSuggested: () => void;
  #timer: NodeJS.Timeout | undefined;
  #lastPlace = "";
  #subscribed: { at: number; answer: Promise<boolean> } | undefined;

  constructor(program: Program, onSuggested: () => void) {
    this.#program = program;
    this.#onSuggested = onSuggested;
  }

  moved(editor: vscode.TextEditor): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#tell(editor), REST_MS);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  async #tell(editor: vscode.TextEditor): Promise<void> {
    const path = this.#program.pathOf(editor.document.uri);
    const place = `${path}:${editor.selection.active.line + 1}`;
    // What a person types is not in the index yet.
    if (!path || editor.document.isDirty || place === this.#lastPlace || !(await this.#isSubscribed())) return;
    this.#lastPlace = place;
    const reply = await this.#program.ask((it) => it.suggestion({ action: "near", id: place }));
    if (reply && reply.suggestions.length > 0) this.#onSuggested();
  }

  #isSubscribed(): Promise<boolean> {
    const now = Date.now();
    if (!this.#subscribed || now - this.#subscribed.at > SUBSCRIBED_MS) {
      this.#subscribed = { at: now, answer: this.#askSubscribed() };
    }
    return this.#subscribed.answer;
  }

  async #askSubscribed(): Promise<boolean> {
    const reply = await this.#program.ask((it) => it.subscription({ action: "list" }));
    return reply?.subscriptions.some((it) => it.trigger_type === "cursor_proximity" && it.status === "active") ?? false;
  }
}
