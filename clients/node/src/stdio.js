// Runs operations of a program that this process started.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { EpitomeError } from "./errors.js";

const PROTOCOL = "2025-11-25";

/** Runs `epitome mcp` and sends each operation as a call of a tool. */
export class StdioTransport {
  #process;
  #ended;
  #waiting = new Map();
  #lastId = 0;

  /** `agent` is what the ledger calls who asks. */
  static async start(project, program, agent = "epitome-node") {
    const child = spawn(program, ["--project", project, "mcp", "--profile", "full"], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    try {
      await once(child, "spawn");
    } catch (error) {
      const message = `cannot start \`${program}\`: ${error.code}`;
      throw new EpitomeError("no_program", message, "is it installed and on the path?");
    }
    const transport = new StdioTransport(child);
    await transport.#request("initialize", {
      protocolVersion: PROTOCOL,
      capabilities: {},
      clientInfo: { name: agent, version: "0.2.0" },
    });
    transport.#send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return transport;
  }

  constructor(child) {
    this.#process = child;
    this.#ended = once(child, "close");
    // A write to a program that has ended fails here; the call that wrote is told when the output closes.
    child.stdin.on("error", () => {});
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => this.#take(JSON.parse(line)));
    lines.on("close", () => this.#refuseWaiting());
  }

  async call(operation, parameters) {
    const result = await this.#request("tools/call", { name: operation, arguments: parameters });
    if (!result.isError) return result.structuredContent;
    throw new EpitomeError("error", result.content.map((part) => part.text ?? "").join(""));
  }

  /** Ends the program; it writes what it still holds before it leaves. */
  async close() {
    this.#process.stdin.end();
    await this.#ended;
  }

  #request(method, params) {
    if (this.#process.exitCode !== null || !this.#process.stdin.writable) return Promise.reject(programEnded());
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ jsonrpc: "2.0", id, method, params });
    });
  }

  #send(message) {
    this.#process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #take(message) {
    // Notifications come between the replies, and nobody waits for them.
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    this.#waiting.delete(message.id);
    if (message.error) waiting.reject(new EpitomeError("protocol", message.error.message));
    else waiting.resolve(message.result);
  }

  #refuseWaiting() {
    for (const { reject } of this.#waiting.values()) reject(programEnded());
    this.#waiting.clear();
  }
}

function programEnded() {
  return new EpitomeError("program_ended", "the program has ended", "`epitome doctor` says what is wrong");
}
