// Ghost Mode: the file as an agent sees it that reads the skeleton. What stands in no line of the skeleton is dimmed, or
// folded; how much that spares stands at the first line.

import * as vscode from "vscode";
import type { ReadReplyItemsItem } from "../../../clients/node/src/index.js";
import type { Program } from "./program";
import { numbered } from "./text";

/** A line of the skeleton that stands for lines of the file. */
const LEFT_OUT = /^\s*…:(\d+)(?:-(\d+))?/;

export class GhostMode implements vscode.Disposable {
  #isOn = false;
  #lastAsked = new Map<string, number>();
  readonly #program: Program;
  readonly #dimmed = vscode.window.createTextEditorDecorationType({ opacity: "0.28", isWholeLine: true });
  readonly #noted = vscode.window.createTextEditorDecorationType({
    after: { margin: "0 0 0 2em", color: new vscode.ThemeColor("editorCodeLens.foreground"), fontStyle: "italic" },
  });
  readonly #listeners: vscode.Disposable[];

  constructor(program: Program) {
    this.#program = program;
    this.#listeners = [
      vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach((editor) => void this.#show(editor))),
      // The program reads what is on the disk; while a person types, nothing is known of the lines below.
      vscode.workspace.onDidSaveTextDocument((document) => this.#showDocument(document)),
      vscode.workspace.onDidChangeTextDocument((change) => this.#forget(change.document)),
    ];
  }

  toggle(): void {
    this.#isOn = !this.#isOn;
    void vscode.commands.executeCommand("setContext", "epitome.ghostMode", this.#isOn);
    for (const editor of vscode.window.visibleTextEditors) void this.#show(editor);
  }

  dispose(): void {
    for (const it of [this.#dimmed, this.#noted, ...this.#listeners]) it.dispose();
  }

  #showDocument(document: vscode.TextDocument): void {
    for (const editor of vscode.window.visibleTextEditors) if (editor.document === document) void this.#show(editor);
  }

  #forget(document: vscode.TextDocument): void {
    if (!this.#isOn || !document.isDirty) return;
    for (const editor of vscode.window.visibleTextEditors) if (editor.document === document) this.#clear(editor);
  }

  async #show(editor: vscode.TextEditor): Promise<void> {
    const path = this.#program.pathOf(editor.document.uri);
    if (!path) return;
    const asked = (this.#lastAsked.get(path) ?? 0) + 1;
    this.#lastAsked.set(path, asked);
    if (!this.#isOn) {
      this.#clear(editor);
      if (foldsBodies() && editor === vscode.window.activeTextEditor) {
        await vscode.commands.executeCommand("editor.unfoldAll");
      }
      return;
    }
    if (editor.document.isDirty) return;
    const [whole, skeleton] = await Promise.all([this.#read(path, "raw"), this.#read(path, "aggressive")]);
    // Turned off, or asked again, while the program was reading.
    const isLate = !this.#isOn || this.#lastAsked.get(path) !== asked;
    if (!whole || !skeleton || isLate || editor.document.isDirty) return;
    const hidden = hiddenRanges(skeleton.text, editor.document.lineCount);
    editor.setDecorations(this.#dimmed, hidden);
    const note = `an agent reads ${numbered(skeleton.tokens)} of ${numbered(whole.tokens)} tokens`;
    const end = editor.document.lineAt(0).range.end;
    const renderOptions = { after: { contentText: note } };
    editor.setDecorations(this.#noted, [{ range: new vscode.Range(end, end), renderOptions }]);
    if (foldsBodies() && editor === vscode.window.activeTextEditor) {
      // A region folds at the line above its first hidden one.
      const selectionLines = hidden.map((range) => Math.max(range.start.line - 1, 0));
      await vscode.commands.executeCommand("editor.fold", { selectionLines, direction: "up", levels: 1 });
    }
  }

  async #read(path: string, mode: "raw" | "aggressive"): Promise<ReadReplyItemsItem | undefined> {
    const reply = await this.#program.ask((program) => program.read({ targets: [path], mode }));
    return reply?.items[0];
  }

  #clear(editor: vscode.TextEditor): void {
    editor.setDecorations(this.#dimmed, []);
    editor.setDecorations(this.#noted, []);
  }
}

function foldsBodies(): boolean {
  return vscode.workspace.getConfiguration("epitome").get("ghostMode.style") === "fold";
}

/** The lines of the file that a skeleton says it leaves out. */
export function hiddenRanges(skeleton: string, lineCount: number): vscode.Range[] {
  const ranges: vscode.Range[] = [];
  for (const line of skeleton.split("\n")) {
    const found = LEFT_OUT.exec(line);
    if (!found) continue;
    const first = Number(found[1]);
    const last = Math.min(Number(found[2] ?? found[1]), lineCount);
    if (first <= last) ranges.push(new vscode.Range(first - 1, 0, last - 1, Number.MAX_SAFE_INTEGER));
  }
  return ranges;
}
