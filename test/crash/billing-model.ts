// What a history of rentals has to cost, by a model of a hundred lines that shares no code with the service: times are
// microseconds, money is whole micro-cents, and every cost is that of the first seconds, rounded down. Used by
// billing.test.ts.
//
// Times are those of a clock that a test moves: what the database's clock said, and how far it was moved until then.

type State = "booting" | "active" | "stopping" | "stopped" | "ended";

export interface ModelInstance {
  readonly id: string;
  readonly price: number;
  readonly discount: number;
  state: State;
  start: bigint | undefined;
  end: bigint | undefined;
  /** When nothing is left of it. */
  terminated: boolean;
  /** While its host is unreachable: since when, and whether that was found to last longer than the tolerance. */
  outage: { readonly since: bigint; isDown: boolean } | undefined;
  /** Outages that are over and lasted longer, and are not billed. */
  downtime: Time[];
  /** Those that were billed, and credited when they were over. */
  credits: (Time & { readonly given: bigint; readonly seconds: bigint })[];
}

interface Time {
  readonly from: bigint;
  readonly to: bigint;
}

/** What was used within some time. */
export interface Used {
  readonly seconds: number;
  readonly cost: bigint;
  /** Seconds that are not billed, or credited, because the host was unreachable. */
  readonly down: number;
  readonly credit: bigint;
}

/** In microseconds, as the service's default. */
const tolerance = 300_000_000n;
const second = 1_000_000n;
// Math.min knows no bigint.
const least = (one: bigint, other: bigint) => (one < other ? one : other);
const most = (one: bigint, other: bigint) => (one > other ? one : other);

export class BillingModel {
  readonly instances: ModelInstance[] = [];
  readonly #isCredited: boolean;

  /** `isCredited`: downtime is billed, and credited when it is over. */
  constructor(isCredited: boolean) {
    this.#isCredited = isCredited;
  }

  launch(id: string, price: number, discount: number): void {
    const times = { start: undefined, end: undefined, outage: undefined, downtime: [], credits: [], terminated: false };
    this.instances.push({ id, price, discount, state: "booting", ...times });
  }

  /** Whether it applied, which the service has to say too. */
  ready(one: ModelInstance, now: bigint): boolean {
    if (one.state !== "booting") return false;
    one.state = "active";
    one.start ??= now;
    return true;
  }

  /** Stopped is billed, also what was never active. */
  halted(one: ModelInstance, now: bigint): boolean {
    if (one.state !== "active" && one.state !== "stopping") return false;
    one.state = "stopped";
    one.start ??= now;
    return true;
  }

  launchFailed(one: ModelInstance, now: bigint): boolean {
    if (one.state !== "booting" && one.state !== "stopping") return false;
    this.#end(one, now);
    return true;
  }

  vanished(one: ModelInstance, now: bigint): boolean {
    if (one.state === "ended") return false;
    this.#end(one, now);
    return true;
  }

  /** Its host served it until then, as far as is known. */
  hostLost(one: ModelInstance, until: bigint): void {
    this.#end(one, until);
    one.terminated = true;
  }

  /** Its host is unreachable since then. */
  unreachable(one: ModelInstance, since: bigint): void {
    one.outage = { since, isDown: false };
  }

  /** Looks for outages that last longer than the tolerance. */
  look(now: bigint): void {
    for (const { outage } of this.instances) if (outage !== undefined) outage.isDown ||= now - outage.since > tolerance;
  }

  /** Its host is reached again. */
  reachable(one: ModelInstance, now: bigint): void {
    const { start, end, outage } = one;
    one.outage = undefined;
    if (outage === undefined || !outage.isDown || start === undefined) return;
    if (!this.#isCredited) one.downtime.push({ from: outage.since, to: most(now, outage.since) });
    const [from, to] = [most(start, outage.since), end === undefined ? now : least(end, now)];
    const time = to - from - covered(one.credits, from, to);
    if (this.#isCredited && time >= second) one.credits.push({ from, to, given: now, seconds: time / second });
  }

  stop(one: ModelInstance): boolean {
    if (one.state === "ended") return false;
    if (one.state !== "stopped") one.state = "stopping";
    return true;
  }

  restart(one: ModelInstance): boolean {
    if (one.state !== "stopped") return false;
    one.state = "booting";
    return true;
  }

  terminate(one: ModelInstance, now: bigint): boolean {
    if (one.state !== "ended") this.#end(one, now);
    return true;
  }

  /** A clock that was set back may end something before it began: then it was used for no time. */
  #end(one: ModelInstance, now: bigint): void {
    one.state = "ended";
    if (one.start !== undefined) one.end = now > one.start ? now : one.start;
  }

  /** What was used of it from one moment to another, as of `now`. */
  used(one: ModelInstance, from: bigint, to: bigint, now: bigint): Used {
    const isPaused = !this.#isCredited;
    const [early, late] = [at(one, least(from, now), isPaused), at(one, least(to, now), isPaused)];
    const credits = one.credits.filter(({ given }) => given >= from && given < to && given <= now);
    return {
      seconds: Number(late.billed - early.billed),
      cost: costOf(one, late.billed) - costOf(one, early.billed),
      down: Number(credits.reduce((sum, { seconds }) => sum + seconds, late.down - early.down)),
      credit: credits.reduce((sum, { seconds }) => sum + costOf(one, seconds), 0n),
    };
  }

  /** By the names of the parts (2026-03-01, or 2026-03), those in which it was used. `shift`: from its times to UTC. */
  parts(one: ModelInstance, unit: "day" | "month", now: bigint, shift: bigint): Map<string, Used> {
    const parts = new Map<string, Used>();
    if (one.start === undefined) return parts;
    for (let date = new Date(Number((one.start + shift) / 1000n)); ; ) {
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
      const day = unit === "day" ? date.getUTCDate() : 1;
      const next = unit === "day" ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1);
      const from = BigInt(Date.UTC(year, month, day)) * 1000n - shift;
      const last = one.credits.reduce((latest, { given }) => most(latest, given), least(one.end ?? now, now));
      if (from >= last) return parts;
      const used = this.used(one, from, BigInt(next) * 1000n - shift, now);
      const name = new Date(Date.UTC(year, month, day)).toISOString().slice(0, unit === "day" ? 10 : 7);
      if (used.seconds + used.down > 0) parts.set(name, used);
      date = new Date(next);
    }
  }
}

/** Whole seconds until then that are billed, and that are not. */
function at(one: ModelInstance, until: bigint, isPaused: boolean): { billed: bigint; down: bigint } {
  const { start } = one;
  const end = one.end === undefined ? until : least(one.end, until);
  if (start === undefined || end <= start) return { billed: 0n, down: 0n };
  const now = one.outage?.isDown && isPaused ? [{ from: one.outage.since, to: end }] : [];
  const down = covered([...one.downtime, ...now], start, end);
  return { billed: (end - start - down) / second, down: down / second };
}

/** How much some times have of the time from one moment to another. What is in several of them counts once. */
function covered(times: readonly Time[], since: bigint, until: bigint): bigint {
  const cut = times
    .map(({ from, to }) => ({ from: most(from, since), to: least(to, until) }))
    .filter(({ from, to }) => from < to)
    .toSorted((a, b) => (a.from < b.from ? -1 : 1));
  let [sum, reached] = [0n, since];
  for (const { from, to } of cut) {
    if (to > reached) sum += to - most(from, reached);
    reached = most(reached, to);
  }
  return sum;
}

/** The exact cost is a fraction of micro-cents with this denominator: 3600 seconds, 10000 parts of the whole price. */
function costOf(one: ModelInstance, seconds: bigint): bigint {
  return (BigInt(one.price) * BigInt(10_000 - one.discount) * seconds * 1_000_000n) / 36_000_000n;
}
