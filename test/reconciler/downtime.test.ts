// Undelivered time: what is billed of an instance whose host was unreachable, to the second, by how long that lasted.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { killHost, reviveHost } from "../../src/engines/simulated/database.ts";
import type { Reconciler } from "../../src/reconciler/reconciler.ts";
import { closeMonths } from "../../src/rental/billing/close-months.ts";
import { spentByAccounts } from "../../src/rental/billing/spent.ts";
import { monthOf, statementLines } from "../../src/rental/billing/statements.ts";
import { usageLines } from "../../src/rental/billing/usage.ts";
import { costMicroCents } from "../../src/rules/cost.ts";
import type { DowntimeSettings } from "../../src/rules/downtime.ts";
import { type Launched, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";
import { only } from "../support/world.ts";

const stage = stageOfFile();

let host: string;
let reconciler: Reconciler;
let one: Launched;
beforeEach(async () => {
  host = await stage.host();
  reconciler = stage.reconciler();
  one = await active();
});

async function active(): Promise<Launched> {
  const launched = await stage.launchOne();
  await reconciler.idle();
  return launched;
}

const pass = (seconds: number) => travel(stage.db, `${seconds} seconds`);

/** The host was reached just now, and is not reached for so long; then it is again, if it `returns`. */
async function outage(seconds: number, { returns = true } = {}): Promise<void> {
  await reconciler.sweepNow();
  await killHost(stage.db, host);
  await reconciler.sweepNow();
  await pass(seconds);
  if (returns) await reviveHost(stage.db, host);
  await reconciler.sweepNow();
}

const line = async () => only(await usageLines(stage.db, { instanceId: one.id }));

/** Seconds that are billed, and that are not, to five: tests take a moment. */
async function billed(id = one.id): Promise<{ seconds: number; downtime: number }> {
  const { seconds, downtimeSeconds } = only(await usageLines(stage.db, { instanceId: id }));
  const rounded = (value: number) => Math.round(value / 5) * 5;
  return { seconds: rounded(seconds), downtime: rounded(downtimeSeconds) };
}

describe("an outage", () => {
  it("that is no longer than the tolerance is billed", async () => {
    await outage(290);
    await pass(100);
    expect(await billed()).toEqual({ seconds: 390, downtime: 0 });
  });

  it("that is longer is not billed, back to its beginning, also while it lasts", async () => {
    await pass(1000);
    await outage(310, { returns: false });
    expect(await billed()).toEqual({ seconds: 1000, downtime: 310 });
    await pass(600);
    expect(await billed()).toEqual({ seconds: 1000, downtime: 910 });
    await reviveHost(stage.db, host);
    await reconciler.sweepNow();
    await pass(200);
    expect(await billed()).toEqual({ seconds: 1200, downtime: 910 });
  });

  it("counts where it was only noticed when it was over", async () => {
    await reconciler.sweepNow();
    await killHost(stage.db, host);
    await reconciler.sweepNow();
    await reviveHost(stage.db, host);
    await pass(400);
    await reconciler.sweepNow();
    expect(await billed()).toEqual({ seconds: 0, downtime: 400 });
  });

  it("pauses also what is billed since a moment of it in which the host answered", async () => {
    await reconciler.stop();
    reconciler = stage.reconciler({ retrySeconds: [0, 0] });
    await reconciler.sweepNow();
    await killHost(stage.db, host);
    // Before the outage is seen.
    one = await stage.launchOne();
    await reconciler.sweepNow();
    await pass(400);
    await reconciler.sweepNow();
    await reviveHost(stage.db, host);
    // Of this one only: the reconciler may lock two rows in another order.
    await sql`update instances set next_look_at = now() where id = ${one.id}`.execute(stage.db);
    await reconciler.idle();
    expect(await stage.state(one.id)).toBe("active");
    await pass(100);
    await killHost(stage.db, host);
    await reconciler.sweepNow();
    await pass(100);
    expect(await billed()).toEqual({ seconds: 0, downtime: 200 });
    await reviveHost(stage.db, host);
    await reconciler.sweepNow();
    await pass(50);
    expect(await billed()).toEqual({ seconds: 50, downtime: 200 });
  });

  it("after another counts for itself", async () => {
    await outage(310);
    await outage(200);
    await outage(320);
    expect(await billed()).toEqual({ seconds: 200, downtime: 630 });
  });

  it("ends for an instance with its termination, and is not billed before it", async () => {
    await outage(200, { returns: false });
    await stage.world.change(one.principal, "terminate", [one.id]);
    await pass(400);
    await reconciler.sweepNow();
    expect(await billed()).toEqual({ seconds: 0, downtime: 200 });
    await reviveHost(stage.db, host);
    await reconciler.sweepNow();
    await reconciler.idle();
    expect([await stage.state(one.id), await billed()]).toEqual(["terminated", { seconds: 0, downtime: 200 }]);
  });

  it("of an instance that is removed as soon as the host returns counts up to then", async () => {
    await outage(200, { returns: false });
    await stage.world.change(one.principal, "terminate", [one.id]);
    await pass(200);
    await reviveHost(stage.db, host);
    await sql`update instances set next_look_at = now()`.execute(stage.db);
    await reconciler.idle();
    expect(await stage.state(one.id)).toBe("terminated");
    await reconciler.sweepNow();
    expect(await billed()).toEqual({ seconds: 0, downtime: 200 });
  });

  it("of one host is none of an instance on another", async () => {
    await stage.db.updateTable("hosts").set({ mode: "cordoned" }).execute();
    await stage.host();
    const other = await active();
    await outage(400);
    expect(await billed(other.id)).toEqual({ seconds: 400, downtime: 0 });
  });

  it("with the policy credit is billed, and credited when it is over", async () => {
    await reconciler.stop();
    reconciler = stage.reconciler({ downtime: { policy: "credit", toleranceSeconds: 300 } });
    await pass(100);
    await outage(400, { returns: false });
    expect(await line()).toMatchObject({ downtimeSeconds: 0, creditMicroCents: 0n });
    await reviveHost(stage.db, host);
    await reconciler.sweepNow();
    const { seconds, downtimeSeconds, creditMicroCents, ...price } = await line();
    expect(Math.abs(seconds - 500)).toBeLessThan(10);
    expect(Math.abs(downtimeSeconds - 400)).toBeLessThan(10);
    expect(creditMicroCents).toBe(costMicroCents({ ...price, seconds: downtimeSeconds }));
    for (const change of [sql`seconds = 1`, sql`given_at = now()`])
      await expect(sql`update billing_credits set ${change}`.execute(stage.db)).rejects.toThrow("never changes");
    // An outage that is not longer than the tolerance gives none.
    await outage(200);
    expect((await line()).creditMicroCents).toBe(creditMicroCents);
  });

  it("with the policy credit, as long as another part of it was credited before, credits only the rest", async () => {
    await reconciler.stop();
    reconciler = stage.reconciler({ downtime: { policy: "credit", toleranceSeconds: 300 } });
    await pass(1000);
    // Such as for a faulty GPU, in the middle of what turns out to be an outage.
    await outage(600, { returns: false });
    await sql`
      insert into billing_credits (instance_id, account_id, given_at, began_at, ended_at, seconds, cost_micro_cents, reason)
      select id, account_id, now(), now() - interval '400 seconds', now() - interval '100 seconds', 300, 1, 'gpu-fault'
      from instances where id = ${one.id}`.execute(stage.db);
    await reviveHost(stage.db, host);
    await reconciler.sweepNow();
    expect(await billed()).toEqual({ seconds: 1600, downtime: 300 });
  });

  it("with the policy credit, at the end of an instance that is removed when the host returns, is credited too", async () => {
    await reconciler.stop();
    reconciler = stage.reconciler({ downtime: { policy: "credit", toleranceSeconds: 300 } });
    await outage(400, { returns: false });
    await stage.world.change(one.principal, "terminate", [one.id]);
    await reviveHost(stage.db, host);
    await sql`update instances set next_look_at = now()`.execute(stage.db);
    await reconciler.idle();
    for (const _ of [1, 2]) await reconciler.sweepNow();
    const { seconds, downtimeSeconds } = await line();
    expect([Math.round(seconds / 10), Math.round(downtimeSeconds / 10)]).toEqual([40, 40]);
  });

  it.each<[DowntimeSettings, { seconds: number; downtime: number }]>([
    [
      { policy: "none", toleranceSeconds: 300 },
      { seconds: 400, downtime: 0 },
    ],
    [
      { policy: "pause", toleranceSeconds: 500 },
      { seconds: 400, downtime: 0 },
    ],
    [
      { policy: "pause", toleranceSeconds: 0 },
      { seconds: 0, downtime: 400 },
    ],
  ])("with the settings %j is billed as they say", async (downtime, expected) => {
    await reconciler.stop();
    reconciler = stage.reconciler({ downtime });
    await outage(400);
    expect(await billed()).toEqual(expected);
  });

  it("never changes a closed month: what lies in it is credited in the open one", async () => {
    const { rows } = await sql<{ into: number }>`
      select extract(epoch from now() - date_trunc('month', now() at time zone 'UTC') at time zone 'UTC')::float8 as into`.execute(
      stage.db,
    );
    // It was last reached an hour before this month began, and the month was closed before that was noticed.
    const into = rows[0]?.into ?? 0;
    await reconciler.sweepNow();
    await pass(into + 3600);
    const name = new Date(Date.now() - (into + 3600) * 1000).toISOString().slice(0, 7);
    await sql`update billing_spans set started_at = started_at - interval '1 hour'`.execute(stage.db);
    expect(await closeMonths(stage.db)).toEqual([name]);
    await killHost(stage.db, host);
    await reconciler.sweepNow();
    await reconciler.sweepNow();
    const month = monthOf(name);
    if (month === undefined) throw new Error(`${name} is a month`);
    const { accountId } = one.principal;
    const closed = only(await statementLines(stage.db, month, { accountId }));
    expect([Math.round(closed.seconds / 100) * 100, closed.downtimeSeconds]).toEqual([7200, 0]);
    expect(closed.creditMicroCents).toBe(0n);
    const { seconds, downtimeSeconds, creditMicroCents, ...price } = await line();
    expect(Math.abs(seconds - 7200)).toBeLessThan(10);
    expect(Math.abs(downtimeSeconds - into - 3600)).toBeLessThan(10);
    const now = monthOf(new Date().toISOString().slice(0, 7)) ?? month;
    const open = only(await statementLines(stage.db, now, { accountId }));
    expect(open).toMatchObject({ creditMicroCents, seconds: 0 });
    const hour = costMicroCents({ ...price, seconds: 3600 });
    expect(Math.abs(Number(hour - creditMicroCents))).toBeLessThan(Number(hour) / 100);
    expect(await spentByAccounts(stage.db, [accountId])).toEqual(new Map([[accountId, 0n]]));
    // Once, however often it is looked for, also after the host returned.
    await reviveHost(stage.db, host);
    for (const _ of [1, 2]) await reconciler.sweepNow();
    expect((await line()).creditMicroCents).toBe(creditMicroCents);
  });
});
