// Resyncs single hosts soon after something of them might have been missed: a connection was lost, or is there again.
// Used by resync-job.ts. The next full resync covers what fails here.

import { type Log, reason } from "./log.ts";

/** Hosts are gathered for so long, so that many that change together are one resync, in milliseconds. */
const GATHER_MS = 250;
/** Resyncs in progress. A host that does not respond takes half a minute, and must not keep others waiting. */
const MOST_AT_ONCE = 8;

export class HostResyncs {
  readonly #engine: string;
  readonly #log: Log;
  readonly #resync: (hosts: readonly string[], signal: AbortSignal) => Promise<void>;
  readonly #due = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  /** `resync`: resyncs these hosts; what it throws is logged. */
  constructor(engine: string, log: Log, resync: (hosts: readonly string[], signal: AbortSignal) => Promise<void>) {
    this.#engine = engine;
    this.#log = log;
    this.#resync = resync;
  }

  /** Resyncs the host soon, also if a resync of it is in progress, which might have begun too early. */
  add(host: string): void {
    this.#due.add(host);
    this.#schedule();
  }

  /** Stops it, and waits for what is in progress. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopping.abort(new Error("resyncs of hosts end"));
    await Promise.all(this.#running);
  }

  #schedule(): void {
    if (this.#stopping.signal.aborted || this.#timer !== undefined || this.#due.size === 0) return;
    if (this.#running.size >= MOST_AT_ONCE) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const hosts = [...this.#due];
      this.#due.clear();
      const run = this.#run(hosts).then(() => {
        this.#running.delete(run);
        this.#schedule();
      });
      this.#running.add(run);
    }, GATHER_MS);
  }

  async #run(hosts: readonly string[]): Promise<void> {
    const { signal } = this.#stopping;
    try {
      await this.#resync(hosts, signal);
    } catch (error) {
      if (signal.aborted) return;
      const told = { engine: this.#engine, hosts: hosts.slice(0, 20), count: hosts.length, error: reason(error) };
      this.#log.warn(told, "resync of hosts failed");
    }
  }
}
