// Undelivered time: what is billed of an instance whose host was unreachable, to the second, by how long that lasted.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { killHost, reviveHost } from "../../src/engines/simulated/database.ts";
import type { Reconciler } from "../../src/reconciler/reconciler.ts";
import { closeMonths } from "../../src/rental/billing/close-months.ts";
import { monthOf, statementLines } from "../../src/rental/billing/statements.ts";
import { usageLines } from "../../src/rental/billing/usage.ts";
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

  it("never changes a closed month: what lies in it stays billed", async () => {
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
    const line = only(await statementLines(stage.db, month, { accountId: one.principal.accountId }));
    expect([Math.round(line.seconds / 100) * 100, line.downtimeSeconds]).toEqual([7200, 0]);
    const { seconds, downtimeSeconds } = only(await usageLines(stage.db, { instanceId: one.id }));
    expect(Math.abs(seconds - 7200)).toBeLessThan(10);
    expect(Math.abs(downtimeSeconds - into)).toBeLessThan(10);
  });
});
