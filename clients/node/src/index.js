// A typed client of Epitome. `Epitome.start()` runs the program for one directory and talks to it on its standard input
// and output; `Epitome.connect()` talks to a server (`epitome serve`) over HTTP. Both have the same methods.

import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { EpitomeError } from "./errors.js";
import { HttpTransport } from "./http.js";
import { Operations } from "./operations.js";
import { StdioTransport } from "./stdio.js";

export { EpitomeError, HttpTransport, Operations, StdioTransport };

/** A connection to the program. Call `close` when it is no longer needed. */
export class Epitome extends Operations {
  #transport;

  constructor(transport) {
    super(transport);
    this.#transport = transport;
  }

  /** Runs the program for the project in a directory. No server has to run. */
  static async start({ project = ".", program = "epitome", agent } = {}) {
    return new Epitome(await StdioTransport.start(project, program, agent));
  }

  /** Uses a server. Without a token the one is taken that `epitome serve` keeps for this user. */
  static async connect({ url = "http://127.0.0.1:8787", token } = {}) {
    return new Epitome(new HttpTransport(url, token ?? (await readLocalToken())));
  }

  /** Ends the connection, and the program where this started it. */
  close() {
    return this.#transport.close();
  }
}

async function readLocalToken() {
  const state = process.env.XDG_STATE_HOME || join(homedir(), ".local", "state");
  const path = join(state, "epitome", "token");
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    throw new EpitomeError("no_token", `cannot read ${path}: ${error.code}`, "epitome serve token");
  }
}
