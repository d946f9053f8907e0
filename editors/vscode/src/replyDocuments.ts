// Replies of the program as documents that can be read and not changed.

import * as vscode from "vscode";

const SCHEME = "epitome";
/** Older replies are forgotten. */
const MOST_KEPT = 50;

export class ReplyDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registration: vscode.Disposable;
  #count = 0;

  constructor() {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? "This reply is not kept any more; ask again.\n";
  }

  /** Shows a text beside the code. */
  async show(title: string, text: string, column = vscode.ViewColumn.Beside): Promise<void> {
    this.#count += 1;
    const name = title.replace(/[/\\?#%\s]+/g, " ").trim().slice(0, 60);
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${this.#count}/${name}.md` });
    this.#texts.set(uri.toString(), text);
    for (const old of [...this.#texts.keys()].slice(0, -MOST_KEPT)) this.#texts.delete(old);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { viewColumn: column, preview: true, preserveFocus: true });
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
