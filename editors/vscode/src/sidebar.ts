// The sidebar: sessions, decisions and memories of the project, as the program lists them. A click opens one.

import * as vscode from "vscode";
import type { Epitome } from "../../../clients/node/src/index.js";
import type { Program } from "./program";
import type { ReplyDocuments } from "./replyDocuments";
import { fenced, named, numbered } from "./text";

const MOST_MESSAGES = 40;

interface SidebarItem {
  label: string;
  description: string;
  tooltip: string;
  icon: string;
  /** The document that a click opens. */
  open: (program: Epitome) => Promise<string>;
}

type SidebarList = (program: Epitome) => Promise<SidebarItem[]>;

/** Registers the views, and gives what reads them anew. */
export function registerSidebar(context: vscode.ExtensionContext, program: Program, documents: ReplyDocuments): () => void {
  const lists: Array<[string, SidebarList]> = [
    ["epitome.sessions", listSessions],
    ["epitome.decisions", listDecisions],
    ["epitome.memories", listMemories],
  ];
  const views = lists.map(([id, list]) => {
    const view = new SidebarView(program, list);
    context.subscriptions.push(view, vscode.window.registerTreeDataProvider(id, view));
    return view;
  });
  const open = async (item: SidebarItem) => {
    const text = await program.askForPerson("Opening", item.open);
    if (text !== undefined) await documents.show(item.label, text, vscode.ViewColumn.Active);
  };
  context.subscriptions.push(vscode.commands.registerCommand("epitome.openItem", open));
  return () => views.forEach((view) => view.refresh());
}

class SidebarView implements vscode.TreeDataProvider<SidebarItem>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(
    private readonly program: Program,
    private readonly list: SidebarList,
  ) {}

  async getChildren(): Promise<SidebarItem[]> {
    return (await this.program.ask(this.list)) ?? [];
  }

  getTreeItem(item: SidebarItem): vscode.TreeItem {
    const row = new vscode.TreeItem(item.label);
    row.description = item.description;
    row.tooltip = item.tooltip;
    row.iconPath = new vscode.ThemeIcon(item.icon);
    row.command = { command: "epitome.openItem", title: "Open", arguments: [item] };
    return row;
  }

  refresh(): void {
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

async function listSessions(program: Epitome): Promise<SidebarItem[]> {
  const { sessions } = await program.session({ action: "list", limit: 30 });
  return sessions.map((session) => {
    const label = session.title ?? session.name;
    return {
      label,
      description: `${numbered(session.messages)} messages · ${session.at.slice(0, 10)}`,
      tooltip: session.opening ?? label,
      icon: session.state === "archived" ? "archive" : "comment-discussion",
      open: async (asked) => {
        const reply = await asked.history({ conversation: session.conversation_id, limit: MOST_MESSAGES });
        const messages = reply.messages ?? [];
        const parts = messages.map((message) => `## ${message.role}\n\n${fenced(message.content)}`);
        const head = `# ${named(label)}\n\nThe newest ${messages.length} of ${numbered(session.messages)} messages, verbatim.`;
        return [head, ...parts].join("\n\n") + "\n";
      },
    };
  });
}

async function listDecisions(program: Epitome): Promise<SidebarItem[]> {
  const { decisions } = await program.decisions({ limit: 50 });
  return decisions.map((decision) => ({
    label: decision.title,
    description: decision.status,
    tooltip: decision.decision,
    icon: decision.status === "in force" ? "pass" : "circle-slash",
    open: async () => {
      const lines = [`# ${named(decision.title)}`, fenced(decision.decision), `Status: ${decision.status}`];
      if (decision.reason) lines.push(`Reason: ${named(decision.reason)}`);
      for (const other of decision.alternatives) lines.push(`Not chosen: ${named(other)}`);
      lines.push(`Taken from ${decision.messages.map(named).join(", ")}`);
      return lines.join("\n\n") + "\n";
    },
  }));
}

async function listMemories(program: Epitome): Promise<SidebarItem[]> {
  const { memories } = await program.memories({});
  return memories.map((memory) => ({
    label: memory.content,
    description: memory.kind,
    tooltip: memory.content,
    icon: "bookmark",
    open: async () =>
      [
        `# ${memory.kind}`,
        fenced(memory.content),
        `For: ${memory.for}`,
        `Since ${memory.created_at}, last seen ${memory.last_seen_at}`,
        `Forget it: \`epitome memories forget ${memory.memory_id}\``,
      ].join("\n\n") + "\n",
  }));
}
