// Metrics from inside guests, from the simulated engine to what an account reads; what a hostile guest can do; and the
// faults of GPUs that guests report.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../src/engines/engine.ts";
import { LatestLine } from "../../src/engines/guest/latest-line.ts";
import { forgive, injectFaults, killHost } from "../../src/engines/simulated/database.ts";
import type { Reconciler } from "../../src/reconciler/reconciler.ts";
import { instancesWithMetrics, takeCollecting } from "../../src/rental/guest-metrics/collecting.ts";
import { gpuFaultsOf } from "../../src/rental/guest-metrics/gpu-faults.ts";
import { readSeries } from "../../src/rental/guest-metrics/read-series.ts";
import { guestLines } from "../../src/rules/guest-metrics.ts";
import { sending } from "../support/guest-lines.ts";
import { type Launched, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();

beforeEach(async () => {
  await stage.host();
  await stage.product();
  await stage.world.image({ metrics: true });
});

async function active(reconciler: Reconciler, count = 1): Promise<Launched[]> {
  const launched: Launched[] = [];
  for (let at = 0; at < count; at++) launched.push(await stage.launchOne());
  await reconciler.idle();
  return launched;
}

async function one(reconciler: Reconciler): Promise<Launched> {
  const [launched] = await active(reconciler);
  if (launched === undefined) throw new Error("BUG: nothing was launched");
  return launched;
}

/** The known values of the last minutes of a metric. */
async function valuesOf(id: string, metric = "gpu_utilization", gpu: number | null = 0): Promise<number[]> {
  const now = Math.floor(Date.now() / 60_000) * 60;
  const series = await readSeries(stage.db, id, { from: now - 120, to: now + 120, step: 15 });
  const found = series.find((one) => one.metric === metric && (one.gpu ?? null) === gpu);
  return (found?.values ?? []).filter((value) => value !== null);
}

const sendingFrom = (sent: (id: string) => Uint8Array | undefined) => sending(stage.engine(), sent);
const line = (told: object) => Buffer.from(JSON.stringify({ v: 1, ...told }));
const rows = async () => (await sql`select 1 from guest_metrics_recent`.execute(stage.db)).rows.length;

describe("a guest with an agent", () => {
  it("is read, with what it says of itself and of each GPU", async () => {
    const reconciler = stage.reconciler();
    const { id } = await one(reconciler);
    await reconciler.readGuestsNow();
    expect(await valuesOf(id)).toEqual([expect.any(Number)]);
    expect(await valuesOf(id, "gpu_memory_size")).toEqual([80 * 1024]);
    expect(await valuesOf(id, "memory_size", null)).toEqual([64 * 1024]);
  });

  it("whose number of the sample stays the same has sent nothing new", async () => {
    let number = 1;
    const reconciler = stage.reconciler(
      {},
      sendingFrom(() => line({ n: number, cpu_utilization: 50 })),
    );
    const { id } = await one(reconciler);
    const bytes = async () => {
      const { rows } = await sql<{ bytes: number }>`
        select sum(octet_length(data))::int as bytes from guest_metrics_recent where instance_id = ${id}`.execute(
        stage.db,
      );
      return rows[0]?.bytes ?? 0;
    };
    await reconciler.readGuestsNow();
    const first = await bytes();
    await reconciler.readGuestsNow();
    expect(await bytes()).toBe(first);
    number += 1;
    await reconciler.readGuestsNow();
    expect(await bytes()).toBe(2 * first);
  });

  it("is not read while it does not run, or its host does not respond", async () => {
    const reconciler = stage.reconciler();
    const { id, principal, host } = await one(reconciler);
    await killHost(stage.db, host);
    await reconciler.readGuestsNow();
    expect(await rows()).toBe(0);
    await stage.world.change(principal, "stop", [id]);
    expect(await instancesWithMetrics(stage.db, "simulated")).toEqual([]);
  });

  it("that is silent has no values, and not zero", async () => {
    const reconciler = stage.reconciler();
    const { id } = await one(reconciler);
    await injectFaults(stage.db, { kind: "guest-is-silent", machine: id });
    await reconciler.readGuestsNow();
    expect(await valuesOf(id)).toEqual([]);
    await forgive(stage.db);
    await injectFaults(stage.db, { kind: "guest-is-idle", machine: id });
    await reconciler.readGuestsNow();
    expect(await valuesOf(id)).toEqual([0]);
  });
});

describe("an instance of an image without an agent", () => {
  it("is never read", async () => {
    await stage.world.image({ metrics: false });
    const reconciler = stage.reconciler();
    await one(reconciler);
    await reconciler.readGuestsNow();
    expect(await rows()).toBe(0);
  });
});

describe("several servers", () => {
  it("read an engine in turn, and another one takes over from one that is gone", async () => {
    const [here, other] = [crypto.randomUUID(), crypto.randomUUID()];
    expect(await takeCollecting(stage.db, "simulated", here, 60)).toBe(true);
    expect(await takeCollecting(stage.db, "simulated", other, 60)).toBe(false);
    expect(await takeCollecting(stage.db, "simulated", here, 60)).toBe(true);
    await travel(stage.db, "61 seconds");
    expect(await takeCollecting(stage.db, "simulated", other, 60)).toBe(true);
    expect(await takeCollecting(stage.db, "simulated", here, 60)).toBe(false);
  });

  it("leave it at once when they stop", async () => {
    const first = stage.reconciler();
    await one(first);
    await first.readGuestsNow();
    expect(await takeCollecting(stage.db, "simulated", crypto.randomUUID(), 60)).toBe(false);
    await first.stop();
    expect(await takeCollecting(stage.db, "simulated", crypto.randomUUID(), 60)).toBe(true);
  });
});

describe("a hostile guest", () => {
  it("changes nothing of others, whatever it sends", async () => {
    const big = Buffer.alloc(guestLines.mostBytes, "9");
    const told: Uint8Array[] = [
      Uint8Array.from({ length: 4096 }, (_, at) => at % 256),
      big,
      Buffer.concat([line({ cpu_utilization: 5 }), big]),
      Buffer.from("[".repeat(guestLines.mostBytes)),
      line({ cpu_utilization: 1e300, gpus: [{ gpu_utilization: -5 }] }),
      line({ gpus: Array.from({ length: 100 }, () => ({ gpu_utilization: 100 })), xids: [{ gpu: 50, xid: 79 }] }),
      line({ id: "00000000-0000-0000-0000-000000000000", instance_id: "x'; drop table instances; --", v: 1 }),
      line({ xids: Array.from({ length: 300 }, (_, at) => ({ gpu: 0, xid: at })) }),
    ];
    let [hostile, round] = ["", 0];
    const good = () => line({ n: round, gpus: [{ gpu_utilization: 42 }] });
    const reconciler = stage.reconciler(
      {},
      sendingFrom((id) => (id === hostile ? told[round % told.length] : good())),
    );
    const [bad, ...others] = await active(reconciler, 3);
    hostile = bad?.id ?? "";
    for (round = 0; round < 2 * told.length; round++) await reconciler.readGuestsNow();
    for (const { id } of others) {
      expect(new Set(await valuesOf(id))).toEqual(new Set([42]));
      expect(await gpuFaultsOf(stage.db, id, new Date(0))).toEqual([]);
    }
    expect((await valuesOf(hostile)).filter((value) => value > 100)).toEqual([]);
    expect(await valuesOf(hostile, "gpu_utilization", 1)).toEqual([]);
    const { rows } = await sql<{ most: number }>`
      select max(octet_length(data)) as most from guest_metrics_recent`.execute(stage.db);
    expect(rows[0]?.most).toBeLessThan(1024);
    expect(stage.logged.filter(({ message }) => message.includes("guests"))).toEqual([]);
  });

  it("that floods takes the memory of two lines, and is read again when it stops", async () => {
    const lines = new LatestLine(guestLines.mostBytes);
    const flood = Buffer.alloc(1_000_000, "x");
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 500; count++) lines.push(flood);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16_000_000);
    lines.push(Buffer.concat([Buffer.from("\n"), line({ n: 1, cpu_utilization: 7 }), Buffer.from("\n")]));
    const reconciler = stage.reconciler(
      {},
      sendingFrom(() => lines.take()),
    );
    const { id } = await one(reconciler);
    await reconciler.readGuestsNow();
    expect(await valuesOf(id, "cpu_utilization", null)).toEqual([7]);
  });
});

describe("an engine that cannot read guests now", () => {
  it("is told of in the log, and nothing is stored", async () => {
    const engine = stage.engine();
    const failing: Engine = new Proxy(engine, {
      get: (target, key) => {
        if (key === "guestMetrics") {
          return { readLines: async () => Promise.reject(new Error("the host is on fire")), keepOnly: () => {} };
        }
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const reconciler = stage.reconciler({}, failing);
    await one(reconciler);
    await reconciler.readGuestsNow();
    expect(await rows()).toBe(0);
    expect(stage.logged).toContainEqual(expect.objectContaining({ message: "cannot read guests" }));
  });
});

describe("an error of a GPU that means hardware", () => {
  const faultEvents = async () => {
    const { rows } = await sql<{ data: Record<string, unknown> }>`
      select data from events where type = 'instance.gpu_fault' order by position`.execute(stage.db);
    return rows.map(({ data }) => data);
  };

  it("is an event once, however often it is reported", async () => {
    const reconciler = stage.reconciler();
    const { id } = await one(reconciler);
    await injectFaults(stage.db, { kind: "guest-reports-xid", machine: id, parameters: { xid: 48 } });
    await reconciler.readGuestsNow();
    await reconciler.stop();
    const restarted = stage.reconciler();
    await restarted.readGuestsNow();
    expect(await faultEvents()).toEqual([
      expect.objectContaining({ instance_id: id, gpu: 0, xid: 48, meaning: expect.stringMatching(/^An unc.*\.$/) }),
    ]);
    expect(await gpuFaultsOf(stage.db, id, new Date(0))).toEqual([
      { gpu: 0, xid: 48, firstAt: expect.any(Date), lastAt: expect.any(Date) },
    ]);
  });

  it("is another one after a day without a report, and of another GPU or number", async () => {
    let xids: readonly object[] = [{ gpu: 0, xid: 79 }];
    const reconciler = stage.reconciler(
      {},
      sendingFrom(() => line({ xids })),
    );
    await one(reconciler);
    const told = async () => {
      await reconciler.readGuestsNow();
      return (await faultEvents()).length;
    };
    expect(await told()).toBe(1);
    await travel(stage.db, "20 hours");
    expect(await told()).toBe(1);
    await travel(stage.db, "20 hours");
    expect(await told()).toBe(1);
    await travel(stage.db, "25 hours");
    expect(await told()).toBe(2);
    xids = [...xids, { gpu: 0, xid: 95 }, { gpu: 0, xid: 31 }];
    expect(await told()).toBe(3);
  });
});
