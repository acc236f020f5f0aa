// The serial console of a machine, over the WebSocket of Nova's serial proxy. Used by engine.ts. Clouds without that service
// have no terminals. Both kinds of terminal are the console: the cloud has no other way into a guest.

import { WebSocket } from "undici";
import { EngineError, type Terminal } from "../engine.ts";
import { opened, SessionOutput } from "../session-output.ts";
import { RemoteConsoleAnswer, type Server } from "./api.ts";
import { ApiError } from "./client/api-error.ts";
import { checked } from "./client/checked.ts";
import type { Cloud, Region } from "./cloud.ts";

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

class Session implements Terminal {
  readonly #socket: WebSocket;
  readonly #cut: () => void;
  readonly #output = new SessionOutput(() => this.close());

  /** `cut`: ends the connection, whatever the other side does. */
  constructor(socket: WebSocket, cut: () => void) {
    this.#socket = socket;
    this.#cut = cut;
    socket.addEventListener("message", ({ data }) =>
      this.#output.receive(data instanceof ArrayBuffer ? new Uint8Array(data) : Buffer.from(String(data))),
    );
    socket.addEventListener("error", () => {});
    socket.addEventListener("close", () => {
      this.close();
      this.#cut();
    });
  }

  onData(listener: (data: Uint8Array) => void): void {
    this.#output.onData(listener);
  }

  onEnd(listener: () => void): void {
    this.#output.onEnd(listener);
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
    this.#output.end(() => {
      this.#socket.close();
      setTimeout(this.#cut, FAREWELL_MS).unref();
    });
  }
}
