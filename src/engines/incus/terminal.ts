// An interactive session in a machine: a root shell (exec), its console, or another command, over the cluster's
// WebSockets. Used by engine.ts and guest-output.ts.

import type { WebSocket } from "undici";
import { EngineError, type Terminal, type TerminalOrder } from "../engine.ts";
import { opened, SessionOutput } from "../session-output.ts";
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
  return open(
    cluster,
    `${instancePath(machineId)}/${order.kind === "shell" ? "exec" : "console"}`,
    request(order),
    signal,
  );
}

/** A session that can be ended whatever its program does. */
export interface CommandSession extends Terminal {
  /** Kills the program with SIGKILL, from outside the guest, and closes the session. */
  kill(): void;
}

/** Runs the command as root. Throws as Client.call, EngineError. */
export function openCommand(
  cluster: Cluster,
  machineId: string,
  command: readonly string[],
  signal: AbortSignal,
): Promise<CommandSession> {
  const size = { width: 80, height: 24 };
  const body = { command, environment: {}, interactive: true, "wait-for-websocket": true, ...size, user: 0, group: 0 };
  return open(cluster, `${instancePath(machineId)}/exec`, body, signal);
}

async function open({ client }: Cluster, path: string, body: object, signal: AbortSignal): Promise<Session> {
  const { metadata, operation } = await client.call(path, { method: "POST", body }, signal);
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
  const bothOpened = Promise.all([opened(data, signal), opened(control, signal)]).catch((error: unknown) => {
    session.kill();
    throw error;
  });
  // Of a short command the output can end before the second socket has opened here.
  await Promise.race([session.outputEnded, bothOpened]);
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

/** How long to wait for the last output after a session's control socket has closed. */
const lastOutputMs = 2000;

class Session implements CommandSession {
  readonly #data: WebSocket;
  readonly #control: WebSocket;
  readonly #hangUp: (socket: WebSocket) => void;
  readonly #output = new SessionOutput(() => this.kill());
  readonly #outputEnd = Promise.withResolvers<void>();

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

  /** Never rejects; pending if the session ends in another way. */
  get outputEnded(): Promise<void> {
    return this.#outputEnd.promise;
  }

  onData(listener: (data: Uint8Array) => void): void {
    this.#output.onData(listener);
  }

  onEnd(listener: () => void): void {
    this.#output.onEnd(listener);
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

  kill(): void {
    if (this.#control.readyState === this.#control.OPEN) {
      this.#control.send(Buffer.from(JSON.stringify({ command: "signal", signal: 9 })));
    }
    this.close();
  }

  close(): void {
    this.#output.end(() => {
      this.#hangUp(this.#data);
      this.#hangUp(this.#control);
    });
  }

  /** The end of the output is an empty text message; everything else is bytes. */
  #receive(received: unknown): void {
    if (!(received instanceof ArrayBuffer)) {
      this.#outputEnd.resolve();
      this.close();
      return;
    }
    this.#output.receive(new Uint8Array(received));
  }
}
