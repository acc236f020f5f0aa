// The serial console of a machine, over the WebSocket of Nova's serial proxy. Used by engine.ts. Clouds without that service
// have no terminals. Both kinds of terminal are the console: the cloud has no other way into a guest.

import { WebSocket } from "undici";
import { EngineError, type Terminal } from "../engine.ts";
import { RemoteConsoleAnswer, type Server } from "./api.ts";
import { ApiError } from "./client/api-error.ts";
import { checked } from "./client/checked.ts";
import type { Cloud, Region } from "./cloud.ts";

/** How much output waits for a listener. A guest that writes more ends the session. */
const MOST_EARLY_BYTES = 1024 * 1024;

/** How long a proxy may take to close a session that was closed here. */
const FAREWELL_MS = 1000;

/** Throws as Client.call, EngineError. */
export async function openConsole(
  cloud: Cloud,
  { place }: Region,
  server: Server,
  signal: AbortSignal,
): Promise<Terminal> {
  const path = `/servers/${server.id}/remote-consoles`;
  const body = { remote_console: { protocol: "serial", type: "serial" } };
  const answer = await cloud.client
    .call(place.compute, path, { method: "POST", body }, signal)
    .catch((error: unknown) => {
      if (error instanceof ApiError && (error.status === 400 || error.status === 404 || error.status === 501)) {
        throw new EngineError("unavailable", "no-console", "The cloud has no serial consoles.", { cause: error });
      }
      throw error;
    });
  const { url } = checked(answer.body, RemoteConsoleAnswer, path).remote_console;
  if (!URL.canParse(url) || !/^wss?:/.test(url)) {
    throw new EngineError("unavailable", "no-console", "The cloud's serial consoles have no usable address.");
  }
  const line = cloud.client.line();
  const socket = new WebSocket(url.replace(/#.*/, ""), { protocols: ["binary"], dispatcher: line.dispatcher });
  socket.binaryType = "arraybuffer";
  const session = new Session(socket, () => line.cut());
  await opened(socket, signal).catch((error: unknown) => {
    session.close();
    throw error;
  });
  return session;
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

class Session implements Terminal {
  readonly #socket: WebSocket;
  readonly #cut: () => void;
  readonly #early: Uint8Array[] = [];
  #earlyBytes = 0;
  #onData: ((data: Uint8Array) => void) | undefined;
  #onEnd: (() => void) | undefined;
  #ended = false;

  /** `cut`: ends the connection, whatever the other side does. */
  constructor(socket: WebSocket, cut: () => void) {
    this.#socket = socket;
    this.#cut = cut;
    socket.addEventListener("message", ({ data }) => this.#receive(data));
    socket.addEventListener("error", () => {});
    socket.addEventListener("close", () => {
      this.close();
      this.#cut();
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
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(Uint8Array.from(data));
  }

  unread(): number {
    return this.#socket.bufferedAmount;
  }

  /** A serial line has no size. */
  resize(): void {}

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#socket.close();
    setTimeout(this.#cut, FAREWELL_MS).unref();
    this.#onEnd?.();
  }

  #receive(received: unknown): void {
    const bytes = received instanceof ArrayBuffer ? new Uint8Array(received) : Buffer.from(String(received));
    if (this.#onData !== undefined) {
      this.#onData(bytes);
      return;
    }
    this.#early.push(bytes);
    this.#earlyBytes += bytes.length;
    if (this.#earlyBytes > MOST_EARLY_BYTES) this.close();
  }
}
