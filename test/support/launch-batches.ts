// Many launches in one transaction (launchAll), as a server does them, for the tests of src/rental/launching/: two accounts,
// one host of 8 GPUs, and the outcomes in words.

import { sql } from "kysely";
import { beforeEach } from "vitest";
import { inTransaction } from "../../src/database/transaction.ts";
import { RentalError } from "../../src/rental/errors.ts";
import type { Instance, InstanceType } from "../../src/rental/instances/instance.ts";
import type { LaunchOutcome } from "../../src/rental/launching/launch.ts";
import type { LaunchOrder } from "../../src/rental/launching/order.ts";
import type { Asked } from "../../src/rental/launching/plan.ts";
import type { Principal } from "../../src/rental/service.ts";
import { eventually } from "./interleave.ts";
import { launchAll } from "./launch-all.ts";
import { launchOrder, type World, worldOfFile } from "./world.ts";

export type Order = Partial<LaunchOrder>;

/** Call it once in a file of tests. Each test finds the accounts, the host and the product. */
export function batchesOfFile(): BatchesFixture {
  // Launches reserve nothing of spend limits here: what they reserve is billing/spend-room.test.ts.
  const fixture = new BatchesFixture(worldOfFile({ maxQuantity: 8, limitCheckSeconds: 0 }));
  beforeEach(() => fixture.fill());
  return fixture;
}

export interface Prepared {
  readonly principal: Principal;
  readonly other: Principal;
  readonly product: InstanceType;
}

export class BatchesFixture {
  readonly world: World;
  #prepared: Prepared | undefined;
  /** How often a launch had to come later. */
  #laters = 0;

  constructor(world: World) {
    this.world = world;
  }

  async fill(): Promise<void> {
    const { world } = this;
    const [principal, other] = [await world.account(), await world.account()];
    await world.image();
    await world.host({ gpus: 8, vcpus: 200, memoryGib: 2000, storageGb: 9000 });
    const product = await world.product({ gpus: 1, vcpus: 2, priceCentsPerHour: 3600 });
    this.#prepared = { principal, other, product };
  }

  get prepared(): Prepared {
    if (this.#prepared === undefined) throw new Error("nothing is there yet: it is made in beforeEach");
    return this.#prepared;
  }

  ask = (whose: Principal, order: Order = {}): Asked => {
    return { principal: whose, order: launchOrder({ instanceType: this.prepared.product.name, ...order }) };
  };

  /** As a server does it: what has to come later comes again at once. */
  together = async (...asked: readonly Asked[]): Promise<LaunchOutcome[]> => {
    const { db, service } = this.world;
    const outcomes = new Map<Asked, LaunchOutcome>();
    for (let left = [...asked]; left.length > 0; left = left.filter((one) => outcomes.get(one) === "later")) {
      await service.capacity.refresh();
      const got = await inTransaction(db, (tx) => launchAll(tx, service, left));
      for (const [index, one] of left.entries()) outcomes.set(one, got[index] ?? "alone");
      this.#laters += got.filter((one) => one === "later").length;
    }
    return asked.map((one) => outcomes.get(one) ?? "alone");
  };

  /** Comes back when some launch had to come later. */
  untilLater = async (): Promise<void> => {
    const before = this.#laters;
    await eventually(
      () => new Promise((resolve) => setImmediate(resolve)),
      () => this.#laters > before,
    );
  };

  countInstances = async (): Promise<number> => {
    return (await this.world.db.selectFrom("instances").select("id").execute()).length;
  };

  /** The month's use of the account is then so many cents, in its first second, so that this holds on the first day too. */
  used = async (whose: Principal, cents: number): Promise<void> => {
    const { id } = await this.world.launchOne(whose, { instanceType: this.prepared.product.name });
    await sql`insert into billing_spans
        (instance_id, account_id, token_id, started_at, ended_at, price_cents_per_hour, discount_basis_points)
      select ${id}, ${whose.accountId}, ${whose.tokenId}, month, month + interval '1 second', ${3600 * cents}, 0
      from (select date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' as month) this`.execute(
      this.world.db,
    );
  };
}

/** "launched", "alone", or the kind of the refusal. */
export const word = (outcome: LaunchOutcome | undefined) => {
  if (outcome instanceof RentalError) return outcome.kind;
  return typeof outcome === "string" ? outcome : outcome && "launched";
};
export const words = (outcomes: readonly LaunchOutcome[]) => outcomes.map(word);
export const details = (outcome: LaunchOutcome | undefined) =>
  outcome instanceof RentalError ? outcome.details : undefined;
export const instances = (outcome: LaunchOutcome | undefined): readonly Instance[] => {
  if (outcome === undefined || outcome instanceof RentalError || typeof outcome === "string")
    throw new Error(word(outcome));
  return outcome;
};
