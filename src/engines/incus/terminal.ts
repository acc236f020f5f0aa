// An interactive session in a machine: a root shell (exec) or its console, over the cluster's WebSockets. Used by
// engine.ts.

import type { WebSocket } from "undici";
import { EngineError, type Terminal, type TerminalOrder } from "../engine.ts";
import { SessionAnswer } from "./api.ts";
import { checked } from "./client/client.ts";
import type { Cluster } from "./cluster.ts";
import { instancePath } from "./instances.ts";

/** Throws as Client.call, EngineError. */
export async function openSession(
  cluster: Cluster,
  machineId: string,
  order: TerminalOrder,
  signal: AbortSignal,
): Promise<Terminal> {
  const { client } = cluster;
  const path = `${instancePath(machineId)}/${order.kind === "shell" ? "exec" : "console"}`;
  const { metadata, operation } = await client.call(path, { method: "POST", body: request(order) }, signal);
  const { fds } = checked(metadata, SessionAnswer, path).metadata;
  const sockets = { data: fds["0"], control: fds.control };
  if (sockets.data === undefined || sockets.control === undefined) {
    throw new EngineError("unavailable", "engine-error", "The host did not open a session.");
  }
  const socketPath = `${operation.replace(/\?.*/, "")}/websocket`;
  // Data first: the session starts when all its sockets are connected.
  const data = client.socket(socketPath, { secret: sockets.data });
  const control = client.socket(socketPath, { secret: sockets.control });
  const session = new Session(data, control, (socket) => client.hangUp(socket));
  await Promise.all([opened(data, signal), opened(control, signal)]).catch((error: unknown) => {
    session.close();
    throw error;
  });
  return session;
}

function request({ kind, columns, rows }: TerminalOrder): object {
  if (kind === "console") return { type: "console", width: columns, height: rows };
  return {
    // A bash login shell if it exists; /bin/sh is in every guest.
    command: ["/bin/sh", "-c", "cd ~; if [ -x /bin/bash ]; then exec /bin/bash -l; else exec /bin/sh -l; fi"],
    environment: { TERM: "xterm-256color", HOME: "/root", USER: "root", LANG: "C.UTF-8" },
    interactive: true,
    "wait-for-websocket": true,
    width: columns,
    height: rows,
    user: 0,
    group: 0,
  };
}

function opened(socket: WebSocket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = () => reject(new EngineError("unavailable", "engine-error", "The session was rejected."));
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", failed);
    socket.addEventListener("close", failed);
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** How long to wait for the last output after a session's control socket has closed. */
const lastOutputMs = 2000;

class Session implements Terminal {
  readonly #data: WebSocket;
  readonly #control: WebSocket;
  readonly #hangUp: (socket: WebSocket) => void;
  readonly #early: Uint8Array[] = [];
  #onData: ((data: Uint8Array) => void) | undefined;
  #onEnd: (() => void) | undefined;
  #ended = false;

  constructor(data: WebSocket, control: WebSocket, hangUp: (socket: WebSocket) => void) {
    this.#data = data;
    this.#control = control;
    this.#hangUp = hangUp;
    data.addEventListener("message", ({ data: received }) => this.#receive(received));
    for (const socket of [data, control]) socket.addEventListener("error", () => {});
    data.addEventListener("close", () => this.close());
    control.addEventListener("close", () => {
      setTimeout(() => this.close(), lastOutputMs).unref();
    });
  }

  onData(listener: (data: Uint8Array) => void): void {
    this.#onData = listener;
    for (const bytes of this.#early.splice(0)) listener(bytes);
  }

  onEnd(listener: () => void): void {
    if (this.#ended) listener();
    else this.#onEnd = listener;
  }

  write(data: Uint8Array): void {
    if (this.#data.readyState === this.#data.OPEN) this.#data.send(Uint8Array.from(data));
  }

  unread(): number {
    // Includes pending size changes.
    return this.#data.bufferedAmount + this.#control.bufferedAmount;
  }

  resize(columns: number, rows: number): void {
    if (this.#control.readyState !== this.#control.OPEN) return;
    const args = { width: `${columns}`, height: `${rows}` };
    this.#control.send(Buffer.from(JSON.stringify({ command: "window-resize", args })));
  }

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#hangUp(this.#data);
    this.#hangUp(this.#control);
    this.#onEnd?.();
  }

  /** The end of the output is an empty text message; everything else is bytes. */
  #receive(received: unknown): void {
    if (!(received instanceof ArrayBuffer)) this.close();
    else if (this.#onData === undefined) this.#early.push(new Uint8Array(received));
    else this.#onData(new Uint8Array(received));
  }
}
