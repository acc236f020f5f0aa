// The serial console output of machines since their start, read through a console session and kept in this process.
// Used by engine.ts.
//
// Not kept by libvirt in a file on the host: as root, libvirt parses every file of a pool and follows references in it,
// which a guest could write; and files outside of pools cannot be read remotely. So a log is what this process read:
// other replicas have none, and an interactive console session ends it.
//
// Invariant: size, duration and number of logs are limited.

import type { HostConnection } from "./host-connection.ts";
import { domainName } from "./labels.ts";
import type { Console } from "./virsh/virsh.ts";

/** Only the end is kept. */
const MOST_BYTES = 256 * 1024;
/** How long output is read after a start by default: one process per running machine would be too much. */
const LISTEN_SECONDS = 10 * 60;
const MOST_LOGS = 1000;

interface Log {
  text: string;
  end: () => void;
}

export class ConsoleLogs {
  readonly #logs = new Map<string, Log>();
  readonly #closing = new AbortController();

  /** Reads a machine that was just started. Fails silently: a log is less important than its machine. */
  begin(place: HostConnection, machineId: string, seconds = LISTEN_SECONDS): void {
    this.#logs.get(machineId)?.end();
    this.#logs.delete(machineId);
    const [oldest] = this.#logs.size >= MOST_LOGS ? this.#logs.keys() : [];
    if (oldest !== undefined) this.forget(oldest);
    const log: Log = { text: "", end: () => {} };
    this.#logs.set(machineId, log);
    void this.#listen(place, machineId, log, seconds).catch(() => {});
  }

  /** "" if there is none. */
  of(machineId: string): string {
    return this.#logs.get(machineId)?.text ?? "";
  }

  /** The machine was removed, or starts again. */
  forget(machineId: string): void {
    this.#logs.get(machineId)?.end();
    this.#logs.delete(machineId);
  }

  close(): void {
    this.#closing.abort(new Error("the engine is closed"));
    for (const { end } of this.#logs.values()) end();
  }

  async #listen({ virsh }: HostConnection, machineId: string, log: Log, seconds: number): Promise<void> {
    const session: Console = await virsh.console({ domain: domainName(machineId) }, this.#closing.signal);
    const timer = setTimeout(() => session.close(), seconds * 1000);
    timer.unref();
    const end = () => {
      clearTimeout(timer);
      session.close();
    };
    session.onEnd(() => clearTimeout(timer));
    session.onData((data) => {
      log.text = `${log.text}${Buffer.from(data).toString("utf8")}`.slice(-MOST_BYTES);
    });
    // The log might have been discarded while the session opened.
    if (this.#closing.signal.aborted || this.#logs.get(machineId) !== log) end();
    else log.end = end;
  }
}
