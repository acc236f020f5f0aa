// The health of hosts: what their engine reports of it is stored, told of in events and kept while it does not respond;
// and the outages from which their availability follows.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import type { Engine, HostReport } from "../../src/engines/engine.ts";
import { forgive, injectFaults, killHost, reviveHost } from "../../src/engines/simulated/database.ts";
import { readHost } from "../../src/rental/capacity/host-reading.ts";
import { recordHostHealth } from "../../src/rental/hosts/health.ts";
import { deleteOldHostRecords } from "../../src/rental/hosts/retention.ts";
import { stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();

let host: string;
beforeEach(async () => {
  host = await stage.host();
});

const read = (name = host) => readHost(stage.db, name);
const found = async () => (await read()).health.map(({ code, severity }) => `${code} ${severity}`);

/** The findings of each event of the host, oldest first. */
async function told(): Promise<string[][]> {
  const { rows } = await sql<{ account_id: string | null; health: { code: string; severity: string }[] }>`
    select account_id, data->'health' as health from events
    where type = 'host.health_changed' and data->>'name' = ${host} order by position`.execute(stage.db);
  expect(rows.every(({ account_id }) => account_id === null)).toBe(true);
  return rows.map(({ health }) => health.map(({ code, severity }) => `${code} ${severity}`));
}

/** An engine that reports this of the host. */
function reporting(part: Pick<HostReport, "health" | "daemon">): Engine {
  const engine = stage.engine();
  const hosts = async (signal: AbortSignal) =>
    (await engine.hosts(signal)).map((one) => (one.name === host ? { ...one, ...part } : one));
  return new Proxy(engine, {
    // The engine's own methods need it as `this`.
    get: (target, key) => {
      if (key === "hosts") return hosts;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** One sync by a replica of its own. */
async function sync(part: Pick<HostReport, "health" | "daemon">): Promise<void> {
  const reconciler = stage.reconciler({}, reporting(part));
  await reconciler.sweepNow();
  await reconciler.stop();
}

describe("a finding", () => {
  it("is stored with its host, told of once, and gone with its reason", async () => {
    const reconciler = stage.reconciler();
    await injectFaults(stage.db, {
      kind: "reports-finding",
      host,
      parameters: { code: "clock-skew", message: "Late." },
    });
    const other = await stage.host();
    await reconciler.sweepNow();
    const [finding] = (await read()).health;
    expect(finding).toMatchObject({
      code: "clock-skew",
      severity: "warning",
      message: "Late.",
      since: expect.any(Date),
    });
    expect((await read(other)).health).toEqual([]);
    await travel(stage.db, "1 hour");
    await reconciler.sweepNow();
    expect((await read()).health[0]?.since.getTime()).toBe((finding?.since.getTime() ?? 0) - 3_600_000);
    await forgive(stage.db);
    await reconciler.sweepNow();
    expect(await found()).toEqual([]);
    expect(await told()).toEqual([["clock-skew warning"], []]);
    expect(stage.logged.filter(({ message }) => message === "host is healthy again")).toHaveLength(1);
  });

  it("begins anew with another severity, and is no news with another message", async () => {
    const finding = { code: "disk-space-low", severity: "warning", message: "9 %." } as const;
    await sync({ health: [finding] });
    await travel(stage.db, "1 hour");
    await sync({ health: [{ ...finding, message: "8 %." }] });
    const [before] = (await read()).health;
    expect(before?.message).toBe("8 %.");
    await sync({ health: [{ ...finding, severity: "critical", message: "2 %." }] });
    const [after] = (await read()).health;
    expect((after?.since.getTime() ?? 0) - (before?.since.getTime() ?? 0)).toBeGreaterThan(3_500_000);
    expect(await told()).toEqual([["disk-space-low warning"], ["disk-space-low critical"]]);
  });

  it("stands while the host does not respond", async () => {
    await sync({ health: [{ code: "clock-skew", severity: "critical", message: "Late." }] });
    await sync({ health: undefined });
    expect(await found()).toEqual(["clock-skew critical"]);
  });

  it("costs nothing where nothing is new", async () => {
    const reconciler = stage.reconciler();
    await reconciler.sweepNow();
    const { rows: before } = await sql<{ changed: string }>`select changed_in::text as changed from hosts`.execute(
      stage.db,
    );
    await reconciler.sweepNow();
    const { rows: after } = await sql<{ changed: string }>`select changed_in::text as changed from hosts`.execute(
      stage.db,
    );
    expect(after).toEqual(before);
  });

  it("of a host that was removed meanwhile is not stored", async () => {
    const report = { name: "gone", health: [{ code: "clock-skew", severity: "warning", message: "Late." } as const] };
    expect(await recordHostHealth(stage.db, "simulated", [report])).toEqual([]);
  });

  it("of a later version is left out", async () => {
    await sql`insert into host_findings (host, code, severity, message) values (${host}, 'fan-noise', 'warning', '')`.execute(
      stage.db,
    );
    expect(await found()).toEqual([]);
  });
});

describe("a daemon that restarted", () => {
  it("shows by another run, whichever replica sees it, for an hour", async () => {
    await sync({ health: [], daemon: { run: "1" } });
    expect(await found()).toEqual([]);
    await sync({ health: [], daemon: { run: "2" } });
    await sync({ health: [], daemon: { run: "2" } });
    expect(await found()).toEqual(["daemon-restarted warning"]);
    await travel(stage.db, "61 minutes");
    await sync({ health: [], daemon: { run: "2" } });
    expect(await found()).toEqual([]);
  });

  it("is critical the third time in a day", async () => {
    for (const run of ["1", "2", "3", "4"]) {
      await sync({ health: [], daemon: { run } });
      await travel(stage.db, "2 hours");
    }
    await sync({ health: [] });
    expect(await found()).toEqual(["daemon-restarted critical"]);
    await travel(stage.db, "19 hours");
    await deleteOldHostRecords(stage.db);
    await sync({ health: [] });
    expect(await found()).toEqual([]);
  });

  it("is one restart for two replicas that noticed it at different times", async () => {
    const at = Date.now() - 600_000;
    for (const late of [0, 15_000, 15_000]) await sync({ health: [], daemon: { restartedAt: new Date(at + late) } });
    const { rows } = await sql`select from host_restarts where host = ${host}`.execute(stage.db);
    expect(rows).toHaveLength(1);
    expect(await found()).toEqual(["daemon-restarted warning"]);
  });
});

describe("the availability of a host", () => {
  it("is the share of the time that it is known, with the outage in progress", async () => {
    const reconciler = stage.reconciler();
    await reconciler.sweepNow();
    await travel(stage.db, "9 hours");
    await reconciler.sweepNow();
    expect((await read()).availabilityPercent).toBe(100);
    await killHost(stage.db, host);
    await reconciler.sweepNow();
    await travel(stage.db, "1 hour");
    const during = (await read()).availabilityPercent ?? 0;
    expect(Math.round(during)).toBe(90);
    await reviveHost(stage.db, host);
    await reconciler.sweepNow();
    await travel(stage.db, "10 hours");
    expect(Math.round((await read()).availabilityPercent ?? 0)).toBe(95);
  });

  it("forgets what was more than 30 days ago; outages are deleted after 90", async () => {
    const reconciler = stage.reconciler();
    await reconciler.sweepNow();
    await travel(stage.db, "100 days");
    await reconciler.sweepNow();
    await killHost(stage.db, host);
    await reconciler.sweepNow();
    await travel(stage.db, "6 days");
    await reviveHost(stage.db, host);
    await reconciler.sweepNow();
    expect(Math.round((await read()).availabilityPercent ?? 0)).toBe(80);
    await travel(stage.db, "27 days");
    expect(Math.round((await read()).availabilityPercent ?? 0)).toBe(90);
    await travel(stage.db, "4 days");
    expect((await read()).availabilityPercent).toBe(100);
    expect(await deleteOldHostRecords(stage.db)).toBe(0);
    await travel(stage.db, "60 days");
    expect(await deleteOldHostRecords(stage.db)).toBe(1);
  });
});
