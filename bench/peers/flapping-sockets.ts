// Sockets before a libvirt daemon that can be cut and joined again, as a host that loses its network or restarts its
// daemon. Used by runs/flapping.ts.

import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";

export class FlappingSocket implements AsyncDisposable {
  readonly #path: string;
  readonly #target: string;
  readonly #open = new Set<Socket>();
  #server: Server | undefined;

  /** `path`: its own; `target`: the daemon's. Cut until it is joined. */
  constructor(path: string, target: string) {
    this.#path = path;
    this.#target = target;
  }

  async join(): Promise<void> {
    await rm(this.#path, { force: true });
    const server = createServer((near) => this.#pass(near));
    this.#server = server;
    await once(server.listen(this.#path), "listening");
  }

  /** Closes what is open, and accepts nothing. */
  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server.close(), "close");
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cut();
  }

  #pass(near: Socket): void {
    const far = connect(this.#target);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#open.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        this.#open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
