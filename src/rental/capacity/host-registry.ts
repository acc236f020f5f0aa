// How an operator's PUT of a host reaches the engine that has it: the port between the rental and engines whose hosts
// exist because they are registered (the simulated one). An engine whose hosts are discovered has no registry.
// The map comes from composition.ts, because neither rental nor http may import an engine. Called by host-changes.ts only.

import type { Transaction } from "../../database/connect.ts";

/** A host as it is declared. Sizes in GiB of memory and GB of disk. */
export interface RegisteredHost {
  readonly name: string;
  readonly region: string;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  readonly gpus: readonly RegisteredGpu[];
}

export interface RegisteredGpu {
  /** Unique on its host. */
  readonly address: string;
  readonly model: string;
  readonly memoryGib: number;
  readonly numaNode: number;
}

/** A declared host with what is known of its GPUs' health: declaring one again does not mend it. */
export interface HostToRegister extends RegisteredHost {
  readonly gpus: readonly (RegisteredGpu & { readonly healthy: boolean })[];
}

/** Both calls may be repeated, and take part in the transaction that changes the rental's own rows. */
export interface HostRegistry {
  /** What the storage of its hosts is like, as HostReading says. */
  readonly storage: { readonly sharedStorage: boolean; readonly multiAttach: boolean };
  /** Makes the host, or makes the one that is there like this. */
  put(tx: Transaction, host: HostToRegister): Promise<void>;
  /** Takes it away. Nothing to do where it is not there. */
  remove(tx: Transaction, name: string): Promise<void>;
}

/** By the name of the engine. */
export type HostRegistries = ReadonlyMap<string, HostRegistry>;
