// Evicts spot instances for reservations that begin soon and for launches that wait: plans what is needed for whom, and settles where that differs from what is
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
import { WaitingLaunches } from "./beneficiaries.ts";
import type { EvictorGate } from "./evictor-points.ts";
import { hostsOfSpot, type Notice, readFleet, readNotices } from "./fleet.ts";
import { forLaunch } from "./for-launches.ts";
import { casesOfReservations, isDueToEvict } from "./for-reservations.ts";
import { type Beneficiary, type CompareFor, planEvictions } from "./plan.ts";
import { type EvictionCase, type Settled, settle } from "./settle.ts";
import { isUnderNotice } from "./spot-sql.ts";
import { startWithdrawn, withdrawVain } from "./withdraw.ts";

/** What is withdrawn for one can serve another: after so many plans in a run, the next run goes on. */
const MOST_ROUNDS = 5;

/** Told how many instances a run has given notice, withdrawn it of, and ended. */
export type OnSettled = (settled: Settled) => void;

export class Evictor {
  readonly #db: Database;
  readonly #service: Service;
  readonly #launches: WaitingLaunches;
  readonly #onSettled: OnSettled;

  constructor(db: Database, service: Service, inWords: InWords, onSettled: OnSettled = () => {}) {
    [this.#db, this.#service, this.#onSettled] = [db, service, onSettled];
    this.#launches = new WaitingLaunches(service, inWords);
  }

  /**
   * Milliseconds until a notice is to be followed up; Infinity: there is none. Throws what the database throws, after all
   * others were settled.
   */
  async run(signal: AbortSignal, gate: EvictorGate = (_point, pass) => pass()): Promise<number> {
    const now = await this.#pending();
    if (now.someAreUndone) await gate("evictionsUndone", () => inTransaction(this.#db, startWithdrawn));
    if (!now.someAreUnderNotice && !(now.someAreSpot && (now.someWait || now.someBegin)))
      return Number.POSITIVE_INFINITY;
    const failed: unknown[] = [];
    for (let round = 0; round < MOST_ROUNDS && !signal.aborted && failed.length === 0; round++) {
      if (!(await this.#round(signal, gate, failed))) break;
    }
    if (failed.length > 0) throw failed[0];
    return this.#msUntilDue();
  }

  /** Whether others can be planned for differently now. What one throws is added to `failed`, and hinders no other. */
  async #round(signal: AbortSignal, gate: EvictorGate, failed: unknown[]): Promise<boolean> {
    let changesOthers = false;
    const count = (settled: Settled) => {
      changesOthers ||= settled.changesOthers;
      this.#onSettled(settled);
    };
    const planned: string[] = [];
    // Reservations first: launches leave alone what is promised.
    for (const plan of [this.#forReservations, this.#forLaunches]) {
      const cases = await plan();
      const notices = await readNotices(this.#db);
      for (const one of cases) {
        planned.push(...one.planned);
        const own = noticesFor(one, notices);
        if (signal.aborted || !hasWork(one, own)) continue;
        const settled = gate("evictionsSettled", () =>
          inTransaction(this.#db, (tx) => settle(tx, this.#settings, one, own)),
        );
        await settled.then(count, (error: unknown) => failed.push(error));
      }
    }
    if ((await readNotices(this.#db)).some(({ id, isHeld }) => !isHeld && !planned.includes(id))) {
      const withdrawn = await gate("evictionsWithdrawn", () =>
        inTransaction(this.#db, (tx) => withdrawVain(tx, planned)),
      );
      count({ noticed: 0, withdrawn, ended: 0, changesOthers: withdrawn > 0 });
    }
    return changesOthers;
  }

  get #settings(): SpotSettings {
    return this.#service.limits.spot ?? spotDefaults;
  }

  get #compareFor(): CompareFor {
    const { order } = this.#service.capacity;
    return (product) => order.comparator(product);
  }

  readonly #forReservations = (): Promise<EvictionCase[]> =>
    casesOfReservations(this.#db, {
      bootSeconds: this.#service.limits.bootSeconds,
      noticeSeconds: this.#settings.noticeSeconds,
    });

  readonly #forLaunches = async (): Promise<EvictionCase[]> => {
    const [beneficiaries, names] = await Promise.all([
      this.#launches.list(this.#db),
      hostsOfSpot(this.#db),
      this.#service.capacity.refresh(),
    ]);
    const fleet = await readFleet(this.#db, [...new Set([...names, ...this.#withRoom(beneficiaries)])]);
    return planEvictions(fleet, beneficiaries, this.#compareFor).map((plan) =>
      forLaunch(this.#launches, plan, this.#compareFor),
    );
  };

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
      someBegin: boolean;
    }>`
      select exists (select from instances where spot and terminated_at is null) as "someAreSpot",
        exists (select from instances i where ${isUnderNotice}) as "someAreUnderNotice",
        exists (select from instances where evict_stopped and evict_at is null) as "someAreUndone",
        exists (select from waiting_launches where state = 'waiting') as "someWait",
        exists (select from reservations r where ${isDueToEvict(this.#settings.noticeSeconds)}) as "someBegin"`.execute(
      this.#db,
    );
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
function noticesFor({ id: forId, planned }: EvictionCase, notices: readonly Notice[]): Notice[] {
  return notices.filter(({ id, evictedFor, isHeld }) => evictedFor === forId || (!isHeld && planned.includes(id)));
}

/** Whether what is so differs from the plan, or time has passed. */
function hasWork({ id: forId, planned }: EvictionCase, own: readonly Notice[]): boolean {
  return (
    own.some(({ id, evictedFor, isOver, isToHalt }) => {
      return isOver || isToHalt || evictedFor !== forId || !planned.includes(id);
    }) || planned.some((id) => !own.some((one) => one.id === id))
  );
}
