// A fleet of 100 hosts with 8 GPUs each, on which launches of 1, 2, 4 and 8 GPUs come and go for a long time: what the
// service's placement sells, against what could be sold if running instances could be moved at any moment.

import { Arena, type Placed, typeOf } from "./arena.ts";
import { exponential, lognormal, randomNumbers, weighted } from "./random.ts";

/** How often each size is launched. Hosts have two NUMA nodes, and vCPUs and memory in the same proportion. */
export const mix = [
  { gpus: 1, share: 0.5 },
  { gpus: 2, share: 0.2 },
  { gpus: 4, share: 0.15 },
  { gpus: 8, share: 0.15 },
].map(({ gpus, share }) => ({
  share,
  type: typeOf({ name: `${gpus}`, gpuModel: "H100", gpus, vcpus: gpus * 24, memoryGib: gpus * 200 }),
}));
export const fleet = [{ model: "H100", gpusByNode: [4, 4], vcpus: 8 * 24, memoryGib: 8 * 200, count: 100 }];
export const allGpus = 800;

/** Hours that an instance runs: lognormal. */
export const lifetime = { median: 4, sigma: 1.5 };

export interface FleetReport {
  /** Per cent of all GPU hours that were sold. */
  readonly sold: number;
  /** What instances that can be moved at any moment would have sold, of the same launches. */
  readonly soldWithMoves: number;
  /** Per cent of launches of 8 GPUs that were refused, and by instances that can be moved. */
  readonly refused8: number;
  readonly refused8WithMoves: number;
  /** Per cent of placed launches of 2 and 4 GPUs whose GPUs are of two NUMA nodes. */
  readonly split: number;
}

/** `load`: the GPU hours that are asked for, as a share of all. The first fifth of the launches only fills the fleet. */
export function replayFleet({ load, launches, seed }: { load: number; launches: number; seed: number }): FleetReport {
  const next = randomNumbers(seed);
  const types = mix.map(({ type }) => type);
  const arena = new Arena(fleet, types);
  const between = hoursBetween(load);
  const [real, withMoves] = [new Ledger(), new Ledger()];
  const ends: End[] = [];
  let [now, placed, split] = [0, 0, 0];
  for (let launch = 0; launch < launches; launch++) {
    const counts = launch >= launches / 5;
    const pass = (to: number) => {
      if (counts) for (const ledger of [real, withMoves]) ledger.pass(to - now);
      now = to;
    };
    const arrival = now + exponential(next, between);
    for (let end = ends[0]; end !== undefined && end.at <= arrival; end = ends[0]) {
      ends.shift();
      pass(end.at);
      if (end.placed !== undefined) {
        arena.end(end.placed);
        real.used -= end.gpus;
      }
      if (end.fitsWithMoves) withMoves.used -= end.gpus;
    }
    pass(arrival);
    const { type } = weighted(next, mix, ({ share }) => share);
    const end: End = {
      at: now + lognormal(next, lifetime.median, lifetime.sigma),
      gpus: type.gpus,
      placed: arena.launch(type),
      // Sizes that divide each other always fit when they may be moved.
      fitsWithMoves: withMoves.used + type.gpus <= allGpus,
    };
    real.take(type.gpus, end.placed !== undefined, counts);
    withMoves.take(type.gpus, end.fitsWithMoves, counts);
    insert(ends, end);
    if (counts && end.placed !== undefined && (type.gpus === 2 || type.gpus === 4)) {
      placed += 1;
      if (end.placed.nodes > 1) split += 1;
    }
  }
  return {
    sold: real.sold(),
    soldWithMoves: withMoves.sold(),
    refused8: real.refused8(),
    refused8WithMoves: withMoves.refused8(),
    split: (100 * split) / placed,
  };
}

/** The mean between two launches for this load. */
export function hoursBetween(load: number): number {
  const meanGpus = mix.reduce((sum, { share, type }) => sum + share * type.gpus, 0);
  const meanHours = lifetime.median * Math.exp(lifetime.sigma ** 2 / 2);
  return (meanGpus * meanHours) / (load * allGpus);
}

/** A launch that ends, if it was placed. */
interface End {
  /** In hours since the beginning. */
  readonly at: number;
  readonly gpus: number;
  readonly placed: Placed | undefined;
  readonly fitsWithMoves: boolean;
}

/** Keeps them sorted, the first to end first. */
export function insert<E extends { readonly at: number }>(ends: E[], end: E): void {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle]?.at ?? 0) > end.at) high = middle;
    else low = middle + 1;
  }
  ends.splice(low, 0, end);
}

/** What one way of placing sold and refused. */
class Ledger {
  /** GPUs, now. */
  used = 0;
  #hours = 0;
  #gpuHours = 0;
  #asked8 = 0;
  #refused8 = 0;

  pass(hours: number): void {
    this.#hours += hours;
    this.#gpuHours += hours * this.used;
  }

  take(gpus: number, fits: boolean, counts: boolean): void {
    if (fits) this.used += gpus;
    if (!counts || gpus !== 8) return;
    this.#asked8 += 1;
    if (!fits) this.#refused8 += 1;
  }

  /** Per cent. */
  sold(): number {
    return (100 * this.#gpuHours) / (this.#hours * allGpus);
  }

  refused8(): number {
    return (100 * this.#refused8) / this.#asked8;
  }
}
