// The agent's window: which lines of a file an agent has in its context since that was last emptied. They are marked by
// a bar before their numbers, which is broken where the agent has another text of them; all others are dimmed.

import * as vscode from "vscode";
import type { WindowReplyFilesItem } from "../../../clients/node/src/index.js";
import { FileView, noteAt, noteDecoration } from "./fileView";
import type { Program } from "./program";
import { numbered } from "./text";

/** The agent works while a person looks. */
const REFRESH_MS = 10_000;

/** A whole bar, and a broken one. */
const SEEN_BAR = '<path d="M6 0h4v16H6z" fill="#2ea043"/>';
const CHANGED_BAR = '<path d="M6 0h4v3H6zM6 6h4v4H6zM6 13h4v3H6z" fill="#bf8700"/>';

interface LineSpan {
  start_line: number;
  end_line: number;
}

export class AgentWindow extends FileView {
  readonly #seen = markDecoration(SEEN_BAR, "editorGutter.addedBackground");
  readonly #changed = markDecoration(CHANGED_BAR, "editorGutter.modifiedBackground");
  readonly #dimmed = vscode.window.createTextEditorDecorationType({ opacity: "0.4", isWholeLine: true });
  readonly #noted = noteDecoration();
  readonly #timer: NodeJS.Timeout;

  constructor(program: Program) {
    super(program, "epitome.agentWindow");
    this.#timer = setInterval(() => {
      if (this.isOn && vscode.window.state.focused) this.refresh();
    }, REFRESH_MS);
  }

  override dispose(): void {
    super.dispose();
    clearInterval(this.#timer);
    for (const it of [this.#seen, this.#changed, this.#dimmed, this.#noted]) it.dispose();
  }

  protected async read(path: string): Promise<((editor: vscode.TextEditor) => void) | undefined> {
    const reply = await this.program.ask((program) => program.window({ path }));
    if (!reply) return undefined;
    return (editor) => {
      const file = reply.files[0];
      const [seen, changed] = [file?.seen ?? [], file?.changed ?? []];
      editor.setDecorations(this.#seen, seen.map(rangeOf));
      editor.setDecorations(this.#changed, changed.map(rangeOf));
      editor.setDecorations(this.#dimmed, between([...seen, ...changed], editor.document.lineCount).map(rangeOf));
      editor.setDecorations(this.#noted, [noteAt(editor, describe(reply.session, file))]);
    };
  }

  protected clear(editor: vscode.TextEditor): void {
    for (const it of [this.#seen, this.#changed, this.#dimmed, this.#noted]) editor.setDecorations(it, []);
  }
}

/** A bar before the number of the line, and where it is in the whole file. */
function markDecoration(bar: string, color: string): vscode.TextEditorDecorationType {
  const image = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16" preserveAspectRatio="none">${bar}</svg>`;
  return vscode.window.createTextEditorDecorationType({
    gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(image).toString("base64")}`),
    gutterIconSize: "100% 100%",
    overviewRulerColor: new vscode.ThemeColor(color),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
}

function rangeOf(span: LineSpan): vscode.Range {
  return new vscode.Range(span.start_line - 1, 0, span.end_line - 1, Number.MAX_SAFE_INTEGER);
}

/** The lines of a file that are in none of these. */
function between(spans: LineSpan[], lineCount: number): LineSpan[] {
  const rest: LineSpan[] = [];
  let next = 1;
  for (const span of [...spans].sort((one, other) => one.start_line - other.start_line)) {
    if (span.start_line > next) rest.push({ start_line: next, end_line: span.start_line - 1 });
    next = span.end_line + 1;
  }
  if (next <= lineCount) rest.push({ start_line: next, end_line: lineCount });
  return rest;
}

function describe(session: string | null | undefined, file: WindowReplyFilesItem | undefined): string {
  if (!session) return "no session of an agent shows what is in its context";
  if (!file) return `nothing of this file is in the context of ${session}`;
  const count = (spans: LineSpan[]) => spans.reduce((sum, span) => sum + span.end_line - span.start_line + 1, 0);
  const changed = count(file.changed);
  const since = changed > 0 ? `, ${numbered(changed)} changed since` : "";
  return `${numbered(count(file.seen))} of ${numbered(file.lines)} lines${since}: in the context of ${session}`;
}
