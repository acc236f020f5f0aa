// One open terminal: bytes from a WebSocket to a machine and back, until either ends or somebody here ends it.
//
// Invariant: what waits for either side is bounded. A client that reads slowly has the machine held back, or is cut off
// where its engine cannot do that; a machine that reads slowly has the client held back. Who answers no ping is gone.
//
// Binary frames are bytes. A text frame of the client is a size: {"columns": 80, "rows": 24}. Used by terminals.ts.

import type { RawData, WebSocket } from "ws";
import type { Terminal } from "../../api/machines.ts";

/** Why a terminal was ended from here: the close code, and a sentence for whoever sits at it (at most 123 bytes). */
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
  /** From so many bytes that wait for the client on, the machine is held back; until a quarter of it is left. */
  readonly waitingBytes: number;
  /** With so many, the client is cut off. */
  readonly mostWaitingBytes: number;
  /** From so many bytes that wait for the machine on, the client is held back. */
  readonly unreadBytes: number;
  /** A machine that takes nothing for so long ends it. */
  readonly deafMs: number;
  readonly idleMs: number;
  /** How long a client may take to say goodbye. */
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
  /** Resolves when nothing of it is left. */
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #terminal: Terminal;
  readonly #onTyped: () => void;
  readonly #settings: BridgeSettings;
  #typedAt = performance.now();
  /** Since when the client is held back. */
  #deafSince: number | undefined;
  #lookAgain: NodeJS.Timeout | undefined;
  #isHeldBack = false;
  #isAnswering = true;
  #isEnding = false;

  /** `onTyped`: told of each message of the client. */
  constructor(socket: WebSocket, terminal: Terminal, onTyped: () => void, settings: BridgeSettings) {
    this.#socket = socket;
    this.#terminal = terminal;
    this.#onTyped = onTyped;
    this.#settings = settings;
    // It closes with the right code then; a frame that is too large is one such.
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

  /** Ends it, and tells the client why. */
  end(why: Ending): void {
    const [code, reason] = endings[why];
    this.#close(code, reason);
  }

  /** To be called once in a while: ends what is idle, deaf, or gone without a word. */
  beat(): void {
    const { idleMs, deafMs } = this.#settings;
    const now = performance.now();
    if (this.#isEnding) return;
    if (now - this.#typedAt > idleMs) this.end("idle");
    else if (this.#deafSince !== undefined) {
      // Held back by us, the client can answer nothing.
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
    // As a Buffer: no other kind was asked for.
    const bytes = data as Buffer;
    this.#typedAt = performance.now();
    this.#isAnswering = true;
    this.#onTyped();
    if (isBinary) this.#terminal.write(bytes);
    else this.#resize(bytes);
    // Those that had come before it was held back are heard all the same.
    if (this.#deafSince === undefined && this.#terminal.unread() > this.#settings.unreadBytes) this.#holdClient();
  }

  #resize(bytes: Buffer): void {
    const size = bytes.length > longestSize ? undefined : sizeIn(bytes.toString());
    if (size === undefined) this.end("malformed");
    else this.#terminal.resize(size.columns, size.rows);
  }

  /** Reads no more of the client until the machine has taken what there is. */
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
    // Or its goodbye would not be heard.
    this.#socket.resume();
    this.#socket.close(code, reason);
    const goodbye = setTimeout(() => this.#socket.terminate(), this.#settings.goodbyeMs);
    this.#socket.once("close", () => clearTimeout(goodbye));
    this.#terminal.close();
  }
}

/** The size that a text says; undefined for anything else. */
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
