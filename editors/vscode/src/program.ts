// The program, started when something is first asked of it, and again after it ended.

import * as vscode from "vscode";
import { Epitome, EpitomeError } from "../../../clients/node/src/index.js";

/** As which agent the ledger knows the calls of this extension. */
export const LEDGER_NAME = "epitome-vscode";

export class Program implements vscode.Disposable {
  #connection: Promise<Epitome> | undefined;
  #hasComplained = false;

  constructor(readonly folder: vscode.Uri) {}

  /** Asks the program. Where it cannot answer, the person is told once and gets nothing. */
  async ask<Reply>(question: (program: Epitome) => Promise<Reply>): Promise<Reply | undefined> {
    try {
      return await question(await this.#connect());
    } catch (error) {
      this.#tell(error);
      return undefined;
    }
  }

  /** The same, for what a person asked for: every failure is shown. */
  async askForPerson<Reply>(title: string, question: (program: Epitome) => Promise<Reply>): Promise<Reply | undefined> {
    this.#hasComplained = false;
    const location = vscode.ProgressLocation.Window;
    return vscode.window.withProgress({ location, title }, () => this.ask(question));
  }

  /** A file of the project as the program names it; nothing for files of elsewhere. */
  pathOf(uri: vscode.Uri): string | undefined {
    if (uri.scheme !== "file" || !vscode.workspace.getWorkspaceFolder(uri)) return undefined;
    const path = vscode.workspace.asRelativePath(uri, false).replaceAll("\\", "/");
    return uri.toString().startsWith(`${this.folder.toString()}/`) ? path : undefined;
  }

  uriOf(path: string): vscode.Uri {
    return vscode.Uri.joinPath(this.folder, path);
  }

  dispose(): void {
    void this.#connection?.then((connection) => connection.close(), () => {});
  }

  #connect(): Promise<Epitome> {
    this.#connection ??= this.#start();
    return this.#connection;
  }

  #start(): Promise<Epitome> {
    const program = vscode.workspace.getConfiguration("epitome").get<string>("program") || "epitome";
    return Epitome.start({ project: this.folder.fsPath, program, agent: LEDGER_NAME });
  }

  #tell(error: unknown): void {
    const code = error instanceof EpitomeError ? error.code : "";
    const isGone = code === "no_program" || code === "program_ended";
    if (isGone) this.#connection = undefined;
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    const message = `Epitome: ${error instanceof Error ? error.message : String(error)}`;
    if (!isGone) {
      void vscode.window.showWarningMessage(message);
      return;
    }
    void vscode.window.showWarningMessage(message, "Open Settings").then((choice) => {
      if (choice) void vscode.commands.executeCommand("workbench.action.openSettings", "epitome.program");
    });
  }
}
