import { EventEmitter } from "node:events";
import type { Socket } from "node:net";

/** How long a connection may stay silent, in milliseconds. */
export const IDLE_LIMIT = 30_000;

export type Listener<T> = (event: T) => void | Promise<void>;
type Handlers = { [K in keyof Events]?: Listener<Events[K]>[] };

/** Everything the hub tells its listeners. */
export interface Events {
  open: Connection;
  close: { connection: Connection; reason: CloseReason };
  message: Message;
}

export enum CloseReason {
  Idle = "idle",
  Refused = "refused",
  Gone = "gone",
}

export interface Message<Body = unknown> {
  readonly id: string;
  readonly topic: string;
  body: Body;
  reply?(body: unknown): Promise<void>;
}

export interface Store {
  load(id: string): Promise<Message | undefined>;
  save(message: Message): Promise<void>;
}

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && "topic" in value;
}

/**
 * One client. It belongs to the hub that accepted it.
 */
export class Connection {
  private lastSeen = Date.now();
  readonly #socket: Socket;

  constructor(
    public readonly id: string,
    socket: Socket,
  ) {
    this.#socket = socket;
  }

  /** Whether it has been silent for too long. */
  get idle(): boolean {
    return Date.now() - this.lastSeen > IDLE_LIMIT;
  }

  touch = (): void => {
    this.lastSeen = Date.now();
  };

  async send(message: Message): Promise<void> {
    const line = JSON.stringify(message) + "\n";
    await new Promise<void>((resolve, reject) => {
      this.#socket.write(line, (error) => (error ? reject(error) : resolve()));
    });
  }
}

export abstract class Hub extends EventEmitter {
  protected readonly connections = new Map<string, Connection>();
  private handlers: Handlers = {};

  protected abstract authorize(socket: Socket): Promise<string | null>;

  async accept(socket: Socket): Promise<Connection | null> {
    const id = await this.authorize(socket);
    if (id === null) {
      socket.end();
      return null;
    }
    const connection = new Connection(id, socket);
    this.connections.set(id, connection);
    socket.on("data", (chunk) => this.receive(connection, chunk.toString("utf8")));
    socket.on("close", () => this.drop(connection, CloseReason.Gone));
    await this.tell("open", connection);
    return connection;
  }

  listen<K extends keyof Events>(name: K, listener: Listener<Events[K]>): this;
  listen(name: string, listener: Listener<never>): this;
  listen(name: string, listener: Listener<never>): this {
    const list = ((this.handlers as Record<string, unknown[]>)[name] ??= []);
    list.push(listener);
    return this;
  }

  private async receive(connection: Connection, text: string): Promise<void> {
    connection.touch();
    for (const line of text.split("\n").filter(Boolean)) {
      const value: unknown = JSON.parse(line);
      if (isMessage(value)) await this.tell("message", value);
    }
  }

  private async drop(connection: Connection, reason: CloseReason): Promise<void> {
    if (this.connections.delete(connection.id)) {
      await this.tell("close", { connection, reason });
    }
  }

  private async tell<K extends keyof Events>(name: K, event: Events[K]): Promise<void> {
    for (const listener of this.handlers[name] ?? []) await listener(event);
  }

  async broadcast(message: Message, except?: Connection): Promise<number> {
    let sent = 0;
    for (const connection of this.connections.values()) {
      if (connection === except) continue;
      try {
        await connection.send(message);
        sent += 1;
      } catch {
        await this.drop(connection, CloseReason.Gone);
      }
    }
    return sent;
  }

  /** Drops every connection that has been silent for too long. */
  sweep(): number {
    const idle = [...this.connections.values()].filter((connection) => connection.idle);
    idle.forEach((connection) => void this.drop(connection, CloseReason.Idle));
    return idle.length;
  }
}

export const memoryStore = (): Store => {
  const messages = new Map<string, Message>();
  return {
    async load(id) {
      return messages.get(id);
    },
    async save(message) {
      messages.set(message.id, message);
    },
  };
};

@sealed
export class OpenHub extends Hub {
  @bound
  protected async authorize(socket: Socket): Promise<string> {
    return `${socket.remoteAddress}:${socket.remotePort}`;
  }
}

declare function sealed(target: Function): void;
declare function bound(...args: unknown[]): void;

export default OpenHub;
