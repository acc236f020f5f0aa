// A fleet in memory on which launches are placed one after the other by the service's own code: the order of hosts, the
// proposal, the choice of GPUs. No database, so that a hundred thousand launches take seconds. Used by the replays.

import { type Assignment, placesFor } from "../../src/rental/capacity/assign.ts";
import { type LockedHost, poolsOf } from "../../src/rental/capacity/host-lock.ts";
import { HostOrder } from "../../src/rental/capacity/host-order.ts";
import type { Turn } from "../../src/rental/capacity/line.ts";
import { needsPerGpu } from "../../src/rental/capacity/needs-per-gpu.ts";
import { propose } from "../../src/rental/capacity/proposal.ts";
import type { InstanceType } from "../../src/rental/instances/instance.ts";
import { choose } from "../../src/rental/spot/plan.ts";

/** A kind of host, in any units of CPU and memory that the launches use too. */
export interface HostKind {
  readonly model: string;
  /** In each NUMA node. */
  readonly gpusByNode: readonly number[];
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly count: number;
}

/** A launch that was placed. */
export interface Placed {
  readonly product: InstanceType;
  readonly host: string;
  readonly gpuAddresses: readonly string[];
  /** How many NUMA nodes its GPUs are of. */
  readonly nodes: number;
}

/** Of everything that is not short. */
const plenty = 1_000_000_000;
const region = "fleet";

export class Arena {
  readonly #order = new HostOrder();
  readonly #hosts = new Map<string, LockedHost>();
  /** Spot instances by host, the oldest first. */
  readonly #spot = new Map<string, (Placed & { readonly position: number })[]>();
  #spotPosition = 0;

  constructor(kinds: readonly HostKind[], types: readonly InstanceType[]) {
    this.#order.useNeeds(needsPerGpu(types));
    for (const [index, kind] of kinds.entries()) {
      for (let number = 0; number < kind.count; number++) this.#put(hostOf(kind, `${index}-${number}`));
    }
  }

  /** Of the launches that wait, the first of each kind. */
  waitFor(first: readonly { readonly position: number; readonly product: InstanceType }[]): void {
    this.#order.lines = first.map((one) => ({ ...one, isSpot: false, region, bound: {}, endsMs: undefined }));
  }

  /** Keeps the host with the most GPUs that are free, or spot, for a launch that waits: it is not known what ends when. */
  keep(position: number, { gpus }: InstanceType): void {
    const free = (host: LockedHost) =>
      this.#spotOn(host.name).reduce((sum, { product }) => sum + product.gpus, host.freeGpus.length);
    const [best] = [...this.#hosts.values()]
      .filter((host) => host.earmark === undefined && gpus <= totalOf(host))
      .sort((a, b) => free(b) - free(a));
    if (best !== undefined) this.#swap(best, { ...best, earmark: { position, fromMs: undefined } });
  }

  giveBack(position: number): void {
    for (const host of this.#hosts.values()) {
      if (host.earmark?.position === position) this.#swap(host, { ...host, earmark: undefined });
    }
  }

  /** Undefined: no host has capacity. */
  launch(product: InstanceType, turn: Turn = {}): Placed | undefined {
    const want = { product, region, instanceIds: ["one"], ...turn };
    const names = propose(this.#order, [want], new Set());
    const { lines } = this.#order;
    const [place] = placesFor(want, { hosts: [...names].map((name) => this.#host(name)), lines }, this.#order) ?? [];
    if (place === undefined) return undefined;
    const host = this.#host(place.host);
    const nodes = new Set(this.#taken(host, place).map(({ numaNode }) => numaNode));
    this.#replace(
      host,
      product,
      -1,
      host.freeGpus.filter(({ address }) => !place.gpuAddresses.includes(address)),
    );
    return { product, host: host.name, gpuAddresses: place.gpuAddresses, nodes: nodes.size };
  }

  /** A spot instance without an end. Undefined: no host has capacity that is not kept. */
  launchSpot(product: InstanceType): Placed | undefined {
    const placed = this.launch(product, { isSpot: true });
    if (placed === undefined) return undefined;
    const one = { ...placed, position: this.#spotPosition++ };
    this.#spot.set(placed.host, [...this.#spotOn(placed.host), one]);
    return one;
  }

  /** Evicts what makes the launch fit, and gives what was evicted; undefined: nothing does, and nothing was. */
  evictFor(position: number, product: InstanceType): readonly Placed[] | undefined {
    const hosts = [...this.#hosts.values()].map((host) => ({
      ...host,
      evictable: this.#spotOn(host.name).map((one) => ({
        ...{ id: `${one.position}`, position: one.position, isUnderNotice: false, storageGb: 0 },
        ...{ vcpus: one.product.vcpus, memoryGib: one.product.memoryGib, gpuCount: one.product.gpus },
        gpus: gpusOf(one),
      })),
      owner: undefined,
    }));
    const launch = { id: "launch", position, line: "line", product, quantity: 1, region, bound: {}, endsMs: undefined };
    const chosen = choose(launch, hosts, { unserved: [] }, (type) => this.#order.comparator(type));
    const evicted = chosen?.flatMap((one) => one.evicted.map(({ id }) => id));
    if (evicted === undefined) return undefined;
    const gone = [...this.#spot.values()].flat().filter((one) => evicted.includes(`${one.position}`));
    for (const one of gone) {
      this.#spot.set(
        one.host,
        this.#spotOn(one.host).filter((other) => other !== one),
      );
      this.end(one);
    }
    return gone;
  }

  #spotOn(host: string) {
    return this.#spot.get(host) ?? [];
  }

  end({ product, host: name, gpuAddresses }: Placed): void {
    const host = this.#host(name);
    this.#replace(host, product, 1, [...host.freeGpus, ...gpusOf({ product, gpuAddresses })]);
  }

  #taken(host: LockedHost, { gpuAddresses }: Assignment) {
    return host.freeGpus.filter(({ address }) => gpuAddresses.includes(address));
  }

  #replace(host: LockedHost, product: InstanceType, sign: 1 | -1, freeGpus: LockedHost["freeGpus"]): void {
    this.#swap(host, {
      ...host,
      freeVcpus: host.freeVcpus + sign * product.vcpus,
      freeMemoryGib: host.freeMemoryGib + sign * product.memoryGib,
      gpus: poolsOf(freeGpus, Object.fromEntries([...host.gpus].map(([model, { total }]) => [model, total]))),
      freeGpus,
    });
  }

  #swap(before: LockedHost, after: LockedHost): void {
    this.#order.remove(before);
    this.#put(after);
  }

  #put(host: LockedHost): void {
    this.#hosts.set(host.name, host);
    this.#order.add(host);
  }

  #host(name: string): LockedHost {
    const host = this.#hosts.get(name);
    if (host === undefined) throw new Error(`BUG: there is no host ${name}`);
    return host;
  }
}

function hostOf({ model, gpusByNode, vcpus, memoryGib }: HostKind, name: string): LockedHost {
  const freeGpus = gpusByNode.flatMap((count, numaNode) =>
    Array.from({ length: count }, (_, number) => ({ model, numaNode, address: `${numaNode}:${number}` })),
  );
  return {
    name,
    engine: "none",
    region,
    freeVcpus: vcpus,
    freeMemoryGib: memoryGib,
    freeStorageGb: plenty,
    gpus: poolsOf(freeGpus, { [model]: freeGpus.length }),
    freeGpus,
    partitions: new Map(),
  };
}

const totalOf = ({ gpus }: LockedHost): number => Math.max(0, ...[...gpus.values()].map(({ total }) => total));

function gpusOf({ product, gpuAddresses }: Pick<Placed, "product" | "gpuAddresses">): LockedHost["freeGpus"] {
  return gpuAddresses.map((address) => ({ address, numaNode: nodeOf(address), model: product.gpuModel ?? "" }));
}

/** As `hostOf` writes addresses. */
const nodeOf = (address: string): number => Number(address.split(":")[0]);

/** An instance type of the replays: only what is placed by. */
export function typeOf(needs: Pick<InstanceType, "name" | "gpuModel" | "gpus" | "vcpus" | "memoryGib">): InstanceType {
  const rest = {
    description: "",
    gpuDescription: "",
    storageGb: 1,
    priceCentsPerHour: 1,
    spotPriceCentsPerHour: null,
    architecture: "x86_64",
  } as const;
  return { ...needs, ...rest };
}
