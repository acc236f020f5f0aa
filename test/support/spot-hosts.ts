// Hosts with spot instances by chance, for tests of what is evicted (src/rental/spot), and how often a type fits on them,
// counted without the code that is tested.

import { poolsOf } from "../../src/rental/capacity/host-lock.ts";
import type { InstanceType } from "../../src/rental/instances/instance.ts";
import type { Evictable, EvictionHost } from "../../src/rental/spot/evictable.ts";
import type { Random } from "./random.ts";

const words = { description: "", gpuDescription: "", priceCentsPerHour: 1, spotPriceCentsPerHour: null } as const;

export function typeOf(part: Partial<InstanceType> = {}): InstanceType {
  const needs = { gpuModel: "H100", gpus: 1, vcpus: 4, memoryGib: 4, storageGb: 1 };
  return { name: "type", ...words, architecture: "x86_64", ...needs, ...part };
}

/** Of so many GPUs the partitions of an NVSwitch board. */
const board = (addresses: readonly string[]): string[][] =>
  [8, 4, 2, 1].flatMap((size) =>
    Array.from({ length: Math.floor(addresses.length / size) }, (_, at) => addresses.slice(at * size, (at + 1) * size)),
  );

export interface HostSpec {
  readonly name: string;
  readonly region?: string;
  /** How many GPUs are free. */
  readonly gpus?: number;
  readonly vcpus?: number;
  readonly isBoard?: boolean;
  /** By instance: GPUs and vCPUs. The first is the oldest, unless it has a position. */
  readonly spot?: readonly (Partial<Evictable> & { readonly gpuCount: number })[];
  readonly others?: number;
  readonly owner?: EvictionHost["owner"];
}

let count = 0;

/** GPUs that are free, then those of spot instances, then those of others. */
export function hostWith(spec: HostSpec): EvictionHost {
  const { name, region = "north", gpus = 0, vcpus = 0, isBoard = false, spot = [], others = 0, owner } = spec;
  let next = 0;
  const take = (some: number) =>
    Array.from({ length: some }, () => ({ address: `${name}-${next++}`, model: "H100", numaNode: 0 }));
  const freeGpus = take(gpus);
  const evictable = spot.map(({ gpuCount, ...part }): Evictable => {
    count += 1;
    const room = { vcpus: 4 * Math.max(gpuCount, 1), memoryGib: 4 * Math.max(gpuCount, 1), storageGb: 1 };
    const known = { id: `spot-${count}`, position: count, isUnderNotice: false };
    return { ...known, ...room, gpus: take(gpuCount), gpuCount, ...part };
  });
  const total = next + others;
  const all = Array.from({ length: total }, (_, index) => `${name}-${index}`);
  const partitions = new Map(isBoard ? [["H100", board(all)] as const] : []);
  const pools = poolsOf(freeGpus, { H100: total }, partitions);
  return {
    ...{ name, region, engine: "simulated", freeVcpus: vcpus, freeMemoryGib: 1000, freeStorageGb: 1000 },
    ...{ gpus: pools, freeGpus, partitions, evictable, owner },
  };
}

export function randomHost(random: Random, name: string, mostSpot: number): EvictionHost {
  const sizes = random.one([[1], [1, 2], [0, 1, 2, 4], [0, 1]]);
  let left = 8;
  const spot = Array.from({ length: random.below(mostSpot + 1) }, () => {
    const gpuCount = Math.min(random.one(sizes), left);
    left -= gpuCount;
    const isUnderNotice = random.below(5) === 0;
    return {
      ...{ gpuCount, isUnderNotice, position: random.below(1_000_000) },
      ...(random.below(3) === 0 && { vcpus: random.below(12) }),
    };
  });
  const gpus = random.below(Math.min(left, 3) + 1);
  return hostWith({
    ...{ name, spot, gpus, region: random.one(["north", "north", "south"]), isBoard: random.below(3) === 0 },
    ...{ vcpus: random.below(8), others: left - gpus },
  });
}

/** How often the type fits when these are gone. */
export function timesAfter(host: EvictionHost, gone: readonly Evictable[], type: InstanceType): number {
  const vcpus = gone.reduce((sum, one) => sum + one.vcpus, host.freeVcpus);
  const memory = gone.reduce((sum, one) => sum + one.memoryGib, host.freeMemoryGib);
  const storage = gone.reduce((sum, one) => sum + one.storageGb, host.freeStorageGb);
  const times = [vcpus / type.vcpus, memory / type.memoryGib, storage / type.storageGb].map(Math.floor);
  if (type.gpuModel === null) return Math.min(...times);
  const free = [...host.freeGpus, ...gone.flatMap(({ gpus }) => gpus)].filter(({ model }) => model === type.gpuModel);
  const sets = host.partitions.get(type.gpuModel);
  if (sets === undefined) return Math.min(...times, Math.floor(free.length / type.gpus));
  const addresses = free.map(({ address }) => address);
  const whole = sets.filter((set) => set.length === type.gpus && set.every((one) => addresses.includes(one)));
  return Math.min(...times, whole.length);
}
