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
}

/** What was used within some time. */
export interface Used {
  readonly seconds: number;
  readonly cost: bigint;
}

const second = 1_000_000n;
const least = (one: bigint, other: bigint) => (one < other ? one : other); // Math.min knows no bigint

export class BillingModel {
  readonly instances: ModelInstance[] = [];

  launch(id: string, price: number, discount: number): void {
    this.instances.push({ id, price, discount, state: "booting", start: undefined, end: undefined });
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
    const [early, late] = [secondsAt(one, least(from, now)), secondsAt(one, least(to, now))];
    return { seconds: Number(late - early), cost: costOf(one, late) - costOf(one, early) };
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
      if (from >= least(one.end ?? now, now)) return parts;
      const used = this.used(one, from, BigInt(next) * 1000n - shift, now);
      const name = new Date(Date.UTC(year, month, day)).toISOString().slice(0, unit === "day" ? 10 : 7);
      if (used.seconds > 0) parts.set(name, used);
      date = new Date(next);
    }
  }
}

/** Whole seconds that it was used for until then. */
function secondsAt(one: ModelInstance, until: bigint): bigint {
  if (one.start === undefined) return 0n;
  const end = one.end === undefined ? until : least(one.end, until);
  return end <= one.start ? 0n : (end - one.start) / second;
}

/** The exact cost is a fraction of micro-cents with this denominator: 3600 seconds, 10000 parts of the whole price. */
function costOf(one: ModelInstance, seconds: bigint): bigint {
  return (BigInt(one.price) * BigInt(10_000 - one.discount) * seconds * 1_000_000n) / 36_000_000n;
}
