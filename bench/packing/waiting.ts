// The same fleet and launches as in fleet.ts, but what does not fit waits for up to a day, in order of arrival, and hosts are
// kept for launches of several GPUs (src/rental/waiting): what that sells. And with spot instances of one GPU on all that is
// free otherwise, as many as fit, which are evicted for launches that wait (src/rental/spot).

import type { InstanceType } from "../../src/rental/instances/instance.ts";
import { freeSeconds } from "../../src/rules/spot.ts";
import { Arena, type Placed } from "./arena.ts";
import { allGpus, fleet, hoursBetween, insert, lifetime, mix } from "./fleet.ts";
import { exponential, lognormal, randomNumbers, weighted } from "./random.ts";

/** Hours that a launch waits at most. */
const patience = 24;
/** Hours from a notice until a launch has what was evicted for it: nothing is sold of it meanwhile. */
const notice = 3 / 60;
/** Hours in which a spot instance that is evicted costs nothing. */
const freeHours = freeSeconds / 3600;

export interface WaitingReport {
  /** Per cent of all GPU hours that were sold, without spot. */
  readonly sold: number;
  /** The same as spot. */
  readonly spot: number;
  /** Per cent of launches of 8 GPUs that waited in vain. */
  readonly expired8: number;
}

interface Waiting {
  readonly position: number;
  readonly product: InstanceType;
  readonly hours: number;
  readonly until: number;
}

interface End {
  /** In hours since the beginning. */
  readonly at: number;
  readonly placed: Placed;
}

/** `load`, `launches` and `seed` as for replayFleet, and so the same launches. */
export function replayWaiting({
  load,
  launches,
  seed,
  withSpot = false,
}: {
  load: number;
  launches: number;
  seed: number;
  withSpot?: boolean;
}): WaitingReport {
  const next = randomNumbers(seed);
  const between = hoursBetween(load);
  const fleetNow = new WaitingFleet(withSpot);
  for (let launch = 0; launch < launches; launch++) {
    if (launch === launches / 5) fleetNow.count();
    fleetNow.passUntil(fleetNow.now + exponential(next, between));
    const { type } = weighted(next, mix, ({ share }) => share);
    fleetNow.ask(launch, type, lognormal(next, lifetime.median, lifetime.sigma));
  }
  return fleetNow.report();
}

class WaitingFleet {
  now = 0;
  readonly #arena = new Arena(
    fleet,
    mix.map(({ type }) => type),
  );
  /** One for each size, in order of arrival. */
  readonly #lines = mix.map((): Waiting[] => []);
  readonly #kept = new Set<number>();
  readonly #ends: End[] = [];
  readonly #withSpot: boolean;
  /** Spot instances that run, and since when. */
  readonly #spot = new Map<Placed, number>();
  #used = 0;
  #counts = false;
  #hours = 0;
  #gpuHours = 0;
  #spotHours = 0;
  #asked8 = 0;
  #expired8 = 0;

  constructor(withSpot: boolean) {
    this.#withSpot = withSpot;
    this.#fillWithSpot();
  }

  count(): void {
    this.#counts = true;
  }

  passUntil(time: number): void {
    for (let end = this.#ends[0]; end !== undefined && end.at <= time; end = this.#ends[0]) {
      this.#ends.shift();
      this.#pass(end.at);
      this.#arena.end(end.placed);
      this.#used -= end.placed.product.gpus;
      this.#serve();
    }
    this.#pass(time);
  }

  ask(position: number, product: InstanceType, hours: number): void {
    if (this.#counts && product.gpus === 8) this.#asked8 += 1;
    // Whatever is free is spot.
    if (!this.#withSpot && this.#start(product, hours)) return;
    const line = this.#lines[mix.findIndex(({ type }) => type === product)];
    line?.push({ position, product, hours, until: this.now + patience });
    this.#serve();
  }

  report(): WaitingReport {
    return {
      sold: (100 * this.#gpuHours) / (this.#hours * allGpus),
      spot: (100 * this.#spotHours) / (this.#hours * allGpus),
      expired8: (100 * this.#expired8) / this.#asked8,
    };
  }

  #pass(time: number): void {
    if (this.#counts) {
      this.#hours += time - this.now;
      this.#gpuHours += (time - this.now) * this.#used;
      this.#spotHours += (time - this.now) * this.#spot.size;
    }
    this.now = time;
  }

  #start(product: InstanceType, hours: number, position?: number): boolean {
    const placed = this.#arena.launch(product, { position });
    if (placed === undefined) return false;
    this.#used += product.gpus;
    insert(this.#ends, { at: this.now + hours, placed });
    return true;
  }

  /** As the placer does: the first of each line in order of arrival until none fits, then hosts are kept. */
  #serve(): void {
    this.#expire();
    while (this.#heads().some((head) => this.#place(head)));
    for (const { position, product } of this.#heads()) {
      if (product.gpus === 1 || this.#kept.has(position)) continue;
      this.#arena.keep(position, product);
      this.#kept.add(position);
    }
    this.#fillWithSpot();
  }

  #fillWithSpot(): void {
    const [smallest] = mix;
    if (smallest === undefined) throw new Error("BUG: a mix without launches");
    for (let more = this.#withSpot; more; ) {
      const placed = this.#arena.launchSpot(smallest.type);
      if (placed !== undefined) this.#spot.set(placed, this.now);
      more = placed !== undefined;
    }
  }

  #heads(): Waiting[] {
    const heads = this.#lines.flatMap(([first]) => first ?? []).sort((a, b) => a.position - b.position);
    this.#arena.waitFor(heads);
    return heads;
  }

  #place({ product, hours, position }: Waiting): boolean {
    if (
      !this.#start(product, hours, position) &&
      !(this.#evict(position, product) && this.#start(product, hours, position))
    )
      return false;
    for (const line of this.#lines) if (line[0]?.position === position) line.shift();
    this.#giveBack(position);
    return true;
  }

  #evict(position: number, product: InstanceType): boolean {
    const evicted = this.#withSpot ? this.#arena.evictFor(position, product) : undefined;
    if (evicted === undefined) return false;
    for (const one of evicted) {
      const hours = this.now - (this.#spot.get(one) ?? this.now);
      this.#spot.delete(one);
      if (this.#counts && hours < freeHours) this.#spotHours -= hours;
    }
    if (this.#counts) this.#gpuHours -= notice * evicted.length;
    return true;
  }

  #expire(): void {
    for (const line of this.#lines) {
      for (let first = line[0]; first !== undefined && first.until <= this.now; first = line[0]) {
        line.shift();
        this.#giveBack(first.position);
        if (this.#counts && first.product.gpus === 8) this.#expired8 += 1;
      }
    }
  }

  #giveBack(position: number): void {
    if (this.#kept.delete(position)) this.#arena.giveBack(position);
  }
}
