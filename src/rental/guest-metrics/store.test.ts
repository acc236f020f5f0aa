// Metrics in PostgreSQL: written, made coarser as they age, read at any resolution, deleted.

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { worldOfFile } from "../../../test/support/world.ts";
import {
  type GpuMetric,
  type GuestMetric,
  gpuMetricNames,
  guestMetrics,
  instanceMetricNames,
} from "../../rules/guest-metrics.ts";
import { compactMetrics, deleteMetricsWithoutInstance, deleteOldMetrics } from "./compact.ts";
import { packed } from "./packed.ts";
import type { Point } from "./point.ts";
import { readSeries, type Window } from "./read-series.ts";
import { windowOf } from "./window.ts";
import { writePoints } from "./write-samples.ts";

const world = worldOfFile();
const signal = new AbortController().signal;
const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];
/** A day begins here. */
const start = 20_000 * DAY;
const at = (seconds: number) => new Date((start + seconds) * 1000);

let id: string;
beforeEach(async () => {
  await world.host({ gpus: 8 });
  await world.image();
  const product = await world.product();
  id = (await world.launchOne(await world.account(), { instanceType: product.name })).id;
});

function point(told: Partial<Record<GuestMetric, number>>, gpus = 1): Point {
  return {
    samples: 1,
    instance: instanceMetricNames.map((name) => told[name] ?? null),
    gpus: Array.from({ length: gpus }, () => gpuMetricNames.map((name: GpuMetric) => told[name] ?? null)),
  };
}

/** A sample each 15 seconds, with a value that depends on the time. */
async function fill(from: number, to: number, of: (seconds: number) => number, instance = id): Promise<void> {
  for (let seconds = from; seconds < to; seconds += 15) {
    await writePoints(world.db, at(seconds), [
      { instanceId: instance, point: point({ gpu_utilization: of(seconds), gpu_temperature: of(seconds) }) },
    ]);
  }
}

async function values(metric: GuestMetric, window: Omit<Window, "from" | "to"> & { from: number; to: number }) {
  const series = await readSeries(world.db, id, { ...window, from: start + window.from, to: start + window.to });
  return series.find((one) => one.metric === metric)?.values ?? [];
}

async function chunks(): Promise<Record<string, number>> {
  const { rows } = await sql<{ level: number; count: number }>`
    select 0 as level, count(*) as count from guest_metrics_recent
    union all select level, count(*) from guest_metrics group by 1 order by 1`.execute(world.db);
  return Object.fromEntries(rows.map(({ level, count }) => [level, count]));
}

describe("samples", () => {
  it("are read again at their times, with null where there is none", async () => {
    await fill(0, 30, (seconds) => seconds);
    await fill(60, 75, () => 90);
    expect(await values("gpu_utilization", { from: 0, to: 90, step: 15 })).toEqual([0, 15, null, null, 90, null]);
    expect(await values("gpu_utilization", { from: 0, to: 120, step: 60 })).toEqual([7.5, 90]);
    expect(await values("gpu_temperature", { from: 0, to: 120, step: 60 })).toEqual([15, 90]);
    expect(await values("cpu_utilization", { from: 0, to: 60, step: 60 })).toEqual([null]);
  });

  it("of one instance are not those of another", async () => {
    await fill(0, 60, () => 40);
    await fill(0, 60, () => 80, randomUUID());
    expect(await values("gpu_utilization", { from: 0, to: 60, step: 60 })).toEqual([40]);
  });

  it("that are written again, or by two servers, take limited room", async () => {
    for (let count = 0; count < 100; count++) await fill(0, 60, () => 50);
    const { rows } = await sql<{ bytes: number }>`
      select max(octet_length(data)) as bytes from guest_metrics_recent`.execute(world.db);
    expect(rows[0]?.bytes).toBeLessThan(1000);
    expect(await values("gpu_utilization", { from: 0, to: 60, step: 15 })).toEqual([50, 50, 50, 50]);
  });
});

describe("old metrics", () => {
  it("become coarser with the same means, and are in one level at a time", async () => {
    await fill(0, 2 * HOUR, (seconds) => (seconds / 15) % 100);
    const window = { from: 0, to: 2 * HOUR, step: HOUR };
    const fine = await values("gpu_utilization", window);
    const hottest = await values("gpu_temperature", window);

    expect(await compactMetrics(world.db, signal, at(2 * HOUR - 1))).toBe(0);
    await compactMetrics(world.db, signal, at(2 * HOUR));
    expect(await chunks()).toEqual({ 0: 60, 1: 1 });
    expect(await values("gpu_utilization", window)).toEqual(fine);
    await compactMetrics(world.db, signal, at(3 * HOUR), 1);
    expect(await chunks()).toEqual({ 0: 0, 1: 2 });
    await compactMetrics(world.db, signal, at(2 * DAY - 1));
    expect(await chunks()).toEqual({ 0: 0, 1: 2 });
    await compactMetrics(world.db, signal, at(2 * DAY));
    expect(await chunks()).toEqual({ 0: 0, 2: 1, 3: 1 });
    expect(await values("gpu_utilization", window)).toEqual(fine);
    expect(await values("gpu_temperature", window)).toEqual(hottest);
    expect(await values("gpu_utilization", { from: 0, to: HOUR, step: 900 })).toHaveLength(4);
    expect(await compactMetrics(world.db, signal, at(2 * DAY))).toBe(0);
  });

  it("are read once while some are coarser already", async () => {
    await fill(HOUR - 2 * MINUTE, HOUR + 2 * MINUTE, () => 60);
    await compactMetrics(world.db, signal, at(2 * HOUR));
    await fill(HOUR + 2 * MINUTE, HOUR + 3 * MINUTE, () => 20);
    const window = { from: HOUR - 3 * MINUTE, to: HOUR + 3 * MINUTE, step: 60 };
    expect(await values("gpu_utilization", window)).toEqual([null, 60, 60, 60, 60, 20]);
  });

  it("that come late are added to what is coarser already", async () => {
    await fill(0, MINUTE, () => 100);
    await compactMetrics(world.db, signal, at(2 * HOUR));
    await fill(MINUTE, 2 * MINUTE, () => 50);
    await fill(0, MINUTE, () => 50);
    await compactMetrics(world.db, signal, at(2 * HOUR));
    expect(await values("gpu_utilization", { from: 0, to: 2 * MINUTE, step: 60 })).toEqual([75, 50]);
  });

  it("are moved by two servers at once as by one", async () => {
    await fill(0, 30 * MINUTE, (seconds) => (seconds / 60) % 100);
    const window = { from: 0, to: HOUR, step: 60 };
    const before = await values("gpu_utilization", window);
    await Promise.all([1, 2, 3].map(() => compactMetrics(world.db, signal, at(2 * HOUR))));
    expect(await values("gpu_utilization", window)).toEqual(before);
  });

  it("end after 7 days at 15 minutes, and after 30 at an hour", async () => {
    await fill(0, 2 * HOUR, () => 50);
    await compactMetrics(world.db, signal, at(2 * DAY));
    expect(await deleteOldMetrics(world.db, at(8 * DAY - 1))).toBe(0);
    await deleteOldMetrics(world.db, at(8 * DAY));
    expect(await chunks()).toEqual({ 0: 0, 3: 1 });
    expect(await values("gpu_utilization", { from: 0, to: 3 * HOUR, step: HOUR })).toEqual([50, 50, null]);
    await deleteOldMetrics(world.db, at(31 * DAY));
    expect(await chunks()).toEqual({ 0: 0 });
  });

  it("go with their instance, also before they become coarser", async () => {
    const gone = randomUUID();
    await fill(0, MINUTE, () => 10, gone);
    await fill(0, MINUTE, () => 10);
    await compactMetrics(world.db, signal, at(2 * HOUR));
    expect(await chunks()).toEqual({ 0: 0, 1: 1 });
    await sql`insert into guest_metrics (level, chunk, instance_id, data) values (3, 1, ${gone}, '')`.execute(world.db);
    expect(await deleteMetricsWithoutInstance(world.db)).toBe(1);
    expect(await chunks()).toEqual({ 0: 0, 1: 1 });
  });
});

describe("the room of an instance", () => {
  it.each([
    [1, 160 + 96],
    [8, 160 + 8 * 96],
  ])("with %d GPUs is within %d KiB, when all levels are full and a backup runs", async (gpus, mostKib) => {
    // As many of each as there can be at once, with values that do not compress.
    const random = (name: GuestMetric) => Math.floor(Math.random() * guestMetrics[name].most);
    const noisy = (): Point => ({
      samples: 1,
      instance: instanceMetricNames.map(random),
      gpus: Array.from({ length: gpus }, () => gpuMetricNames.map(random)),
    });
    const row = (count: number) =>
      packed(Array.from({ length: count }, (_, place) => ({ place, point: noisy() }))).toString("hex");
    const instances = 20;
    const ids = Array.from({ length: instances }, () => randomUUID());
    await sql`truncate guest_metrics, guest_metrics_recent`.execute(world.db);
    // A transaction, of any database of the server, keeps the versions of a row that updates leave behind.
    const backup = await world.db.startTransaction().setIsolationLevel("repeatable read").execute();
    await sql`select from guest_metrics`.execute(backup);
    for (let minute = 0; minute < 120; minute++) {
      for (let quarter = 0; quarter < 4; quarter++) {
        const points = ids.map((instanceId) => ({ instanceId, point: noisy() }));
        await writePoints(world.db, at(minute * 60 + quarter * 15), points);
      }
    }
    for (const [level, count, places] of [
      [1, 48, 60],
      [2, 8, 96],
      [3, 31, 24],
    ] as const) {
      for (let chunk = 0; chunk < count; chunk++) {
        const data = ids.map(() => row(places));
        await sql`
          insert into guest_metrics (level, chunk, instance_id, data)
          select ${level}, ${chunk}, id, decode(hex, 'hex')
          from unnest(${ids}::uuid[], ${data}::text[]) as one (id, hex)`.execute(world.db);
      }
    }
    await backup.rollback().execute();
    const { rows } = await sql<{ bytes: number }>`
      select pg_total_relation_size('guest_metrics') + pg_total_relation_size('guest_metrics_recent') as bytes`.execute(
      world.db,
    );
    expect((rows[0]?.bytes ?? 0) / instances / 1024).toBeLessThan(mostKib);
  });
});

describe("the time that is asked for", () => {
  const now = at(40 * DAY + 7);
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);

  it.each<[string, Parameters<typeof windowOf>[0], [step: number, points: number]]>([
    ["the last hour unless told", {}, [15, 241]],
    ["a day", { from: ago(DAY) }, [300, 289]],
    ["a week", { from: ago(7 * DAY) }, [3600, 169]],
    ["all there is", { from: ago(90 * DAY) }, [21_600, 121]],
    ["a day by the minute", { from: ago(DAY), step: 60 }, [60, 1441]],
    ["no finer than stored", { from: ago(2 * DAY), step: 75 }, [900, 193]],
    ["a multiple of what is stored", { from: ago(2 * HOUR), step: 75 }, [120, 61]],
    ["an old hour", { from: ago(20 * DAY), to: ago(20 * DAY - HOUR) }, [3600, 2]],
    ["nothing of the future", { from: ago(HOUR), to: ago(-HOUR) }, [15, 241]],
  ])("%s", (_what, asked, [step, points]) => {
    const window = windowOf(asked, now);
    expect([window.step, (window.to - window.from) / window.step]).toEqual([step, points]);
    expect([window.from % step, window.to % step]).toEqual([0, 0]);
  });

  it.each([
    [{ from: ago(1), to: ago(2) }, "from"],
    [{ from: ago(-60) }, "from"],
    [{ from: ago(32 * DAY), to: ago(31 * DAY) }, "to"],
    [{ to: ago(30 * DAY) }, "to"],
    [{ from: ago(32 * DAY), to: ago(30 * DAY - 1) }, undefined],
    [{ to: ago(30 * DAY - 1) }, undefined],
    [{ from: ago(DAY), step: 15 }, undefined],
    [{ from: ago(6 * DAY), step: 15 }, undefined],
  ])("%j: %s is wrong", (asked, field) => {
    if (field !== undefined) {
      const details = { fields: { [field]: expect.anything() } };
      expect(() => windowOf(asked, now)).toThrow(expect.objectContaining({ kind: "invalid-parameters", details }));
      return;
    }
    const { from, to } = windowOf(asked, now);
    expect(from).toBeLessThan(to);
  });
});
