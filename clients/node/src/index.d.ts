import { Operations, Transport } from "./operations.js";

export * from "./operations.js";

/** A connection to the program. Call `close` when it is no longer needed. */
export declare class Epitome extends Operations {
  /** Runs the program for the project in a directory. No server has to run. `agent` is what the ledger calls who asks. */
  static start(options?: { project?: string; program?: string; agent?: string }): Promise<Epitome>;
  /** Uses a server. Without a token the one is taken that `epitome serve` keeps for this user. */
  static connect(options?: { url?: string; token?: string }): Promise<Epitome>;
  /** Ends the connection, and the program where this started it. */
  close(): Promise<void>;
}

/** An operation failed. */
export declare class EpitomeError extends Error {
  /** A stable word for programs. */
  readonly code: string;
  /** What to do, where that is known. */
  readonly hint: string | null;
}

/** Sends each operation as `POST /v1/NAME`. */
export declare class HttpTransport implements Transport {
  constructor(url: string, token: string);
  call(operation: string, parameters: object): Promise<any>;
  close(): Promise<void>;
}

/** Runs `epitome mcp` and sends each operation as a call of a tool. */
export declare class StdioTransport implements Transport {
  static start(project: string, program: string, agent?: string): Promise<StdioTransport>;
  call(operation: string, parameters: object): Promise<any>;
  close(): Promise<void>;
}
