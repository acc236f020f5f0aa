// What agents in guests report, by a file that each writes in its guest (images/agent.py) and a command in the guest
// prints: no path of a network leads from a guest to us. Used by engine.ts.
//
// Invariant: of each guest one read is in progress at a time, of a limited size and time, and only some of all guests at
// once; one that fails or hangs is left alone for a while. No caller waits for it: a call returns what the reads after
// the last one have brought.

import { guestLines } from "../../rules/guest-metrics.ts";
import type { GuestMetricsChannel, MachineRef } from "../engine.ts";
import { LatestLine } from "../guest/latest-line.ts";
import { Pauses } from "../guest/pauses.ts";
import type { Cluster } from "./cluster.ts";
import { outputOf } from "./guest-output.ts";

/** Of the guest. */
export const metricsFile = "/run/lessor/metrics";

/** With the ends of the line, of which a terminal makes one more. */
const MOST_BYTES = guestLines.mostBytes + 3;
/** Each takes a member some 30 ms of a processor. */
const MOST_AT_ONCE = 16;

interface Machine {
  arrived: Uint8Array | undefined;
  returned: Uint8Array | undefined;
}

export class GuestFiles implements GuestMetricsChannel {
  readonly #cluster: Cluster;
  readonly #pauses: Pauses;
  readonly #closing = new AbortController();
  /** Of the machines that are read: what arrived and was not returned yet, and what was returned last. */
  readonly #machines = new Map<string, Machine>();
  readonly #waiting = new Set<string>();
  readonly #reading = new Map<string, Promise<void>>();

  /** `clock`: for tests. */
  constructor(cluster: Cluster, clock?: () => number) {
    this.#cluster = cluster;
    this.#pauses = new Pauses(clock);
  }

  async readLines(machines: readonly MachineRef[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const lines = new Map<string, Uint8Array>();
    for (const { id } of machines) {
      const machine = this.#machines.get(id) ?? { arrived: undefined, returned: undefined };
      this.#machines.set(id, machine);
      const { arrived, returned } = machine;
      machine.arrived = undefined;
      // A file that stays as it is has no new line.
      if (arrived !== undefined && (returned === undefined || Buffer.compare(arrived, returned) !== 0)) {
        lines.set(id, arrived);
        machine.returned = arrived;
      }
      if (!this.#reading.has(id) && !this.#pauses.has(id)) this.#waiting.add(id);
    }
    this.#readWaiting();
    return lines;
  }

  keepOnly(machineIds: ReadonlySet<string>): void {
    for (const id of this.#machines.keys()) if (!machineIds.has(id)) this.#machines.delete(id);
    for (const id of this.#waiting) if (!machineIds.has(id)) this.#waiting.delete(id);
    this.#pauses.keepOnly(machineIds);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the engine is closed"));
    this.keepOnly(new Set());
    await Promise.all(this.#reading.values());
  }

  /** The first ones, as far as there is room. */
  #readWaiting(): void {
    for (const id of this.#waiting) {
      if (this.#reading.size >= MOST_AT_ONCE) return;
      this.#waiting.delete(id);
      const done = () => {
        this.#reading.delete(id);
        this.#readWaiting();
      };
      this.#reading.set(id, this.#read(id).then(done));
    }
  }

  /** Never fails. */
  async #read(id: string): Promise<void> {
    const arrived = await this.#lineOf(id).catch(() => undefined);
    const machine = this.#machines.get(id);
    if (arrived === undefined) this.#pauses.begin(id);
    else {
      this.#pauses.end(id);
      // It may not be read any more.
      if (machine !== undefined) machine.arrived = arrived;
    }
  }

  /** Undefined: there is no whole line, or not in time. Throws as outputOf. */
  async #lineOf(id: string): Promise<Uint8Array | undefined> {
    // No message of its own: it would be taken for a line.
    const command = ["/bin/sh", "-c", `exec head -c ${MOST_BYTES} ${metricsFile} 2>/dev/null`];
    const output = await outputOf(this.#cluster, id, { command, mostBytes: MOST_BYTES }, this.#closing.signal);
    const line = new LatestLine(guestLines.mostBytes);
    if (output !== undefined) line.push(output);
    return line.take();
  }
}
