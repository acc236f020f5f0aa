// What the measure `metrics` times, in a process of its own: the collector with an engine whose guests have all sent a
// line. Run as: metrics-program.ts samples <database url> | room <database url>
//
// Time passes as fast as the work is done: an hour of rounds, one after the other. What a round costs does not depend on
// the pause after it.

import { sql } from "kysely";
import { connect, type Database } from "../../src/database/connect.ts";
import { createLog } from "../../src/log.ts";
import { Metrics } from "../../src/metrics/metrics.ts";
import { Collector } from "../../src/reconciler/guest-metrics/collector.ts";
import { compactMetrics } from "../../src/rental/guest-metrics/compact.ts";
import { levels } from "../../src/rental/guest-metrics/levels.ts";
import { type Placed, packed } from "../../src/rental/guest-metrics/packed.ts";
import type { Point } from "../../src/rental/guest-metrics/point.ts";
import { writePoints } from "../../src/rental/guest-metrics/write-samples.ts";
import { gpuMetricNames, guestLines, guestMetrics, instanceMetricNames } from "../../src/rules/guest-metrics.ts";

export interface SamplesReport {
  readonly instances: number;
  /** Of an hour, in the time that it took. */
  readonly samples: number;
  readonly seconds: number;
  /** CPU of the hour of samples, without making the lines; and of making one hour coarser. */
  readonly collectSeconds: number;
  readonly compactSeconds: number;
}

export interface RoomReport {
  readonly instances: number;
  readonly bytes: number;
}

const HOUR = 3600;
const signal = new AbortController().signal;
const random = (most: number) => Math.floor(Math.random() * most);

/** An agent's line with one GPU. */
function lineOf(n: number): Uint8Array {
  const values = (names: readonly (keyof typeof guestMetrics)[]) =>
    Object.fromEntries(names.map((name) => [name, random(guestMetrics[name].most)]));
  const gpus = [values(gpuMetricNames)];
  return Buffer.from(JSON.stringify({ v: guestLines.version, n, ...values(instanceMetricNames), gpus, xids: [] }));
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function samples(db: Database): Promise<SamplesReport> {
  const { rows } = await sql<{ id: string }>`
    update instances set guest_metrics = true, gpus = 1, gpu_model = 'H100' where state = 'active' returning id`.execute(
    db,
  );
  const ids = rows.map(({ id }) => id);
  let lines = new Map<string, Uint8Array>();
  const engine = {
    name: "simulated",
    guestMetrics: {
      readLines: async (machines: readonly { readonly id: string }[]) =>
        new Map(machines.map(({ id }) => [id, lines.get(id) ?? Buffer.alloc(0)])),
      keepOnly: () => {},
    },
  };
  const log = createLog("silent");
  const collector = new Collector({ db, engine, settings: { engineCallSeconds: 60 }, log, metrics: new Metrics() });
  // A whole hour that has been over for two.
  const from = (Math.floor(Date.now() / 1000 / HOUR) - 3) * HOUR;
  const began = performance.now();
  let collectSeconds = 0;
  for (let seconds = 0; seconds < HOUR; seconds += guestLines.everySeconds) {
    lines = new Map(ids.map((id) => [id, lineOf(seconds)]));
    const before = cpuSeconds();
    await collector.now(new Date((from + seconds) * 1000));
    collectSeconds += cpuSeconds() - before;
  }
  await collector.stop();
  const stored = await sql<{ bytes: number }>`
    select sum(octet_length(data))::float8 as bytes from guest_metrics_recent`.execute(db);
  const before = cpuSeconds();
  const written = await compactMetrics(db, signal);
  if (written !== ids.length) throw new Error(`BUG: ${written} of ${ids.length} hours became coarser`);
  const compactSeconds = cpuSeconds() - before;
  const bytesOfSample = packed([{ place: 0, point: noisy() }]).length;
  const count = (stored.rows[0]?.bytes ?? 0) / bytesOfSample;
  const seconds = (performance.now() - began) / 1000;
  return { instances: ids.length, samples: count, seconds, collectSeconds, compactSeconds };
}

/** With values that do not compress. */
function noisy(): Point {
  const values = (names: readonly (keyof typeof guestMetrics)[]) =>
    names.map((name) => random(guestMetrics[name].most));
  return { samples: 1, instance: values(instanceMetricNames), gpus: [values(gpuMetricNames)] };
}

/** All that there can be of some instances at once, while an open transaction keeps old versions of rows. */
async function room(db: Database): Promise<RoomReport> {
  const ids = Array.from({ length: 500 }, () => crypto.randomUUID());
  await sql`truncate guest_metrics, guest_metrics_recent`.execute(db);
  const backup = await db.startTransaction().setIsolationLevel("repeatable read").execute();
  await sql`select from guest_metrics`.execute(backup);
  const start = 20_000 * 24 * HOUR;
  for (let seconds = 0; seconds < 2 * levels[0].kept; seconds += levels[0].step) {
    const points = ids.map((instanceId) => ({ instanceId, point: noisy() }));
    await writePoints(db, new Date((start + seconds) * 1000), points);
    // Idle for long it would be ended.
    await sql`select`.execute(backup);
  }
  await backup.rollback().execute();
  // A chunk more than is kept, and for the finest of the table a day more: levels.ts.
  for (const [level, chunks] of [
    [1, 48],
    [2, 8],
    [3, 31],
  ] as const) {
    const places = levels[level].chunk / levels[level].step;
    for (let chunk = 0; chunk < chunks; chunk++) {
      const data = ids.map(() => {
        const points = Array.from({ length: places }, (_, place): Placed => ({ place, point: noisy() }));
        return packed(points).toString("hex");
      });
      await sql`
        insert into guest_metrics (level, chunk, instance_id, data)
        select ${level}, ${chunk}, id, decode(hex, 'hex')
        from unnest(${ids}::uuid[], ${data}::text[]) as one (id, hex)`.execute(db);
    }
  }
  const { rows } = await sql<{ bytes: number }>`
    select (pg_total_relation_size('guest_metrics') + pg_total_relation_size('guest_metrics_recent'))::float8 as bytes`.execute(
    db,
  );
  return { instances: ids.length, bytes: rows[0]?.bytes ?? 0 };
}

const [what, databaseUrl] = process.argv.slice(2);
if (databaseUrl !== undefined) {
  const db = connect({ url: databaseUrl });
  process.stdout.write(JSON.stringify(what === "room" ? await room(db) : await samples(db)));
  await db.destroy();
}
