// What machines wrote to their serial consoles since they were started: listened to from the start on, through a console
// session, and kept in this process. Used by engine.ts.
//
// Not kept by libvirt in a file on the host, which it would do: it reads into every file of a pool for what it is, follows
// what stands there, as root, and a guest could write anything there; and outside of pools nobody can read a file of a
// host. So a log is what this process heard: another one has none, and an interactive session on the console ends it.
//
// Invariant: a log is bounded in size and in time, and all of them in number.

import type { HostConnection } from "./host-connection.ts";
import { domainName } from "./labels.ts";
import type { Console } from "./virsh/virsh.ts";

/** As much of the end is kept. */
const MOST_BYTES = 256 * 1024;
/** So long is listened after a start: a process for each machine that runs would be too much. */
const LISTEN_MS = 10 * 60_000;
const MOST_LOGS = 1000;

interface Log {
  text: string;
  end: () => void;
}

export class ConsoleLogs {
  readonly #logs = new Map<string, Log>();
  readonly #closing = new AbortController();

  /** Listens to a machine that was just started. Fails silently: a log is worth less than its machine. */
  begin(place: HostConnection, machineId: string): void {
    this.#logs.get(machineId)?.end();
    this.#logs.delete(machineId);
    const [oldest] = this.#logs.size >= MOST_LOGS ? this.#logs.keys() : [];
    if (oldest !== undefined) this.forget(oldest);
    const log: Log = { text: "", end: () => {} };
    this.#logs.set(machineId, log);
    void this.#listen(place, machineId, log).catch(() => {});
  }

  /** What was heard of it; "" where nothing was. */
  of(machineId: string): string {
    return this.#logs.get(machineId)?.text ?? "";
  }

  /** It is gone, or starts anew. */
  forget(machineId: string): void {
    this.#logs.get(machineId)?.end();
    this.#logs.delete(machineId);
  }

  close(): void {
    this.#closing.abort(new Error("the engine is closed"));
    for (const { end } of this.#logs.values()) end();
  }

  async #listen({ virsh }: HostConnection, machineId: string, log: Log): Promise<void> {
    const session: Console = await virsh.console({ domain: domainName(machineId) }, this.#closing.signal);
    const timer = setTimeout(() => session.close(), LISTEN_MS);
    timer.unref();
    const end = () => {
      clearTimeout(timer);
      session.close();
    };
    session.onEnd(() => clearTimeout(timer));
    session.onData((data) => {
      log.text = `${log.text}${Buffer.from(data).toString("utf8")}`.slice(-MOST_BYTES);
    });
    // It may have been forgotten while the session opened.
    if (this.#closing.signal.aborted || this.#logs.get(machineId) !== log) end();
    else log.end = end;
  }
}
