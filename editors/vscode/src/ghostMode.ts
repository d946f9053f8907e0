// Ghost Mode: the file as an agent sees it that reads the skeleton. What stands in no line of the skeleton is dimmed, or
// folded; how much that spares stands at the first line.

import * as vscode from "vscode";
import type { ReadReplyItemsItem } from "../../../clients/node/src/index.js";
import { FileView, noteAt, noteDecoration } from "./fileView";
import type { Program } from "./program";
import { numbered } from "./text";

/** A line of the skeleton that stands for lines of the file. */
const LEFT_OUT = /^\s*…:(\d+)(?:-(\d+))?/;

export class GhostMode extends FileView {
  readonly #dimmed = vscode.window.createTextEditorDecorationType({ opacity: "0.28", isWholeLine: true });
  readonly #noted = noteDecoration();
  readonly #folded = new WeakSet<vscode.TextDocument>();

  constructor(program: Program) {
    super(program, "epitome.ghostMode");
  }

  override dispose(): void {
    super.dispose();
    this.#dimmed.dispose();
    this.#noted.dispose();
  }

  protected async read(path: string): Promise<((editor: vscode.TextEditor) => void) | undefined> {
    const [whole, skeleton] = await Promise.all([this.#readAs(path, "raw"), this.#readAs(path, "aggressive")]);
    if (!whole || !skeleton) return undefined;
    return (editor) => {
      const hidden = hiddenRanges(skeleton.text, editor.document.lineCount);
      editor.setDecorations(this.#dimmed, hidden);
      const note = `an agent reads ${numbered(skeleton.tokens)} of ${numbered(whole.tokens)} tokens`;
      editor.setDecorations(this.#noted, [noteAt(editor, note)]);
      if (!foldsBodies() || editor !== vscode.window.activeTextEditor) return;
      this.#folded.add(editor.document);
      // A region folds at the line above its first hidden one.
      const selectionLines = hidden.map((range) => Math.max(range.start.line - 1, 0));
      void vscode.commands.executeCommand("editor.fold", { selectionLines, direction: "up", levels: 1 });
    };
  }

  protected clear(editor: vscode.TextEditor): void {
    editor.setDecorations(this.#dimmed, []);
    editor.setDecorations(this.#noted, []);
    if (this.isOn || editor !== vscode.window.activeTextEditor || !this.#folded.delete(editor.document)) return;
    void vscode.commands.executeCommand("editor.unfoldAll");
  }

  async #readAs(path: string, mode: "raw" | "aggressive"): Promise<ReadReplyItemsItem | undefined> {
    const reply = await this.program.ask((program) => program.read({ targets: [path], mode }));
    return reply?.items[0];
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
