// Entry point: connects what the editor shows with what the program answers. One file for each thing that is shown.

import * as vscode from "vscode";
import { AgentWindow } from "./agentWindow";
import { registerCursorPlace } from "./cursorPlace";
import { GhostMode } from "./ghostMode";
import { SymbolHover } from "./symbolHover";
import { registerPalette } from "./palette";
import { Program } from "./program";
import { ReplyDocuments } from "./replyDocuments";
import { registerSidebar } from "./sidebar";
import { SavedTokens } from "./savedTokens";
import { registerIndexOnSave } from "./saveIndex";
import { SuggestionView } from "./suggestionView";

export function activate(context: vscode.ExtensionContext): void {
  const folder = vscode.workspace.workspaceFolders?.find((it) => it.uri.scheme === "file");
  // Without a folder there is no project to ask about.
  if (!folder) return;
  const program = new Program(folder.uri);
  const documents = new ReplyDocuments();
  const ghostMode = new GhostMode(program);
  const agentWindow = new AgentWindow(program);
  const suggestions = new SuggestionView(context, program);
  const savedTokens = new SavedTokens(program);
  const refreshSidebar = registerSidebar(context, program, documents);
  const refresh = () => {
    refreshSidebar();
    suggestions.refresh();
    void savedTokens.refresh();
  };
  context.subscriptions.push(
    program,
    documents,
    ghostMode,
    agentWindow,
    savedTokens,
    vscode.languages.registerHoverProvider({ scheme: "file" }, new SymbolHover(program)),
    vscode.commands.registerCommand("epitome.toggleGhostMode", () => ghostMode.toggle()),
    vscode.commands.registerCommand("epitome.toggleAgentWindow", () => agentWindow.toggle()),
    vscode.commands.registerCommand("epitome.showValue", () => savedTokens.show(documents)),
    vscode.commands.registerCommand("epitome.refresh", refresh),
  );
  registerPalette(context, program, documents);
  registerIndexOnSave(context, program, refresh);
  registerCursorPlace(context, program, () => suggestions.refresh());
  void savedTokens.refresh();
}

export function deactivate(): void {}
