// Written by `cargo xtask clients`; change the program, not this file.

/** Every operation of the program as a method. */
export class Operations {
  #transport;

  constructor(transport) {
    this.#transport = transport;
  }

  /** Index the project, or bring its index up to date. */
  index(parameters = {}) {
    return this.#transport.call("index", parameters);
  }

  /** Find the places of the project that a question is about. */
  search(parameters = {}) {
    return this.#transport.call("search", parameters);
  }

  /** Answer a question about the project with cited source text that fits a token budget. */
  context(parameters) {
    return this.#transport.call("context", parameters);
  }

  /** Read files, line ranges or symbols: exactly, shortened, as skeleton or as map. */
  read(parameters) {
    return this.#transport.call("read", parameters);
  }

  /** Find where a name is defined. */
  symbol(parameters) {
    return this.#transport.call("symbol", parameters);
  }

  /** Show callers, callees, types, imports and hierarchy of a symbol, or the way to another. */
  relations(parameters) {
    return this.#transport.call("relations", parameters);
  }

  /** Show what a change touches, tests included. */
  impact(parameters = {}) {
    return this.#transport.call("impact", parameters);
  }

  /** Check what a text claims about the code. */
  critique(parameters) {
    return this.#transport.call("critique", parameters);
  }

  /** Show the directories and files of the project, in at most 4 KB. */
  tree(parameters = {}) {
    return this.#transport.call("tree", parameters);
  }

  /** Introduce the project on one page. */
  briefing(parameters = {}) {
    return this.#transport.call("briefing", parameters);
  }

  /** List documents, or show what one says: sections, requirements, stories, questions, links. */
  document(parameters = {}) {
    return this.#transport.call("document", parameters);
  }

  /** Say which requirements have code and tests, and which tests have no requirement. */
  coverage(parameters = {}) {
    return this.#transport.call("coverage", parameters);
  }

  /** Import transcripts of agents, every line kept. */
  import(parameters = {}) {
    return this.#transport.call("import", parameters);
  }

  /** Store messages of a conversation, acknowledged only when durable. */
  ingest(parameters) {
    return this.#transport.call("ingest", parameters);
  }

  /** Show the newest messages of a conversation, verbatim, or which conversations there are. */
  history(parameters = {}) {
    return this.#transport.call("history", parameters);
  }

  /** Answer a question with what was said, verbatim and with message ids. */
  recall(parameters) {
    return this.#transport.call("recall", parameters);
  }

  /** Find messages, summaries and artifacts by regular expression or by words. */
  grep(parameters) {
    return this.#transport.call("grep", parameters);
  }

  /** List what was decided in conversations, why, and whether it still holds. */
  decisions(parameters = {}) {
    return this.#transport.call("decisions", parameters);
  }

  /** Make, list, sum up, archive and resume conversations. */
  session(parameters) {
    return this.#transport.call("session", parameters);
  }

  /** Fold older messages into summaries that expand back to them. */
  compact(parameters = {}) {
    return this.#transport.call("compact", parameters);
  }

  /** Give the context of a conversation within a budget: summaries, facts, newest messages. */
  assemble(parameters) {
    return this.#transport.call("assemble", parameters);
  }

  /** Describe a summary, message, fact, memory, artifact or conversation with where it comes from. */
  describe(parameters) {
    return this.#transport.call("describe", parameters);
  }

  /** Expand a summary to the summaries and messages it covers. */
  expand(parameters) {
    return this.#transport.call("expand", parameters);
  }

  /** Let a delegate expand some summaries, within tokens and time. */
  grant(parameters = {}) {
    return this.#transport.call("grant", parameters);
  }

  /** Keep a text that later sessions are told. */
  remember(parameters) {
    return this.#transport.call("remember", parameters);
  }

  /** List what is remembered for later sessions, or forget one of it. */
  memories(parameters = {}) {
    return this.#transport.call("memories", parameters);
  }

  /** Remember the rules, decisions and fixes of conversations. */
  promote(parameters = {}) {
    return this.#transport.call("promote", parameters);
  }

  /** Keep lessons of what worked and what failed, and find them. */
  reflection(parameters) {
    return this.#transport.call("reflection", parameters);
  }

  /** Keep what sessions work with hot, warm or cold. */
  tier(parameters) {
    return this.#transport.call("tier", parameters);
  }

  /** Keep the state of the work, and go on from it. */
  checkpoint(parameters) {
    return this.#transport.call("checkpoint", parameters);
  }

  /** Ask to be told of changes, mentions and what a cursor is near. */
  subscription(parameters) {
    return this.#transport.call("subscription", parameters);
  }

  /** List what subscriptions led to, and say what was of use. */
  suggestion(parameters = {}) {
    return this.#transport.call("suggestion", parameters);
  }

  /** Share memories and decisions with colleagues, and list what they share. */
  team(parameters = {}) {
    return this.#transport.call("team", parameters);
  }

  /** Carry shared memories in the repository, and show those of colleagues. */
  knowledge(parameters) {
    return this.#transport.call("knowledge", parameters);
  }

  /** Keep, link, list, show or remove entities that are in no file: concepts, people, technologies. */
  entity(parameters = {}) {
    return this.#transport.call("entity", parameters);
  }

  /** Show which lines of files an agent has in its context now. */
  window(parameters = {}) {
    return this.#transport.call("window", parameters);
  }

  /** Show the ledger: tokens spared and added, what models cost and may cost. */
  value(parameters = {}) {
    return this.#transport.call("value", parameters);
  }

  /** Show what was learned of how files are best shown, and forget it. */
  modes(parameters = {}) {
    return this.#transport.call("modes", parameters);
  }

  /** Count what memory holds, and how much shorter folding made it. */
  stats(parameters = {}) {
    return this.#transport.call("stats", parameters);
  }

  /** Show what is indexed, stored and running. */
  status(parameters = {}) {
    return this.#transport.call("status", parameters);
  }

  /** List, show, name or link the projects that are indexed or spoken about. */
  project(parameters = {}) {
    return this.#transport.call("project", parameters);
  }

  /** Prove that nothing stored is missing or changed. */
  verify(parameters = {}) {
    return this.#transport.call("verify", parameters);
  }

  /** Mend summaries, contexts and facts that do not fit together; messages stay as they are. */
  repair(parameters = {}) {
    return this.#transport.call("repair", parameters);
  }
}
