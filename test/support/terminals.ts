// Terminals for tests: a client of one over a real WebSocket, and an engine whose terminals a test plays itself.

import type { IncomingMessage } from "node:http";
import WebSocket from "ws";
import type { MachineEngine, Terminal, TerminalOrder } from "../../src/http/api/machines.ts";
import { afterTest } from "./when-over.ts";

/** How a terminal was answered: refused, or open. */
export interface Answered {
  /** 101: it is open. */
  readonly status: number;
  /** Of a refusal. */
  readonly body: unknown;
  readonly requestId: string | undefined;
  readonly socket: WebSocket;
  /** What came, as text. */
  shown(): string;
  /** Resolves at the end. */
  readonly ended: Promise<{ readonly code: number; readonly reason: string }>;
  type(text: string): void;
}

/** Asks for one; resolves when that is answered. Cut when the test is over. */
export async function openTerminal(
  url: string,
  by: string | { readonly headers: Readonly<Record<string, string>> },
  options: WebSocket.ClientOptions = {},
): Promise<Answered> {
  const headers = typeof by === "string" ? { authorization: `Bearer ${by}` } : by.headers;
  const socket = new WebSocket(url.replace(/^http/, "ws"), { ...options, headers });
  afterTest(() => socket.terminate());
  const chunks: Buffer[] = [];
  socket.on("message", (data) => chunks.push(data as Buffer)); // as a Buffer, which is the default
  const ended = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  let requestId: string | undefined;
  socket.on("upgrade", ({ headers: given }) => {
    requestId = given["x-request-id"]?.toString();
  });
  const { status, body } = await new Promise<Pick<Answered, "status" | "body">>((resolve, reject) => {
    socket.on("open", () => resolve({ status: 101, body: undefined }));
    socket.on("error", reject);
    socket.on("unexpected-response", (_request, response: IncomingMessage) => {
      const refusal: Buffer[] = [];
      response.on("data", (chunk: Buffer) => refusal.push(chunk));
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(refusal).toString()) });
      });
    });
  });
  socket.on("error", () => {});
  const shown = () => Buffer.concat(chunks).toString();
  return { status, body, requestId, socket, shown, ended, type: (text) => socket.send(Buffer.from(text)) };
}

/** A terminal in a machine that the test plays. */
export class PlayedTerminal implements Terminal {
  readonly order: TerminalOrder;
  readonly machineId: string;
  readonly sizes: [columns: number, rows: number][] = [];
  typed = "";
  isClosed = false;
  /** What the machine has not taken; set by the test. */
  untaken = 0;
  /** How often that was asked. */
  looks = 0;
  /** What it was told of holding back, in turn. */
  readonly flows: boolean[] = [];
  readonly flow: ((on: boolean) => void) | undefined;
  #onData: (data: Uint8Array) => void = () => {};
  #onEnd: () => void = () => {};

  constructor(machineId: string, order: TerminalOrder, canHoldBack: boolean) {
    this.machineId = machineId;
    this.order = order;
    this.flow = canHoldBack ? (on) => void this.flows.push(on) : undefined;
  }

  onData(listener: (data: Uint8Array) => void): void {
    this.#onData = listener;
  }

  onEnd(listener: () => void): void {
    this.#onEnd = listener;
  }

  write(data: Uint8Array): void {
    this.typed += Buffer.from(data).toString();
  }

  unread(): number {
    this.looks += 1;
    return this.untaken;
  }

  resize(columns: number, rows: number): void {
    this.sizes.push([columns, rows]);
  }

  close(): void {
    this.isClosed = true;
  }

  show(data: string | Uint8Array): void {
    this.#onData(Buffer.from(data));
  }

  end(): void {
    this.#onEnd();
  }

  get isHeldBack(): boolean {
    return this.flows.at(-1) === false;
  }
}

/** An engine of nothing but terminals. */
export class PlayedEngine implements MachineEngine {
  readonly terminals: PlayedTerminal[] = [];
  canHoldBack = true;
  /** Awaited before each is open; may throw. */
  opening: () => Promise<void> = async () => {};

  async consoleLog(): Promise<string> {
    return "";
  }

  async hosts(): Promise<[]> {
    return [];
  }

  async identity(): Promise<string> {
    return "";
  }

  async openTerminal({ id }: { readonly id: string }, order: TerminalOrder): Promise<PlayedTerminal> {
    await this.opening();
    const terminal = new PlayedTerminal(id, order, this.canHoldBack);
    this.terminals.push(terminal);
    return terminal;
  }

  /** The one that was opened last. */
  get last(): PlayedTerminal {
    const last = this.terminals.at(-1);
    if (last === undefined) throw new Error("no terminal was opened");
    return last;
  }
}
