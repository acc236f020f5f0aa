// An upper bound of the GPUs that any placement of some launches can allocate on the hosts of one model, to compare an
// order of hosts with the offline optimum, which is never above it.
//
// Lagrange: every launch may be placed any number of times, and pays a price for each. Whatever the prices, what hosts
// then gain at most, plus the price of each launch once, is such a bound; the prices are moved until it is low. Memory is
// left out, and CPU is rounded down, which can only raise the bound.

import type { InstanceType } from "../../src/rental/instances/instance.ts";
import type { HostKind } from "./arena.ts";

/** CPU in thousandths of a core. */
type Asked = Pick<InstanceType, "gpus" | "vcpus">;

/** Launches that are alike. */
interface Kind {
  readonly gpus: number;
  readonly cores: number;
  readonly count: number;
  price: number;
}

const rounds = 600;
/** Of Polyak's step, which would be 1 if the optimum were known. */
const pace = 0.3;

/** `reached`: what some placement of them has allocated. */
export function mostGpus(asked: readonly Asked[], hosts: readonly HostKind[], reached: number): number {
  const kinds = kindsOf(asked);
  let least = Math.min(
    sum(asked, ({ gpus }) => gpus),
    sum(hosts, (host) => host.count * gpusOf(host)),
  );
  for (let round = 0; round < rounds && least > reached; round++) {
    const left = new Map(kinds.map((kind) => [kind, kind.count]));
    let bound = sum(kinds, ({ count, price }) => count * price);
    for (const host of hosts) {
      const { gain, chosen } = bestLoad(host, kinds);
      bound += host.count * gain;
      for (const kind of chosen) left.set(kind, (left.get(kind) ?? 0) - host.count);
    }
    least = Math.min(least, bound);
    const norm = sum([...left.values()], (value) => value ** 2);
    if (norm === 0) break;
    const step = (pace * Math.max(0, bound - reached)) / norm;
    // Launches that were chosen more often than they are there get dearer.
    for (const [kind, over] of left) kind.price = Math.min(kind.gpus, Math.max(0, kind.price - step * over));
  }
  return least;
}

/** What one host gains at most: GPUs less prices, by dynamic programming over its GPUs and cores. */
function bestLoad(host: HostKind, kinds: readonly Kind[]): { gain: number; chosen: Kind[] } {
  const [gpus, cores] = [gpusOf(host), Math.floor(host.vcpus / 1000)];
  const width = cores + 1;
  const gains = new Float64Array((gpus + 1) * width);
  const last = new Array<Kind | undefined>(gains.length);
  const worth = kinds.filter((kind) => kind.gpus > kind.price);
  for (let g = 1; g <= gpus; g++) {
    for (let c = 0; c <= cores; c++) {
      const at = g * width + c;
      gains[at] = gains[at - width] ?? 0;
      for (const kind of worth) {
        if (kind.gpus > g || kind.cores > c) continue;
        const gain = (gains[at - kind.gpus * width - kind.cores] ?? 0) + kind.gpus - kind.price;
        if (gain <= (gains[at] ?? 0)) continue;
        gains[at] = gain;
        last[at] = kind;
      }
    }
  }
  const chosen: Kind[] = [];
  for (let at = gains.length - 1; at >= width; ) {
    const kind = last[at];
    if (kind !== undefined) chosen.push(kind);
    at -= kind === undefined ? width : kind.gpus * width + kind.cores;
  }
  return { gain: gains.at(-1) ?? 0, chosen };
}

function kindsOf(asked: readonly Asked[]): Kind[] {
  const alike = Map.groupBy(asked, ({ gpus, vcpus }) => `${gpus} ${Math.floor(vcpus / 1000)}`);
  return [...alike.values()].flatMap((launches) => {
    const [first] = launches;
    if (first === undefined) return [];
    return [{ gpus: first.gpus, cores: Math.floor(first.vcpus / 1000), count: launches.length, price: 0 }];
  });
}

const gpusOf = ({ gpusByNode }: HostKind): number => sum(gpusByNode, (count) => count);

function sum<T>(list: readonly T[], of: (one: T) => number): number {
  return list.reduce((total, one) => total + of(one), 0);
}
