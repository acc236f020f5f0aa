// A spend limit that is reached ends what costs; a warning comes before, once.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { auditCapacity } from "../../../test/support/audit.ts";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { changeAccount } from "../accounts/account-store.ts";
import { limitToken } from "../accounts/token-limits.ts";
import { createToken } from "../accounts/token-store.ts";
import { openSpans } from "../billing/spans.ts";
import type { InstanceType } from "../instances/instance.ts";
import { recordObservation } from "../instances/record-observation.ts";
import type { Principal } from "../service.ts";
import { enforceSpendLimits } from "./spend-limits.ts";

/** Launches reserve nothing here: what they reserve is billing/spend-room.test.ts. */
const world = worldOfFile({ limitCheckSeconds: 0 });
/** A cent a second, and one that costs nothing. */
let product: InstanceType;
let free: InstanceType;
beforeEach(async () => {
  await world.image();
  await world.host({ vcpus: 5000, memoryGib: 90_000, storageGb: 900_000 });
  product = await world.product({ gpus: 0, priceCentsPerHour: 3600 });
  free = await world.product({ gpus: 0, priceCentsPerHour: 0 });
});

/** An instance of the principal that is active from now on. */
async function active(principal: Principal, type = product): Promise<string> {
  const { id } = await world.launchOne(principal, { instanceType: type.name });
  await world.put(id, "active");
  await world.tx((tx) => openSpans(tx, [id]));
  return id;
}

/**
 * The account has used so many cents in this month's first second, with an instance that has ended since: so it is this
 * month's use on the first of a month too.
 */
async function used(principal: Principal, cents: number): Promise<void> {
  const { id } = await world.launchOne(principal, { instanceType: free.name });
  await world.put(id, "terminating");
  await sql`insert into billing_spans
      (instance_id, account_id, token_id, started_at, ended_at, price_cents_per_hour, discount_basis_points)
    select ${id}, ${principal.accountId}, ${principal.tokenId}, month, month + interval '1 second', ${3600 * cents}, 0
    from (select date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' as month) this`.execute(world.db);
}

async function tokenOf(principal: Principal, spendLimitCents: number | null): Promise<Principal> {
  const order = {
    accountId: principal.accountId,
    name: world.fresh("token"),
    scopes: ["write"] as const,
    expiresAt: null,
  };
  const { id } = await world.tx((tx) => createToken(tx, { ...order, spendLimitCents }));
  return { ...principal, tokenId: id };
}

const enforce = () => enforceSpendLimits(world.db);
async function row(id: string) {
  return world.db.selectFrom("instances").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}
const stateOf = async (id: string) => (await row(id)).state;
async function told(): Promise<{ type: string; subject_id: string; data: unknown }[]> {
  const query = world.db.selectFrom("events").select(["type", "subject_id", "data"]);
  return query.where(sql<boolean>`type ~ '\\.spend_limit_(near|reached)$'`).orderBy("position").execute();
}
const types = async () => (await told()).map(({ type }) => type);

describe("an account's limit that is reached", () => {
  it("ends all its live instances, stopped and booting ones too, and nobody else's", async () => {
    const principal = await world.account({ spendLimitCents: 1000 });
    const other = await world.account();
    const running = await active(principal);
    const stopped = await active(principal);
    await world.put(stopped, "stopped");
    const { id: booting } = await world.launchOne(principal, { instanceType: product.name });
    const theirs = await active(other);
    await used(principal, 1000);
    expect(await enforce()).toBe(3);
    for (const id of [running, stopped, booting]) {
      expect(await row(id)).toMatchObject({ state: "terminating", ended_by: "spend-limit", generation: 2 });
    }
    expect(await stateOf(theirs)).toBe("active");
    expect(await types()).toEqual(["account.spend_limit_reached"]);
    const { rows } = await sql`select from billing_spans where ended_at is null`.execute(world.db);
    expect(rows).toHaveLength(1);
    await auditCapacity(world.db);
  });

  it("is reached by one that was stopped before it was ever active", async () => {
    const principal = await world.account({ spendLimitCents: 500 });
    await used(principal, 499);
    const { id } = await world.launchOne(principal, { instanceType: product.name });
    await world.change(principal, "stop", [id]);
    await enforce();
    expect(await stateOf(id)).toBe("stopping");
    await world.tx((tx) => recordObservation(tx, { id, generation: 2 }, "halted", {}));
    await sql`update billing_spans set started_at = started_at - interval '1 second' where ended_at is null`.execute(
      world.db,
    );
    expect(await enforce()).toBe(1);
    expect(await row(id)).toMatchObject({ state: "terminating", ended_by: "spend-limit", active_at: null });
  });

  it("says so in the event of each instance, and in one of its own", async () => {
    const principal = await world.account({ spendLimitCents: 5 });
    const id = await active(principal);
    await used(principal, 7);
    await enforce();
    const events = world.db.selectFrom("events").select("data").where("type", "=", "instance.terminating");
    expect(await events.execute()).toEqual([
      { data: expect.objectContaining({ instance_id: id, ended_by: "spend-limit", state: "terminating" }) },
    ]);
    expect(await told()).toEqual([
      {
        type: "account.spend_limit_reached",
        subject_id: principal.accountId,
        data: {
          account_id: principal.accountId,
          month: expect.stringMatching(/^\d{4}-\d\d$/),
          limit_cents: 5,
          used_micro_cents: expect.stringMatching(/^\d{7}$/),
          micro_cents_per_hour: "3600000000",
        },
      },
    ]);
  });

  it("is found where the use itself grows over it", async () => {
    const principal = await world.account({ spendLimitCents: 500 });
    await used(principal, 499);
    const id = await active(principal);
    await sql`update billing_spans set started_at = started_at - interval '1 second' where ended_at is null`.execute(
      world.db,
    );
    expect(await enforce()).toBe(1);
    expect(await stateOf(id)).toBe("terminating");
  });

  it("ends thousands in small transactions, and what is launched between two runs by the next", async () => {
    const principal = await world.account({ spendLimitCents: 100 });
    await world.launch(principal, { instanceType: free.name, quantity: 64 });
    await world.launch(principal, { instanceType: free.name, quantity: 64 });
    await used(principal, 100);
    expect(await enforce()).toBe(128);
    expect(await enforce()).toBe(0);
    await world.tx((tx) => changeAccount(tx, principal.accountId, { spendLimitCents: null }));
    await active(principal);
    await world.tx((tx) => changeAccount(tx, principal.accountId, { spendLimitCents: 100 }));
    expect(await enforce()).toBe(1);
    expect(await types()).toEqual(["account.spend_limit_reached"]);
    await auditCapacity(world.db);
  });

  it("of nothing ends what costs nothing yet", async () => {
    const principal = await world.account();
    const { id } = await world.launchOne(principal, { instanceType: product.name });
    await world.tx((tx) => changeAccount(tx, principal.accountId, { spendLimitCents: 0 }));
    expect(await enforce()).toBe(1);
    expect(await stateOf(id)).toBe("terminating");
  });

  it("ends nothing when it is raised in the very moment", async () => {
    const principal = await world.account({ spendLimitCents: 100 });
    const id = await active(principal);
    await used(principal, 100);
    await using open = await begin(world.db);
    await sql`select from instances where id = ${id} for update`.execute(open.tx);
    const enforcing = enforce();
    await untilWaiting(world.db);
    await sql`update accounts set spend_limit_cents = 100000`.execute(open.tx);
    await open.commit();
    expect(await enforcing).toBe(0);
    expect(await stateOf(id)).toBe("active");
  });

  it("leaves the ending of a customer who was first", async () => {
    const principal = await world.account({ spendLimitCents: 100 });
    const id = await active(principal);
    await world.change(principal, "terminate", [id]);
    await used(principal, 100);
    expect(await enforce()).toBe(0);
    expect((await row(id)).ended_by).toBe("customer");
    await world.change(principal, "terminate", [id]);
    expect((await row(id)).ended_by).toBe("customer");
  });

  it("counts anew in the next month", async () => {
    const principal = await world.account({ spendLimitCents: 100 });
    const id = await active(principal);
    await used(principal, 5000);
    await sql`update billing_spans set started_at = started_at - interval '1 hour', ended_at = started_at
      where ended_at is not null`.execute(world.db);
    expect(await enforce()).toBe(0);
    expect(await stateOf(id)).toBe("active");
  });
});

describe("a token's limit that is reached", () => {
  it("ends what that token launched, and nothing else of its account", async () => {
    const principal = await world.account();
    const limited = await tokenOf(principal, 100);
    const unlimited = await tokenOf(principal, null);
    const [mine, others] = [await active(limited), await active(unlimited)];
    await used(limited, 100);
    await used(unlimited, 100_000);
    expect(await enforce()).toBe(1);
    expect(await row(mine)).toMatchObject({ state: "terminating", ended_by: "spend-limit" });
    expect(await stateOf(others)).toBe("active");
    const [event, ...more] = await told();
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: "token.spend_limit_reached",
      subject_id: limited.tokenId,
      data: { account_id: principal.accountId, token_id: limited.tokenId, limit_cents: 100 },
    });
  });

  it("counts what was launched with it after it was revoked, too", async () => {
    const limited = await tokenOf(await world.account(), 100);
    const id = await active(limited);
    await used(limited, 100);
    await sql`update tokens set revoked_at = now()`.execute(world.db);
    await enforce();
    expect(await stateOf(id)).toBe("terminating");
  });
});

describe("the warning", () => {
  it("comes when four fifths are used, once for a limit, and again for another", async () => {
    const principal = await world.account({ spendLimitCents: 100_000 });
    await active(principal, free);
    await used(principal, 79_999);
    await enforce();
    expect(await told()).toEqual([]);
    await used(principal, 1);
    for (let run = 0; run < 3; run++) expect(await enforce()).toBe(0);
    expect(await types()).toEqual(["account.spend_limit_near"]);
    await world.tx((tx) => changeAccount(tx, principal.accountId, { spendLimitCents: 90_000 }));
    await enforce();
    await enforce();
    expect(await types()).toEqual(["account.spend_limit_near", "account.spend_limit_near"]);
  });

  it("comes when the limit would be reached within the hour at the present rate", async () => {
    const principal = await world.account({ spendLimitCents: 7500 });
    await active(principal);
    await enforce();
    expect(await types()).toEqual([]);
    await active(principal);
    await active(principal);
    await enforce();
    expect(await types()).toEqual(["account.spend_limit_near"]);
    expect((await told())[0]?.data).toMatchObject({ micro_cents_per_hour: String(10_800_000_000) });
  });

  it("comes before the end, and the end is told apart", async () => {
    const principal = await world.account({ spendLimitCents: 1000 });
    await active(principal);
    await enforce();
    await used(principal, 1000);
    await enforce();
    expect(await types()).toEqual(["account.spend_limit_near", "account.spend_limit_reached"]);
  });

  it("comes again in another month", async () => {
    const principal = await world.account({ spendLimitCents: 1000 });
    await active(principal);
    await enforce();
    await travel(world.db, "70 days");
    await sql`update billing_spans set started_at = now()`.execute(world.db);
    await enforce();
    expect(await types()).toEqual(["account.spend_limit_near", "account.spend_limit_near"]);
  });

  it("is not given to who rents nothing, nor where there is no limit", async () => {
    const [idle, unlimited] = [await world.account({ spendLimitCents: 100 }), await world.account()];
    await used(idle, 99);
    await used(unlimited, 99_999);
    await active(unlimited);
    expect(await enforce()).toBe(0);
    expect(await told()).toEqual([]);
  });

  it("of a token is its own", async () => {
    const principal = await world.account();
    const limited = await tokenOf(principal, 1000);
    await active(limited);
    await enforce();
    expect(await types()).toEqual(["token.spend_limit_near"]);
    await world.tx((tx) => limitToken(tx, principal, principal.accountId, limited.tokenId, 100_000));
    await enforce();
    expect(await types()).toEqual(["token.spend_limit_near"]);
  });
});

describe("enforcing on several servers at once", () => {
  it("ends each instance once, and tells everything once", async () => {
    const principals = [await world.account({ spendLimitCents: 100 }), await world.account({ spendLimitCents: 3000 })];
    for (const principal of principals) for (let count = 0; count < 12; count++) await active(principal);
    for (const principal of principals) await used(principal, 100);
    const ended = await Promise.all(Array.from({ length: 5 }, enforce));
    expect(ended.reduce((sum, some) => sum + some, 0)).toBe(12);
    expect((await types()).sort()).toEqual(["account.spend_limit_near", "account.spend_limit_reached"]);
    const { rows } = await sql<{ most: number }>`
      select max(generation) as most from instances`.execute(world.db);
    expect(rows).toEqual([{ most: 2 }]);
    await auditCapacity(world.db);
  });

  it("goes on where another was cut off", async () => {
    const principal = await world.account({ spendLimitCents: 100 });
    const ids = [await active(principal), await active(principal)];
    await used(principal, 100);
    const open = await begin(world.db);
    await sql`select from instances where id = ${ids[1] ?? ""} for update`.execute(open.tx);
    const cut = expect(enforce()).rejects.toThrow();
    await untilWaiting(world.db);
    // The server that waits is killed: its connection ends, and with it its transaction.
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(world.db);
    await cut;
    await open.rollback();
    expect(await Promise.all(ids.map(stateOf))).toEqual(["active", "active"]);
    expect(await told()).toEqual([]);
    expect(await enforce()).toBe(2);
    expect(await types()).toEqual(["account.spend_limit_reached"]);
  });
});
