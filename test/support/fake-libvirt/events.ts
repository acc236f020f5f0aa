// Who listens to the events of a fake host, with the lines that `virsh event --all --loop --timestamp` prints.

import type { Follower } from "../../../src/engines/libvirt/virsh/virsh.ts";
import { printed } from "./complain.ts";

interface Listener {
  readonly follower: Follower;
  /** Written while the host could not be reached; comes when it can be again. */
  readonly waiting: string[];
  received: number;
}

export class Events {
  readonly #uri: string;
  readonly #listeners = new Set<Listener>();
  /** Whether what is told arrives now. */
  arrives = true;

  constructor(uri: string) {
    this.#uri = uri;
  }

  /** How many follow. */
  get followers(): number {
    return this.#listeners.size;
  }

  /** Returns how to end it. */
  add(follower: Follower): () => void {
    const listener = { follower, waiting: [], received: 0 };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `what`: such as "Stopped Failed". */
  lifecycle(domain: string, what: string): void {
    this.tell(`event 'lifecycle' for domain '${domain}': ${what}`);
  }

  reboot(domain: string): void {
    this.tell(`event 'reboot' for domain '${domain}'`);
  }

  controlError(domain: string): void {
    this.tell(`event 'control-error' for domain '${domain}'`);
  }

  tell(event: string): void {
    const line = `${new Date().toISOString().replace("T", " ").replace("Z", "+0000")}: ${event}`;
    for (const listener of this.#listeners) {
      listener.received++;
      if (this.arrives) listener.follower.onLine(line);
      else listener.waiting.push(line);
    }
  }

  /** What had to wait. */
  deliver(): void {
    for (const { follower, waiting } of this.#listeners) for (const line of waiting.splice(0)) follower.onLine(line);
  }

  /** All are cut off, as when the daemon ends or nothing was heard from it for too long. */
  end(why: "I/O error" | "keepalive timeout"): void {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const { follower, received, waiting } of listeners) {
      follower.onLine(`events received: ${received - waiting.length}`);
      follower.onEnd(
        printed([`Disconnected from ${this.#uri} due to ${why}`, "internal error: client socket is closed"]),
      );
    }
  }
}
