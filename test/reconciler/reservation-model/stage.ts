// The real thing that a model judges: two replicas with a cache and a queue of launches each, on one database, without
// HTTP and without an engine: instances become ready, end and are removed as the history says.

import { sql } from "kysely";
import type { Database } from "../../../src/database/connect.ts";
import { CapacityCache } from "../../../src/rental/capacity/cache.ts";
import { RentalError } from "../../../src/rental/errors.ts";
import type { Instance } from "../../../src/rental/instances/instance.ts";
import { recordObservation } from "../../../src/rental/instances/record-observation.ts";
import type { Asked } from "../../../src/rental/launching/plan.ts";
import { LaunchQueue } from "../../../src/rental/launching/queue.ts";
import { endLifetimes } from "../../../src/rental/limits/lifetimes.ts";
import { reserveCapacity } from "../../../src/rental/reservations/admit.ts";
import type { ReservationOrder } from "../../../src/rental/reservations/order.ts";
import type { ReadReservation } from "../../../src/rental/reservations/reservation-store.ts";
import { type ReservationRun, runReservations } from "../../../src/rental/reservations/run.ts";
import type { Principal, Service } from "../../../src/rental/service.ts";
import { Evictor } from "../../../src/rental/spot/evictor.ts";
import { beginWait } from "../../../src/rental/waiting/begin-wait.ts";
import type { WaitingLaunch } from "../../../src/rental/waiting/waiting-launch.ts";
import { cancelWait } from "../../../src/rental/waiting/waiting-store.ts";
import { reservationSettings } from "../../../src/rules/reservations.ts";
import { eventually } from "../../support/interleave.ts";
import { travel } from "../../support/time-travel.ts";
import { launchOrder, type World } from "../../support/world.ts";

class Cut extends Error {}

export interface Wanted {
  readonly instanceType: string;
  readonly quantity: number;
  readonly lifetimeSeconds: number | null;
  readonly region: string;
  readonly reservationId?: string;
  readonly spot?: boolean;
}

interface Replica {
  readonly service: Service;
  readonly queue: LaunchQueue<Asked, readonly Instance[], []>;
}

export class Stage {
  readonly world: World;
  #replicas: readonly Replica[] = [];

  constructor(world: World) {
    this.world = world;
  }

  get db(): Database {
    return this.world.db;
  }

  /** After the world was emptied. */
  async begin(): Promise<void> {
    this.#replicas = [0, 1].map(() => {
      const service = { ...this.world.service, capacity: new CapacityCache(this.db) };
      const queue = new LaunchQueue<Asked, readonly Instance[], []>(this.db, service, {
        questions: () => [],
        before: async () => new Map(),
        after: async (_tx, launched) => launched,
      });
      return { service, queue };
    });
  }

  /** The instances, or the kind of the rejection. */
  async launch(principal: Principal, wanted: Wanted, replica: number): Promise<readonly Instance[] | string> {
    const { lifetimeSeconds, ...order } = wanted;
    const asked = { principal, order: launchOrder({ ...order, maxLifetimeSeconds: lifetimeSeconds }) };
    return orKind(() => this.#replica(replica).queue.take(asked));
  }

  /** A launch that waits for capacity from now on, whether or not it could be placed. */
  async wait(principal: Principal, wanted: Wanted, until: Date): Promise<WaitingLaunch> {
    const { lifetimeSeconds, ...order } = wanted;
    const asked = { principal, order: launchOrder({ ...order, maxLifetimeSeconds: lifetimeSeconds }) };
    const blocked = { by: "capacity" as const, message: "No capacity." };
    return this.world.tx((tx) => beginWait(tx, this.#replica(0).service, asked, { until }, blocked));
  }

  async cancelWait(principal: Principal, { id }: WaitingLaunch): Promise<void> {
    await this.world.tx((tx) => cancelWait(tx, principal, id));
  }

  async reserve(principal: Principal, order: ReservationOrder, replica: number): Promise<ReadReservation | string> {
    const { service } = this.#replica(replica);
    await service.capacity.refresh();
    return orKind(() => this.world.tx((tx) => reserveCapacity(tx, service, principal, order)));
  }

  /** What a server does from time to time. */
  async run(db: Database = this.db): Promise<ReservationRun> {
    const { service } = this.#replica(0);
    await new Evictor(db, service, ({ kind }) => kind).run(new AbortController().signal);
    return runReservations(db, { settings: reservationSettings });
  }

  /** Until its statement with this number: from then on everything fails, as when its process ends. */
  async runUntil(statement: number): Promise<void> {
    let count = 0;
    const cut = this.db.withPlugin({
      transformQuery: ({ node }) => {
        if (count++ >= statement) throw new Cut();
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    await this.run(cut).catch((error: unknown) => {
      if (!(error instanceof Cut)) throw error;
    });
    await this.#untilIdle();
  }

  async travel(minutes: number): Promise<void> {
    await travel(this.db, `${minutes} minutes`);
  }

  /** No boot takes longer than it may; lifetimes that are over end, and what ends is removed at once. */
  async endDue(): Promise<void> {
    const { rows: booting } = await sql<{ id: string }>`
      select id from instances
      where active_at is null and terminating_at is null and created_at < now() - interval '8 minutes' order by id`.execute(
      this.db,
    );
    for (const { id } of booting) await this.ready(id);
    await endLifetimes(this.db);
    const { rows } = await sql<{ id: string; generation: number }>`
      select id, generation from instances where terminating_at is not null and terminated_at is null order by id`.execute(
      this.db,
    );
    for (const fence of rows) await this.world.tx((tx) => recordObservation(tx, fence, "removed", {}));
  }

  async end(owner: Principal, id: string): Promise<void> {
    await this.world.change(owner, "terminate", [id]);
    await this.endDue();
  }

  async ready(id: string): Promise<void> {
    await this.world.tx((tx) => recordObservation(tx, { id, generation: 1 }, "ready", { ip: "192.0.2.1" }));
  }

  #replica(index: number): Replica {
    const replica = this.#replicas[index % this.#replicas.length];
    if (replica === undefined) throw new Error("the stage has not begun");
    return replica;
  }

  async #untilIdle(): Promise<void> {
    const busy = sql<{ count: number }>`
      select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`;
    await eventually(
      async () => (await busy.execute(this.db)).rows[0]?.count ?? 0,
      (count) => count === 0,
    );
  }
}

/** The result, or the kind of the rejection. */
export async function orKind<T>(attempt: () => Promise<T>): Promise<T | string> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof RentalError) return error.kind;
    throw error;
  }
}
