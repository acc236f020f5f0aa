// What a host counts as: its engine's report with the operator's overrides. The only place that combines them, used by
// the host sync (reconciler/sync-hosts.ts) and the operator's PUT (host-changes.ts), so neither undoes the other.
//
// Terms. A reading is an engine's report of a host. Facts are what the host counts as: its rows in hosts, gpus and
// gpu_pools. Only discovered hosts have overrides; others are what was registered.

/** A host as its engine reports it. Sizes in GiB of memory and GB of disk. */
export interface HostReading {
  readonly region: string;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  readonly available: boolean;
  /** Whether a file system created here can be attached on other hosts of the region. */
  readonly sharedStorage: boolean;
  /** Whether a file system can be attached to several instances at once. */
  readonly multiAttach: boolean;
  readonly gpus: readonly {
    readonly address: string;
    readonly model: string;
    /** 0: unknown. */
    readonly memoryGib: number;
    readonly numaNode: number;
    readonly healthy: boolean;
  }[];
}

export interface HostFacts extends HostReading {
  readonly engine: string;
  readonly name: string;
}

/** Sizes are maximums: the rest is reserved for the operator. GPUs that are not listed count as discovered. */
export interface HostOverrides {
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  /** `memoryGib` 0: as discovered. */
  readonly gpus: readonly { readonly address: string; readonly model: string; readonly memoryGib: number }[];
}

/** Applies the overrides to a reading. Region and availability come only from the engine. */
export function withOverrides<Reading extends HostReading>(reading: Reading, overrides: HostOverrides | null): Reading {
  if (overrides === null) return reading;
  return {
    ...reading,
    vcpus: Math.min(reading.vcpus, overrides.vcpus),
    memoryGib: Math.min(reading.memoryGib, overrides.memoryGib),
    storageGb: Math.min(reading.storageGb, overrides.storageGb),
    gpus: reading.gpus.map((gpu) => {
      const named = overrides.gpus.find(({ address }) => address === gpu.address);
      if (named === undefined) return gpu;
      return { ...gpu, model: named.model, memoryGib: named.memoryGib === 0 ? gpu.memoryGib : named.memoryGib };
    }),
  };
}

export function readingOf(host: HostReading): HostReading {
  const { region, vcpus, memoryGib, storageGb, available, sharedStorage, multiAttach, gpus } = host;
  return { region, vcpus, memoryGib, storageGb, available, sharedStorage, multiAttach, gpus };
}
