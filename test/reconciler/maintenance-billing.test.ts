// What is billed of an instance that maintenance keeps stopped, to the second, also when its host is unreachable then.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { killHost, reviveHost } from "../../src/engines/simulated/database.ts";
import type { Reconciler } from "../../src/reconciler/reconciler.ts";
import { closeMonths } from "../../src/rental/billing/close-months.ts";
import { usageLines } from "../../src/rental/billing/usage.ts";
import { runWindows } from "../../src/rental/maintenance/run.ts";
import { scheduleWindows } from "../../src/rental/maintenance/schedule.ts";
import type { DowntimeSettings } from "../../src/rules/downtime.ts";
import { auditEverything } from "../support/audit.ts";
import { type Launched, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";
import { only } from "../support/world.ts";

const stage = stageOfFile();

let host: string;
let reconciler: Reconciler;
let one: Launched;
let policy: DowntimeSettings["policy"] = "pause";
beforeEach(async () => {
  await sql`delete from maintenance_windows`.execute(stage.db);
  policy = "pause";
  host = await stage.host();
  reconciler = stage.reconciler();
  one = await stage.launchOne();
  await reconciler.idle();
});

/** Windows of which this one lasts from so many seconds on for so many. */
async function schedule(after: number, seconds: number): Promise<void> {
  const { accountId } = await stage.world.account();
  const at = (more: number) => new Date(Date.now() + more * 1000);
  const times = { beginsAt: at(after), endsAt: at(after + seconds), deferrableUntil: null };
  const order = { host, selector: undefined, reason: "Disk", mode: "stop" as const, ...times };
  await stage.world.tx((tx) => scheduleWindows(tx, order, accountId));
}

/** Everything happens that is due. */
async function run(): Promise<void> {
  for (const _ of [1, 2]) {
    await runWindows(stage.db, { isBilled: policy === "none" });
    await reconciler.idle();
  }
}

async function pass(seconds: number): Promise<void> {
  await travel(stage.db, `${seconds} seconds`);
  await run();
}

/** A reconciler with another policy. */
async function withPolicy(chosen: DowntimeSettings["policy"]): Promise<void> {
  await reconciler.stop();
  policy = chosen;
  reconciler = stage.reconciler({ downtime: { policy, toleranceSeconds: 300 } });
}

async function dies(): Promise<void> {
  await reconciler.sweepNow();
  await killHost(stage.db, host);
  await reconciler.sweepNow();
}

async function returns(): Promise<void> {
  await reviveHost(stage.db, host);
  await reconciler.sweepNow();
  await run();
}

/** Seconds that are billed, that are not, and that are credited, to fifty: tests take a moment, on a busy machine several. */
async function billed(): Promise<{ seconds: number; downtime: number; credited: number }> {
  const { seconds, downtimeSeconds } = only(await usageLines(stage.db, { instanceId: one.id }));
  const { rows } = await sql<{ credited: number }>`
    select coalesce(sum(seconds), 0)::integer as credited from billing_credits where instance_id = ${one.id}`.execute(
    stage.db,
  );
  const rounded = (value: number) => Math.round(value / 50) * 50;
  return {
    seconds: rounded(seconds),
    downtime: rounded(downtimeSeconds),
    credited: rounded(rows[0]?.credited ?? Number.NaN),
  };
}

/** Of a credit, usage has the seconds both as billed and as not delivered. */
async function paid(): Promise<{ paid: number; undelivered: number }> {
  const { seconds, downtime, credited } = await billed();
  return { paid: seconds - credited, undelivered: downtime };
}

describe("maintenance that stops an instance", () => {
  it.each(["pause", "credit"] as const)("is not billed from the stop to the start, with %s", async (chosen) => {
    await withPolicy(chosen);
    await schedule(1000, 600);
    await pass(1000);
    await pass(500);
    expect(await billed()).toEqual({ seconds: 1000, downtime: 500, credited: 0 });
    await pass(100);
    await pass(300);
    expect(await billed()).toEqual({ seconds: 1300, downtime: 600, credited: 0 });
    const { spans, events } = await auditEverything(stage.db);
    expect({ spans, events }).toEqual({ spans: [], events: [] });
  });

  it("is billed with none", async () => {
    await withPolicy("none");
    await schedule(1000, 600);
    await pass(1000);
    await pass(600);
    expect(await billed()).toEqual({ seconds: 1600, downtime: 0, credited: 0 });
  });

  it("is not billed until its account stops or terminates it, which is its decision", async () => {
    await schedule(1000, 600);
    await pass(1000);
    await pass(200);
    await stage.world.change(one.principal, "stop", [one.id]);
    await pass(100);
    expect(await billed()).toEqual({ seconds: 1100, downtime: 200, credited: 0 });
    await stage.world.change(one.principal, "terminate", [one.id]);
    await pass(300);
    expect(await billed()).toEqual({ seconds: 1100, downtime: 200, credited: 0 });
  });

  it("is not billed though the instance was never active before", async () => {
    await reconciler.stop();
    one = await stage.launchOne();
    await schedule(0, 600);
    await runWindows(stage.db, { isBilled: false });
    reconciler = stage.reconciler();
    await run();
    expect(await stage.state(one.id)).toBe("stopped");
    await pass(600);
    await pass(200);
    expect(await billed()).toEqual({ seconds: 200, downtime: 600, credited: 0 });
  });
});

describe("an outage and maintenance", () => {
  it.each(["pause", "credit"] as const)("within it count once, with %s", async (chosen) => {
    await withPolicy(chosen);
    await schedule(1000, 2000);
    await pass(1000);
    await pass(100);
    await dies();
    await pass(800);
    await reconciler.sweepNow();
    await returns();
    await pass(1100);
    await pass(200);
    expect(await billed()).toEqual({ seconds: 1200, downtime: 2000, credited: 0 });
  });

  it.each(["pause", "credit"] as const)("that lasts longer counts as a whole, once, with %s", async (chosen) => {
    await withPolicy(chosen);
    await schedule(1000, 1000);
    await pass(1000);
    await pass(100);
    await dies();
    await pass(900);
    expect(await stage.state(one.id)).toBe("booting");
    await reconciler.sweepNow();
    await pass(400);
    await returns();
    await pass(200);
    expect(await paid()).toEqual({ paid: 1200, undelivered: 1400 });
  });

  it.each(["pause", "credit"] as const)("that began before count once, with %s", async (chosen) => {
    await withPolicy(chosen);
    await schedule(1000, 1000);
    await pass(600);
    await dies();
    await pass(400);
    await reconciler.sweepNow();
    await pass(500);
    await returns();
    await pass(500);
    await pass(200);
    expect(await paid()).toEqual({ paid: 800, undelivered: 1400 });
  });

  it.each(["pause", "credit"] as const)("that is noted before it count once, with %s", async (chosen) => {
    await withPolicy(chosen);
    await schedule(1000, 1000);
    await pass(600);
    await dies();
    await pass(350);
    await reconciler.sweepNow();
    await pass(1050);
    await pass(300);
    await returns();
    await pass(200);
    expect(await paid()).toEqual({ paid: 800, undelivered: 1700 });
  });
});

describe("maintenance over the end of a month", () => {
  it("stays unbilled, and changes nothing of the month that is closed", async () => {
    await schedule(0, 3_000_000 / 2);
    await pass(0);
    // The window began in the month before last, and that closes.
    await travel(stage.db, "20 days");
    await closeMonths(stage.db);
    const before = await stage.span(one.id);
    await run();
    expect(await stage.state(one.id)).toBe("active");
    expect((await stage.span(one.id))?.started_at).toEqual(before?.started_at);
    const { seconds, downtime } = await billed();
    expect(seconds).toBe(0);
    expect(downtime).toBe(20 * 86_400);
  });
});
