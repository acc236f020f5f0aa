// Evicts spot instances for launches that wait: plans what is needed for whom, and settles where that differs from what is
// under notice, or where a notice is to be followed up. Any number of replicas can run it.
//
// Invariant: a run depends on nothing but what is stored, so that the next one continues one that was interrupted. While
// nothing is spot it costs one statement.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { haltSeconds, type SpotSettings, spotDefaults } from "../../rules/spot.ts";
import type { OrderedHost } from "../capacity/host-order.ts";
import { roomUntil } from "../capacity/promised.ts";
import { howManyFit } from "../capacity/requirements.ts";
import type { Service } from "../service.ts";
import type { InWords } from "../waiting/blockers.ts";
import { type BeneficiaryKind, WaitingLaunches } from "./beneficiaries.ts";
import type { EvictorGate } from "./evictor-points.ts";
import { hostsOfSpot, isUnderNotice, type Notice, readFleet, readNotices } from "./fleet.ts";
import { type Beneficiary, type CompareFor, type Plan, planEvictions } from "./plan.ts";
import { type EvictionParts, type Settled, settle } from "./settle.ts";
import { startWithdrawn, withdrawVain } from "./withdraw.ts";

/** What is withdrawn for one can serve another: after so many plans in a run, the next run goes on. */
const MOST_ROUNDS = 5;

/** Told how many instances a run has given notice, withdrawn it of, and ended. */
export type OnSettled = (settled: Settled) => void;

export class Evictor {
  readonly #db: Database;
  readonly #service: Service;
  readonly #kind: BeneficiaryKind;
  readonly #onSettled: OnSettled;

  constructor(db: Database, service: Service, inWords: InWords, onSettled: OnSettled = () => {}) {
    [this.#db, this.#service, this.#onSettled] = [db, service, onSettled];
    this.#kind = new WaitingLaunches(service, inWords);
  }

  /**
   * Milliseconds until a notice is to be followed up; Infinity: there is none. Throws what the database throws, after all
   * others were settled.
   */
  async run(signal: AbortSignal, gate: EvictorGate = (_point, pass) => pass()): Promise<number> {
    const now = await this.#pending();
    if (now.someAreUndone) await gate("evictionsUndone", () => inTransaction(this.#db, startWithdrawn));
    if (!now.someAreUnderNotice && !(now.someAreSpot && now.someWait)) return Number.POSITIVE_INFINITY;
    const failed: unknown[] = [];
    for (let round = 0; round < MOST_ROUNDS && !signal.aborted && failed.length === 0; round++) {
      if (!(await this.#settleAll(signal, gate, failed))) break;
    }
    if (failed.length > 0) throw failed[0];
    return this.#msUntilDue();
  }

  /** Whether others can be planned for differently now. What one throws is added to `failed`, and hinders no other. */
  async #settleAll(signal: AbortSignal, gate: EvictorGate, failed: unknown[]): Promise<boolean> {
    const [plans, notices] = await this.#plan();
    let changesOthers = false;
    const count = (settled: Settled) => {
      changesOthers ||= settled.changesOthers;
      this.#onSettled(settled);
    };
    for (const plan of plans) {
      const own = noticesFor(plan, notices);
      if (signal.aborted || !hasWork(plan, own)) continue;
      const settled = gate("evictionsSettled", () =>
        inTransaction(this.#db, (tx) => settle(tx, this.#parts, plan, own)),
      );
      await settled.then(count, (error: unknown) => failed.push(error));
    }
    const planned = plans.flatMap(({ chosen = [] }) => chosen.flatMap(({ evicted }) => evicted.map(({ id }) => id)));
    if (notices.some(({ id, isHeld }) => !isHeld && !planned.includes(id))) {
      const withdrawn = await gate("evictionsWithdrawn", () =>
        inTransaction(this.#db, (tx) => withdrawVain(tx, this.#kind, planned)),
      );
      count({ noticed: 0, withdrawn, ended: 0, changesOthers: withdrawn > 0 });
    }
    return changesOthers;
  }

  get #parts(): EvictionParts {
    return { kind: this.#kind, settings: this.#settings, compareFor: this.#compareFor };
  }

  get #settings(): SpotSettings {
    return this.#service.limits.spot ?? spotDefaults;
  }

  get #compareFor(): CompareFor {
    const { order } = this.#service.capacity;
    return (product) => order.comparator(product);
  }

  async #plan(): Promise<[Plan[], Notice[]]> {
    const [beneficiaries, names] = await Promise.all([
      this.#kind.list(this.#db),
      hostsOfSpot(this.#db),
      this.#service.capacity.refresh(),
    ]);
    const all = [...new Set([...names, ...this.#withRoom(beneficiaries)])];
    const [fleet, notices] = [await readFleet(this.#db, all, this.#kind), await readNotices(this.#db, this.#kind)];
    return [planEvictions(fleet, beneficiaries, this.#compareFor), notices];
  }

  /** Hosts that have room for some of them as they are, as many as all of them can use. */
  *#withRoom(beneficiaries: readonly Beneficiary[]): Generator<string> {
    const { order } = this.#service.capacity;
    for (const ofLine of Map.groupBy(beneficiaries, ({ line }) => line).values()) {
      const [first] = ofLine;
      if (first === undefined) throw new Error("BUG: a line of waiting launches without one");
      const { product, region, bound } = first;
      const most = ofLine.reduce((sum, { quantity }) => sum + quantity, 0);
      // Where there is room beside what is promised depends on when they end.
      for (const endsMs of new Set(ofLine.map((one) => one.endsMs))) {
        const hasRoom = (host: OrderedHost) => howManyFit(roomUntil(host, endsMs), product) > 0;
        for (const place of region === undefined ? order.regions(product, bound) : [region]) {
          for (const { name } of order.bestFirst(place, product, bound).filter(hasRoom).take(most)) yield name;
        }
      }
    }
  }

  /** One statement, because it is asked also where nothing is ever spot. */
  async #pending() {
    const { rows } = await sql<{
      someAreSpot: boolean;
      someAreUnderNotice: boolean;
      someAreUndone: boolean;
      someWait: boolean;
    }>`
      select exists (select from instances where spot and terminated_at is null) as "someAreSpot",
        exists (select from instances i where ${isUnderNotice}) as "someAreUnderNotice",
        exists (select from instances where evict_stopped and evict_at is null) as "someAreUndone",
        exists (select from waiting_launches where state = 'waiting') as "someWait"`.execute(this.#db);
    const [row] = rows;
    if (row === undefined) throw new Error("BUG: a select without from gave no row");
    return row;
  }

  async #msUntilDue(): Promise<number> {
    const { rows } = await sql<{ ms: number | null }>`
      select extract(epoch from min(case when i.evict_stopped or i.evict_at <= now() + make_interval(secs => ${haltSeconds})
        then i.evict_at else i.evict_at - make_interval(secs => ${haltSeconds}) end) - now())::float8 * 1000 as ms
      from instances i where ${isUnderNotice}`.execute(this.#db);
    return rows[0]?.ms ?? Number.POSITIVE_INFINITY;
  }
}

/** Under notice for it, or, of those that are for nothing any more, taken over by it. */
function noticesFor({ beneficiary, chosen = [] }: Plan, notices: readonly Notice[]): Notice[] {
  const taken = new Set(chosen.flatMap(({ evicted }) => evicted.map(({ id }) => id)));
  return notices.filter(({ id, evictedFor, isHeld }) => evictedFor === beneficiary.id || (!isHeld && taken.has(id)));
}

/** Whether what is so differs from the plan, or time has passed. */
function hasWork({ beneficiary, chosen = [] }: Plan, own: readonly Notice[]): boolean {
  const wanted = chosen.flatMap(({ evicted }) => evicted.map(({ id }) => id));
  return (
    own.some(({ id, evictedFor, isOver, isToHalt }) => {
      return isOver || isToHalt || evictedFor !== beneficiary.id || !wanted.includes(id);
    }) || wanted.some((id) => !own.some((one) => one.id === id))
  );
}
