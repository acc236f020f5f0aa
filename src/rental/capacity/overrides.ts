// What a host counts as: what its engine says, as an operator wants it counted. The one place that makes the one from
// the other; the inventory (reconciler/sync-hosts.ts) and the operator's PUT (host-changes.ts) both use it, so a sweep
// never undoes an override, and a PUT never invents what the host does not have.
//
// Terms. A reading is what an engine says of a host. Facts are what the host counts as: its rows in hosts, gpus and
// gpu_pools. Only a host that an engine discovered has overrides; one of an engine with a world is what was declared.

/** A host as its engine reports it. Sizes in GiB of memory and GB of disk. */
export interface HostReading {
  readonly region: string;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  readonly available: boolean;
  /** Whether a file system that was made here can be attached on other hosts of the region too. */
  readonly sharedStorage: boolean;
  /** Whether a file system on it can be attached to several instances at once. */
  readonly multiAttach: boolean;
  readonly gpus: readonly {
    readonly address: string;
    readonly model: string;
    /** 0: the engine cannot say. */
    readonly memoryGib: number;
    readonly numaNode: number;
    readonly healthy: boolean;
  }[];
}

/** A host as it counts, or as its engine reports it. */
export interface HostFacts extends HostReading {
  readonly engine: string;
  readonly name: string;
}

/** The sizes are caps: what is above them is the operator's. GPUs that are not listed are as they are found. */
export interface HostOverrides {
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  /** `memoryGib` 0: as it is found. */
  readonly gpus: readonly { readonly address: string; readonly model: string; readonly memoryGib: number }[];
}

/** The facts that a reading and the overrides make. Where the host is, and whether it is there, only its engine says. */
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

/** The reading alone, as it is stored. */
export function readingOf(host: HostReading): HostReading {
  const { region, vcpus, memoryGib, storageGb, available, sharedStorage, multiAttach, gpus } = host;
  return { region, vcpus, memoryGib, storageGb, available, sharedStorage, multiAttach, gpus };
}
