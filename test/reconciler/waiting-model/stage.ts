// The real thing that a model is compared with: the rental's own functions on a database, without HTTP. A launch goes
// through a launch queue and waits as the control interface has it wait; the placer runs when it is woken.

import { sql } from "kysely";
import type { Database } from "../../../src/database/connect.ts";
import { type Listener, listen } from "../../../src/database/listen.ts";
import { RentalError } from "../../../src/rental/errors.ts";
import type { Instance } from "../../../src/rental/instances/instance.ts";
import { recordObservation } from "../../../src/rental/instances/record-observation.ts";
import { type Work, workChannel } from "../../../src/rental/instances/wake.ts";
import type { LaunchOrder } from "../../../src/rental/launching/order.ts";
import type { Asked } from "../../../src/rental/launching/plan.ts";
import { LaunchQueue } from "../../../src/rental/launching/queue.ts";
import type { Principal } from "../../../src/rental/service.ts";
import { Evictor } from "../../../src/rental/spot/evictor.ts";
import { beginWait } from "../../../src/rental/waiting/begin-wait.ts";
import { blockedBy } from "../../../src/rental/waiting/blockers.ts";
import { Placer } from "../../../src/rental/waiting/placer.ts";
import { waitBounds } from "../../../src/rules/waiting-launches.ts";
import { eventually } from "../../support/interleave.ts";
import { launchOrder, type World } from "../../support/world.ts";
import type { ModelBlocker, ModelInstance, Verdict, Wanted } from "./model.ts";

/** What came of a launch. `waits`: since it was rejected. */
export interface Launched {
  readonly instances: readonly ModelInstance[];
  readonly rejectedBy: Verdict | undefined;
  readonly waits: { readonly id: string; readonly position: number; readonly blockedBy: ModelBlocker } | undefined;
}

export const troubles = ["killed", "failed", "stopped"] as const;
export type Trouble = (typeof troubles)[number];

class Cut extends Error {}

const inWords = ({ kind }: RentalError) => kind;
const until = () => new Date(Date.now() + 3_600_000);

export class Stage {
  readonly #world: World;
  readonly #listener: Listener;
  #queue: LaunchQueue<Asked, readonly Instance[], []> | undefined;
  #isWoken = false;
  #isFair = false;
  /** Of notifications that this stage sends to itself. */
  readonly #awaited = new Map<string, () => void>();
  #count = 0;

  constructor(world: World) {
    this.#world = world;
    this.#listener = listen(
      world.config,
      workChannel,
      (payload) => {
        if (payload === ("launches" satisfies Work) || payload === ("evictions" satisfies Work)) this.#isWoken = true;
        this.#awaited.get(payload)?.();
      },
      () => {},
    );
  }

  get db(): Database {
    return this.#world.db;
  }

  /** After the world was emptied. `isFair`: whether accounts take turns. */
  async begin(isFair: boolean): Promise<void> {
    this.#isFair = isFair;
    await this.#listener.ready;
    this.#queue = new LaunchQueue<Asked, readonly Instance[], []>(this.db, this.#world.service, {
      questions: () => [],
      before: async () => new Map(),
      after: async (_tx, launched) => launched,
    });
    await this.isWoken();
  }

  close(): Promise<void> {
    return this.#listener.close();
  }

  /** Whether something woke the placer since it ran last. */
  async isWoken(): Promise<boolean> {
    this.#count += 1;
    const payload = `synced ${this.#count}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaited.set(payload, resolve);
    await sql`select pg_notify(${workChannel}, ${payload})`.execute(this.db);
    // Notifications come in the order of commits.
    await promise;
    this.#awaited.delete(payload);
    return this.#isWoken;
  }

  async launch(wanted: Wanted, mayWait: boolean): Promise<Launched> {
    const principal: Principal = {
      accountId: wanted.account,
      tokenId: wanted.token,
      scopes: new Set(["read", "write"]),
    };
    const order = orderOf(wanted);
    if (this.#queue === undefined) throw new Error("BUG: the stage has not begun");
    try {
      const instances = await this.#queue.take({ principal, order });
      return { instances: instances.map(instanceOf), rejectedBy: undefined, waits: undefined };
    } catch (error) {
      if (!(error instanceof RentalError)) throw error;
      const blocked = blockedBy(error, order, inWords);
      if (blocked?.by === "fleet") throw new Error("BUG: a rejection knows no fleet");
      const by = blocked?.by;
      const rejected = { instances: [], rejectedBy: by ?? "refused", waits: undefined } as const;
      if (!mayWait || blocked === undefined || by === undefined || by === "price") return rejected;
      const { service } = this.#world;
      const bounded = { ...service, limits: { ...service.limits, waiting: { ...waitBounds, isFair: this.#isFair } } };
      const waits = await this.#world.tx((tx) =>
        beginWait(tx, bounded, { principal, order }, { until: until() }, blocked),
      );
      return { ...rejected, waits: { ...waits, blockedBy: by } };
    }
  }

  /** Runs the placer once, as if it were woken. */
  async place(signal = new AbortController().signal): Promise<void> {
    this.#isWoken = false;
    await new Placer(this.db, this.#world.service, inWords).run(signal);
  }

  /** Runs the evictor once, and the engine removes what it has ended. What wakes the placer wakes it too. */
  async evict(): Promise<void> {
    await new Evictor(this.db, this.#world.service, inWords).run(new AbortController().signal);
    await this.#removePreempted();
  }

  /** All notices are over now. */
  async endNotices(): Promise<void> {
    await sql`update instances set evict_at = now() - interval '1 second' where evict_at > now()`.execute(this.db);
    await this.evict();
    this.#isWoken = true;
  }

  async #removePreempted(): Promise<void> {
    const query = this.db.selectFrom("instances").select("id").where("ended_by", "=", "preempted");
    for (const { id } of await query.where("terminated_at", "is", null).execute()) {
      await this.#observe(id, (tx, fence) => recordObservation(tx, fence, "removed", {}));
    }
  }

  /**
   * Runs a placer or an evictor until its statement with this number: from then on everything fails, as when its process
   * ends, or that one fails, or it is to stop. Later it runs again, as after an error.
   */
  async runUntil(what: "placer" | "evictor", statement: number, trouble: Trouble): Promise<void> {
    const abort = new AbortController();
    let count = 0;
    const troubled = this.db.withPlugin({
      transformQuery: ({ node }) => {
        const isReached = trouble === "killed" ? count >= statement : count === statement;
        count += 1;
        if (isReached && trouble === "stopped") abort.abort();
        else if (isReached) throw new Cut();
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const Kind = what === "placer" ? Placer : Evictor;
    await new Kind(troubled, this.#world.service, inWords).run(abort.signal).catch((error: unknown) => {
      if (!(error instanceof Cut)) throw error;
    });
    await this.#untilIdle();
    await this.#removePreempted();
    this.#isWoken = true;
  }

  /** As its poll does: without this nothing wakes it. */
  wake(): void {
    this.#isWoken = true;
  }

  /** The engine has removed it. */
  async end(instance: ModelInstance, owner: Principal): Promise<void> {
    await this.#world.change(owner, "terminate", [instance.id]);
    await this.#observe(instance.id, (tx, fence) => recordObservation(tx, fence, "removed", {}));
  }

  /** Its first boot fails, or it vanishes; it is removed. */
  async fail(instance: ModelInstance): Promise<void> {
    const failure = { code: "failed", message: "It failed." };
    await this.#observe(instance.id, (tx, fence) => recordObservation(tx, fence, "vanished", { failure }));
    await this.#observe(instance.id, (tx, fence) => recordObservation(tx, fence, "removed", {}));
  }

  ready(instance: ModelInstance): Promise<void> {
    return this.#observe(instance.id, (tx, fence) => recordObservation(tx, fence, "ready", { ip: "192.0.2.1" }));
  }

  async #observe(
    id: string,
    record: (
      tx: Parameters<typeof recordObservation>[0],
      fence: { readonly id: string; readonly generation: number },
    ) => Promise<unknown>,
  ): Promise<void> {
    const query = this.db.selectFrom("instances").select("generation").where("id", "=", id);
    const { generation } = await query.executeTakeFirstOrThrow();
    await this.#world.tx((tx) => record(tx, { id, generation }));
  }

  /** Until nothing of a placer is left that failed: its other tries go on. */
  async #untilIdle(): Promise<void> {
    const busy = sql<{ count: number }>`
      select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`;
    let quiet = 0;
    await eventually(
      async () => (await busy.execute(this.db)).rows[0]?.count ?? 0,
      (count) => {
        quiet = count === 0 ? quiet + 1 : 0;
        return quiet === 3;
      },
    );
  }
}

export function instanceOf(instance: Instance): ModelInstance {
  const { id, accountId, product, host, gpuAddresses: gpus, isSpot: spot, position } = instance;
  return { id, account: accountId, type: product.name, host, gpus, spot, position, evictedFor: undefined };
}

function orderOf({ type, region, rack, quantity, mostCents, lifetimeSeconds, key, spot }: Wanted): LaunchOrder {
  return launchOrder({
    instanceType: type,
    region: region ?? "any",
    quantity,
    ...(rack !== undefined && { hostSelector: [{ key: "rack", value: rack }] }),
    ...(mostCents !== undefined && { maxPriceCentsPerHour: mostCents }),
    ...(lifetimeSeconds !== undefined && { maxLifetimeSeconds: lifetimeSeconds }),
    sshKeyNames: key === undefined ? [] : [key],
    spot,
  });
}
