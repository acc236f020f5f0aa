// What agents in guests report, by the channels of their machines: of all hosts of an engine. Used by engine.ts.
//
// Invariant: a read returns what has arrived, and waits for nothing; a machine is read on one host, where it is now.

import type { GuestMetricsChannel, MachineRef } from "../../engine.ts";
import type { HostConnection } from "../host-connection.ts";
import { HostChannels } from "./host-channels.ts";

export class GuestChannels implements GuestMetricsChannel {
  readonly #places: ReadonlyMap<string, Pick<HostConnection, "virsh">>;
  readonly #hosts = new Map<string, HostChannels>();
  readonly #hostOf = new Map<string, string>();

  /** Does not connect yet. */
  constructor(places: ReadonlyMap<string, Pick<HostConnection, "virsh">>) {
    this.#places = places;
  }

  async readLines(machines: readonly MachineRef[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const lines = new Map<string, Uint8Array>();
    const hosts = new Set<HostChannels>();
    for (const { id, host } of machines) {
      const before = this.#hostOf.get(id);
      if (before !== undefined && before !== host) this.#hosts.get(before)?.forget(id);
      const channels = this.#of(host);
      if (channels === undefined) continue;
      this.#hostOf.set(id, host);
      hosts.add(channels);
      const line = channels.take(id);
      if (line !== undefined) lines.set(id, line);
    }
    for (const channels of hosts) channels.openMissing();
    return lines;
  }

  keepOnly(machineIds: ReadonlySet<string>): void {
    for (const id of this.#hostOf.keys()) if (!machineIds.has(id)) this.#hostOf.delete(id);
    for (const channels of this.#hosts.values()) channels.keepOnly(machineIds);
  }

  /** Something happened to the machine: it might run again. */
  noteChange(machineId: string): void {
    for (const channels of this.#hosts.values()) channels.noteChange(machineId);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#hosts.values()].map((channels) => channels.close()));
  }

  /** Undefined: the host is no longer configured. */
  #of(host: string): HostChannels | undefined {
    const place = this.#places.get(host);
    if (place === undefined) return undefined;
    const channels = this.#hosts.get(host) ?? new HostChannels(place.virsh);
    this.#hosts.set(host, channels);
    return channels;
  }
}
