// The status bar: what agents were spared in this project today, less what they were given besides. Calls of this extension
// are in no sum: nobody would have read a file in their place.

import * as vscode from "vscode";
import type { ValueReply } from "../../../clients/node/src/index.js";
import { LEDGER_NAME, type Program } from "./program";
import type { ReplyDocuments } from "./replyDocuments";
import { numbered } from "./text";

/** Agents work while nobody looks at the editor; the ledger is read again so often. */
const REFRESH_MS = 30_000;

export class SavedTokens implements vscode.Disposable {
  readonly #program: Program;
  readonly #item = vscode.window.createStatusBarItem("epitome.savedTokens", vscode.StatusBarAlignment.Right, 90);
  readonly #timer: NodeJS.Timeout;

  constructor(program: Program) {
    this.#program = program;
    this.#item.name = "Epitome";
    this.#item.command = "epitome.showValue";
    this.#timer = setInterval(() => void this.refresh(), REFRESH_MS);
  }

  async refresh(): Promise<void> {
    const reply = await this.#program.ask((program) => program.value({ by: "agent", days: 1 }));
    if (!reply) {
      this.#item.text = "$(warning) Epitome";
      this.#item.tooltip = "The program does not answer.";
    } else {
      const { avoided, shown } = ofAgents(reply);
      this.#item.text = `$(graph) ${describe(avoided, shown)}`;
      this.#item.tooltip = "Epitome: what agents were spared in this project today, measured and signed";
    }
    this.#item.show();
  }

  async show(documents: ReplyDocuments): Promise<void> {
    const reply = await this.#program.askForPerson("Reading the ledger", (program) => program.value({ by: "agent", days: 1 }));
    if (!reply) return;
    const rows = reply.totals.map(
      (row) => `| ${row.key || "no name"} | ${row.calls} | ${numbered(row.tokens_shown)} | ${numbered(row.tokens_avoided)} | ${numbered(row.estimated_tokens_avoided)} |`,
    );
    const note = `Tokens that were avoided are signed: below 0 an agent read more. Calls of this editor are those of \`${LEDGER_NAME}\`, and in no sum of the status bar.`;
    const table = ["| agent | calls | tokens shown | tokens avoided | by formulas, besides |", "|---|--:|--:|--:|--:|", ...rows];
    await documents.show("Saved today", `# Saved today\n\n${table.join("\n")}\n\n${note}\n`);
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#item.dispose();
  }
}

function ofAgents(reply: ValueReply): { avoided: number; shown: number } {
  const agents = reply.totals.filter((row) => row.key !== LEDGER_NAME);
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  return { avoided: sum(agents.map((row) => row.tokens_avoided)), shown: sum(agents.map((row) => row.tokens_shown)) };
}

/** `67.7 % · 32,624 tokens saved` */
function describe(avoided: number, shown: number): string {
  if (avoided === 0 && shown === 0) return "no agent asked today";
  if (avoided < 0) return `${numbered(-avoided)} tokens more than without`;
  return `${((100 * avoided) / (avoided + shown)).toFixed(1)} % · ${numbered(avoided)} tokens saved`;
}
