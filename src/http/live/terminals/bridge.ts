// One open terminal: bytes from a WebSocket to a machine and back, until either side or this service ends it.
//
// Invariant: the data waiting for either side is limited. For a slow client the machine is paused, or the client cut
// off if its engine cannot pause; for a slow machine the client is paused. A client that answers no ping is gone.
//
// Binary frames are bytes. A text frame of the client is a size: {"columns": 80, "rows": 24}. Used by terminals.ts.

import type { RawData, WebSocket } from "ws";
import type { Terminal } from "../../api/machines.ts";

/** Why this service ended a terminal: the close code, and a sentence for its user (at most 123 bytes). */
export const endings = {
  "signed-out": [4001, "Your session or token is no longer valid."],
  stopping: [4002, "The server is shutting down. Reconnect."],
  halted: [4003, "The instance is no longer running."],
  idle: [4004, "No input for two hours."],
  slow: [4005, "Your connection is too slow for the output of the instance."],
  deaf: [4006, "The instance does not accept input."],
  malformed: [4007, 'A text frame must be a size: {"columns": 80, "rows": 24}, each from 1 to 1000.'],
  unchecked: [4008, "Cannot verify your token now. Reconnect."],
} as const satisfies Record<string, readonly [code: number, reason: string]>;
export type Ending = keyof typeof endings;

export interface BridgeSettings {
  /** When this many bytes wait for the client, the machine is paused, until a quarter is left. */
  readonly waitingBytes: number;
  /** At this many, the client is cut off. */
  readonly mostWaitingBytes: number;
  /** When this many bytes wait for the machine, the client is paused. */
  readonly unreadBytes: number;
  /** A machine that reads nothing for this long ends it. */
  readonly deafMs: number;
  readonly idleMs: number;
  /** How long a client may take for the closing handshake. */
  readonly goodbyeMs: number;
}

export const defaults: BridgeSettings = {
  waitingBytes: 262_144,
  mostWaitingBytes: 4_194_304,
  unreadBytes: 262_144,
  deafMs: 30_000,
  idleMs: 7_200_000,
  goodbyeMs: 1_000,
};

const longestSize = 256;
const lookAgainMs = 50;

export class Bridge {
  /** Resolves when everything is closed. */
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #terminal: Terminal;
  readonly #onTyped: () => void;
  readonly #settings: BridgeSettings;
  #typedAt = performance.now();
  /** Since when the client is paused. */
  #deafSince: number | undefined;
  #lookAgain: NodeJS.Timeout | undefined;
  #isHeldBack = false;
  #isAnswering = true;
  #isEnding = false;

  /** `onTyped`: called for each message of the client. */
  constructor(socket: WebSocket, terminal: Terminal, onTyped: () => void, settings: BridgeSettings) {
    this.#socket = socket;
    this.#terminal = terminal;
    this.#onTyped = onTyped;
    this.#settings = settings;
    // It then closes with the right code, for example for a frame that is too large.
    socket.on("error", () => {});
    socket.on("message", (data, isBinary) => this.#heard(data, isBinary));
    socket.on("pong", () => {
      this.#isAnswering = true;
    });
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.#isEnding = true;
        clearTimeout(this.#lookAgain);
        terminal.close();
        resolve();
      });
    });
    terminal.onData((data) => this.#show(data));
    terminal.onEnd(() => this.#close(1000, ""));
  }

  /** Ends it, and sends the client the reason. */
  end(why: Ending): void {
    const [code, reason] = endings[why];
    this.#close(code, reason);
  }

  /** Call it periodically: ends terminals that are idle, blocked or disconnected. */
  beat(): void {
    const { idleMs, deafMs } = this.#settings;
    const now = performance.now();
    if (this.#isEnding) return;
    if (now - this.#typedAt > idleMs) this.end("idle");
    else if (this.#deafSince !== undefined) {
      // While paused, the client cannot answer a ping.
      if (now - this.#deafSince > deafMs) this.end("deaf");
    } else if (this.#isAnswering) {
      this.#isAnswering = false;
      this.#socket.ping();
    } else this.#socket.terminate();
  }

  #show(data: Uint8Array): void {
    const { waitingBytes, mostWaitingBytes } = this.#settings;
    if (this.#isEnding) return;
    this.#socket.send(data, { binary: true }, () => this.#sent());
    const { bufferedAmount: waiting } = this.#socket;
    if (waiting > mostWaitingBytes) this.end("slow");
    else if (waiting > waitingBytes && !this.#isHeldBack) {
      this.#isHeldBack = true;
      this.#terminal.flow?.(false);
    }
  }

  #sent(): void {
    if (!this.#isHeldBack || this.#socket.bufferedAmount > this.#settings.waitingBytes / 4) return;
    this.#isHeldBack = false;
    this.#terminal.flow?.(true);
  }

  #heard(data: RawData, isBinary: boolean): void {
    if (this.#isEnding) return;
    // A Buffer, the default type.
    const bytes = data as Buffer;
    this.#typedAt = performance.now();
    this.#isAnswering = true;
    this.#onTyped();
    if (isBinary) this.#terminal.write(bytes);
    else this.#resize(bytes);
    // Messages that arrived before the pause are still delivered.
    if (this.#deafSince === undefined && this.#terminal.unread() > this.#settings.unreadBytes) this.#holdClient();
  }

  #resize(bytes: Buffer): void {
    const size = bytes.length > longestSize ? undefined : sizeIn(bytes.toString());
    if (size === undefined) this.end("malformed");
    else this.#terminal.resize(size.columns, size.rows);
  }

  /** Stops reading from the client until the machine has read what waits. */
  #holdClient(): void {
    if (this.#isEnding) return;
    this.#socket.pause();
    this.#deafSince ??= performance.now();
    this.#lookAgain = setTimeout(() => {
      if (this.#terminal.unread() > this.#settings.unreadBytes / 4) return this.#holdClient();
      this.#deafSince = undefined;
      this.#isAnswering = true;
      this.#socket.resume();
    }, lookAgainMs);
  }

  #close(code: number, reason: string): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    clearTimeout(this.#lookAgain);
    // Otherwise its closing frame would not be read.
    this.#socket.resume();
    this.#socket.close(code, reason);
    const goodbye = setTimeout(() => this.#socket.terminate(), this.#settings.goodbyeMs);
    this.#socket.once("close", () => clearTimeout(goodbye));
    this.#terminal.close();
  }
}

/** The size in a text frame; undefined for anything else. */
export function sizeIn(text: string): { readonly columns: number; readonly rows: number } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { columns, rows } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  return isCount(columns) && isCount(rows) ? { columns, rows } : undefined;
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 1000;
