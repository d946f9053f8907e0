// Runs operations of a server.

import { EpitomeError } from "./errors.js";

/** Sends each operation as `POST /v1/NAME`. */
export class HttpTransport {
  #url;
  #token;

  constructor(url, token) {
    this.#url = url.replace(/\/+$/, "");
    this.#token = token;
  }

  async call(operation, parameters) {
    let response;
    try {
      response = await fetch(`${this.#url}/v1/${operation}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${this.#token}`, "Content-Type": "application/json" },
        body: JSON.stringify(parameters),
      });
    } catch (error) {
      const message = `cannot reach ${this.#url}: ${error.cause?.code ?? error.message}`;
      throw new EpitomeError("unreachable", message, "is `epitome serve` running there?");
    }
    const reply = await response.json().catch(() => null);
    if (response.ok) return reply;
    const refusal = reply?.error;
    if (!refusal) throw new EpitomeError("http", `the server answered with status ${response.status}`);
    throw new EpitomeError(refusal.code, refusal.message, refusal.hint);
  }

  /** Nothing is held open between calls. */
  async close() {}
}
