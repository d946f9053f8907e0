// What Ghost Mode and the agent's window have in common: a way to see the files that are open, which a person turns on and
// off. Only one is on at a time. What is shown is of the file on the disk; while a person types, nothing is known of the lines
// below.

import * as vscode from "vscode";
import type { Program } from "./program";

export abstract class FileView implements vscode.Disposable {
  static #current: FileView | undefined;
  #lastAsked = new Map<string, number>();
  readonly #listeners: vscode.Disposable[];

  /** `name` is set for `when` clauses of commands while the view is on. */
  constructor(
    protected readonly program: Program,
    private readonly name: string,
  ) {
    this.#listeners = [
      vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach((editor) => void this.#show(editor))),
      vscode.workspace.onDidSaveTextDocument((document) => this.#showDocument(document)),
      vscode.workspace.onDidChangeTextDocument((change) => this.#forget(change.document)),
    ];
  }

  /** What is known of a file, to be shown in an editor of it; nothing where it is not known. */
  protected abstract read(path: string): Promise<((editor: vscode.TextEditor) => void) | undefined>;

  /** Takes away what was shown in an editor. */
  protected abstract clear(editor: vscode.TextEditor): void;

  protected get isOn(): boolean {
    return FileView.#current === this;
  }

  toggle(): void {
    const before = FileView.#current;
    FileView.#current = before === this ? undefined : this;
    for (const view of new Set([before, this])) view?.refresh();
  }

  /** Reads everything that is shown anew. */
  refresh(): void {
    void vscode.commands.executeCommand("setContext", this.name, this.isOn);
    for (const editor of vscode.window.visibleTextEditors) void this.#show(editor);
  }

  dispose(): void {
    for (const it of this.#listeners) it.dispose();
  }

  #showDocument(document: vscode.TextDocument): void {
    for (const editor of vscode.window.visibleTextEditors) if (editor.document === document) void this.#show(editor);
  }

  #forget(document: vscode.TextDocument): void {
    if (!this.isOn || !document.isDirty) return;
    for (const editor of vscode.window.visibleTextEditors) if (editor.document === document) this.clear(editor);
  }

  async #show(editor: vscode.TextEditor): Promise<void> {
    const path = this.program.pathOf(editor.document.uri);
    if (!path) return;
    const asked = (this.#lastAsked.get(path) ?? 0) + 1;
    this.#lastAsked.set(path, asked);
    if (!this.isOn) {
      this.clear(editor);
      return;
    }
    if (editor.document.isDirty) return;
    const show = await this.read(path);
    // Turned off, or asked again, while the program was reading.
    const isLate = !this.isOn || this.#lastAsked.get(path) !== asked;
    if (show && !isLate && !editor.document.isDirty) show(editor);
  }
}

/** A note behind the first line. */
export function noteDecoration(): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    after: { margin: "0 0 0 2em", color: new vscode.ThemeColor("editorCodeLens.foreground"), fontStyle: "italic" },
  });
}

export function noteAt(editor: vscode.TextEditor, text: string): vscode.DecorationOptions {
  const end = editor.document.lineAt(0).range.end;
  return { range: new vscode.Range(end, end), renderOptions: { after: { contentText: text } } };
}
