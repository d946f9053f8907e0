// Has the index follow every save, so that the next question of an agent finds nothing left to do.

import * as vscode from "vscode";
import type { Program } from "./program";

/** Saves of several files at once are one run. */
const TOGETHER_MS = 50;

export function registerIndexOnSave(context: vscode.ExtensionContext, program: Program, indexed: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  const listener = vscode.workspace.onDidSaveTextDocument((document) => {
    const isWanted = vscode.workspace.getConfiguration("epitome").get("indexOnSave") === true;
    if (!isWanted || !program.pathOf(document.uri)) return;
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const reply = await program.ask((it) => it.index({}));
      if (!reply) return;
      vscode.window.setStatusBarMessage(`$(check) Epitome: indexed ${reply.indexed} of ${reply.files} files`, 3_000);
      indexed();
    }, TOGETHER_MS);
  });
  context.subscriptions.push(listener, { dispose: () => clearTimeout(timer) });
}
