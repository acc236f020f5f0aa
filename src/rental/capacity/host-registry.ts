// How a registered host reaches its engine: the port between the rental and engines whose hosts operators register (the
// simulated one). An engine that discovers hosts has no registry. composition.ts passes the map, because neither rental
// nor http can import an engine. Called by host-changes.ts only.

import type { Transaction } from "../../database/connect.ts";

/** A host to register. Sizes in GiB of memory and GB of disk. */
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

/** A registered host with the known health of its GPUs: registering it again does not repair them. */
export interface HostToRegister extends RegisteredHost {
  readonly gpus: readonly (RegisteredGpu & { readonly healthy: boolean })[];
}

/** Both calls can be repeated, and run in the transaction that changes the rental's own rows. */
export interface HostRegistry {
  /** The storage of its hosts, as in HostReading. */
  readonly storage: { readonly sharedStorage: boolean; readonly multiAttach: boolean };
  /** Creates or updates the host. */
  put(tx: Transaction, host: HostToRegister): Promise<void>;
  /** Does nothing if the host does not exist. */
  remove(tx: Transaction, name: string): Promise<void>;
}

/** By engine name. */
export type HostRegistries = ReadonlyMap<string, HostRegistry>;
