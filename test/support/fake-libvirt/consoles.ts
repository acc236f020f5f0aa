// The serial consoles of a fake domain. Something that echoes as a terminal does and notices when a shell is left by
// "exit". As with the real one (--force) a new session ends another on the same device, the end of the domain ends all,
// and a daemon that is killed is noticed only when something is written.

import type { Console } from "../../../src/engines/libvirt/virsh/virsh.ts";

export interface ConsoleHost {
  /** Whether what is typed arrives somewhere: the daemon is there. */
  isConnected(): boolean;
  /** Whether a guest is there that reads it. */
  isHeard(): boolean;
  shellLeft(): string;
}

export class FakeConsole implements Console {
  readonly domain: string;
  readonly device: string;
  readonly typed: Buffer[] = [];
  isOver = false;
  readonly #host: ConsoleHost;
  #line = "";
  #early: Uint8Array[] = [];
  #onData: ((data: Uint8Array) => void) | undefined;
  readonly #onEnd: (() => void)[] = [];

  constructor(domain: string, device: string, host: ConsoleHost) {
    this.domain = domain;
    this.device = device;
    this.#host = host;
  }

  onData(listener: (data: Uint8Array) => void): void {
    this.#onData = listener;
    for (const data of this.#early.splice(0)) listener(data);
  }

  onEnd(listener: () => void): void {
    if (this.isOver) queueMicrotask(listener);
    else this.#onEnd.push(listener);
  }

  write(data: Uint8Array): void {
    if (this.isOver) return;
    if (!this.#host.isConnected()) {
      this.end();
      return;
    }
    const bytes = Buffer.from(data);
    this.typed.push(bytes);
    // Virsh's own way out, Ctrl and "]"; what comes before it arrives.
    const wayOut = bytes.indexOf(0x1d);
    if (this.#host.isHeard()) this.#hear(wayOut < 0 ? bytes : bytes.subarray(0, wayOut));
    if (wayOut >= 0) this.end();
  }

  unread(): number {
    return 0;
  }

  flow(): void {}

  close(): void {
    this.end();
  }

  /** What the guest writes. */
  show(text: string): void {
    if (this.isOver) return;
    const data = Buffer.from(text);
    if (this.#onData === undefined) this.#early.push(data);
    else this.#onData(data);
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const listener of this.#onEnd) queueMicrotask(listener);
  }

  #hear(bytes: Buffer): void {
    this.show(bytes.toString("utf8"));
    this.#line += bytes.toString("utf8");
    const lines = this.#line.split(/[\r\n]/);
    this.#line = lines.pop() ?? "";
    if (lines.includes("exit")) this.show(this.#host.shellLeft());
  }
}
