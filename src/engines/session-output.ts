// The output of a terminal session over WebSockets, and the opening of one. Output that comes before anything listens waits;
// the session ends once. Used by the terminals of the engines incus and openstack.

import type { WebSocket } from "undici";
import { EngineError } from "./engine.ts";

/** How much output waits for a listener. A program that writes more ends its session. */
const MOST_EARLY_BYTES = 1024 * 1024;

export class SessionOutput {
  readonly #onOverflow: () => void;
  readonly #early: Uint8Array[] = [];
  #earlyBytes = 0;
  #onData: ((data: Uint8Array) => void) | undefined;
  #onEnd: (() => void) | undefined;
  #ended = false;

  /** `onOverflow`: called when more waits than can. */
  constructor(onOverflow: () => void) {
    this.#onOverflow = onOverflow;
  }

  onData(listener: (data: Uint8Array) => void): void {
    this.#onData = listener;
    for (const bytes of this.#early.splice(0)) listener(bytes);
  }

  /** At once if it has ended. */
  onEnd(listener: () => void): void {
    if (this.#ended) listener();
    else this.#onEnd = listener;
  }

  receive(bytes: Uint8Array): void {
    if (this.#onData !== undefined) {
      this.#onData(bytes);
      return;
    }
    this.#early.push(bytes);
    this.#earlyBytes += bytes.length;
    if (this.#earlyBytes > MOST_EARLY_BYTES) this.#onOverflow();
  }

  /** The first time it calls `hangUp` and then the listener; later it does nothing. */
  end(hangUp: () => void): void {
    if (this.#ended) return;
    this.#ended = true;
    hangUp();
    this.#onEnd?.();
  }
}

/** Resolves when the socket is open. Throws EngineError engine-error (unavailable), or the reason of `signal`. */
export function opened(socket: WebSocket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = () => reject(new EngineError("unavailable", "engine-error", "The session was rejected."));
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", failed);
    socket.addEventListener("close", failed);
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
