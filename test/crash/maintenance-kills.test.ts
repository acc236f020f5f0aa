// kill -9 of servers while maintenance windows begin and end, again and again, at any point of it: the next server carries
// on, each window begins and ends once, each instance stops and starts once for it, and the hosts end as they were.

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { beforeAll, expect, it } from "vitest";
import { auditEverything } from "../support/audit.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { call } from "../support/http.ts";
import { extent } from "../support/short.ts";
import { afterFile } from "../support/when-over.ts";
import { figure } from "./figures.ts";
import { type Customer, type Fleet, furnish, gpuType, startFleet } from "./fleet.ts";
import { atRest } from "./verdict.ts";

const rounds = extent(20, 2);
const hosts = 8;
const windowSeconds = 6;

const whenOver = afterFile();
let fresh: FreshDatabase;
let fleet: Fleet;
let ada: Customer;

beforeAll(async () => {
  fresh = await freshDatabase();
  whenOver(() => fresh.close());
  const settings = { reconciler: { limit_check_seconds: 1 } };
  fleet = await startFleet({ databaseUrl: fresh.url, servers: 2, settings, whenOver });
  await furnish(fleet, { hosts, gpusPerHost: 2 });
  for (let index = 0; index < hosts; index++)
    await fleet.control("PATCH", `/hosts/host-${index}`, { labels: { rack: "r1" } });
  ada = await fleet.customer("ada");
  for (const region of ["north", "south"]) {
    const order = { instance_type: gpuType, region, quantity: hosts - 1 };
    const { status, text } = await call("POST", `${fleet.one(0).bases.control}/instances`, {
      token: ada.token,
      body: order,
    });
    expect(status, text).toBe(200);
  }
  await atRest(fresh.db, 60);
});

/** Windows that are not over. */
async function open(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from maintenance_windows where ended_at is null`.execute(fresh.db);
  return rows[0]?.count ?? Number.NaN;
}

async function untilOver(): Promise<void> {
  for (const since = performance.now(); (await open()) > 0; await sleep(100))
    if (performance.now() - since > 60_000) throw new Error("maintenance windows do not end");
}

it(`lets windows of ${hosts} hosts begin and end once, ${rounds} times with a kill`, async () => {
  for (let round = 0; round < rounds; round++) {
    const now = Date.now();
    await fleet.control("POST", "/maintenance-windows", {
      selector: "rack=r1",
      from: new Date(now).toISOString(),
      to: new Date(now + windowSeconds * 1000).toISOString(),
      mode: "stop",
      reason: `round ${round}`,
    });
    const victim = fleet.replicas[round % fleet.replicas.length];
    if (victim === undefined) throw new Error("BUG: the remainder is in the list");
    // Half of the kills come at the beginning, half at the end.
    await sleep((round % 2) * windowSeconds * 1000 + Math.random() * 2000);
    await victim.kill();
    await victim.restart();
    await untilOver();
    await expect.poll(() => stillStopped(), { timeout: 60_000 }).toBe(0);
    await atRest(fresh.db, 60);
  }
  const wrong = [...(await wrongWindows()), ...(await wrongStories()), ...(await wrongHosts())];
  const { capacity, spans, events, lost, orphans } = await auditEverything(fresh.db);
  const all = [...wrong, ...capacity, ...spans, ...events, ...lost, ...orphans];
  figure("lost or doubled by kills during maintenance", {
    reached: all.length,
    toReach: 0,
    of: `${rounds} kills, ${rounds * hosts} windows, ${2 * hosts - 2} instances`,
  });
  expect(all).toEqual([]);
});

async function stillStopped(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from instances where stopped_for is not null or state <> 'active'`.execute(
    fresh.db,
  );
  return rows[0]?.count ?? Number.NaN;
}

/** Each began and ended, and its account was told of each once. */
async function wrongWindows(): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select format('window %s of %s is %s, and its account was told %s', w.id, w.host, w.phase, told.types) as line
    from maintenance_windows w cross join lateral (
      select string_agg(type, ' ' order by position) as types from events
      where subject_id = w.id and account_id is not null) told
    where w.phase <> 'ended'
      or told.types <> 'maintenance.scheduled maintenance.started maintenance.ended'`.execute(fresh.db);
  return rows.map(({ line }) => line);
}

/** Each instance stopped and started once for each round. */
async function wrongStories(): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select format('instance %s was %s times %s', subject_id, count(*), type) as line from events
    where type in ('instance.stopping', 'instance.stopped', 'instance.booting', 'instance.active')
    group by subject_id, type
    having count(*) <> ${rounds}::integer + (type in ('instance.booting', 'instance.active'))::integer`.execute(
    fresh.db,
  );
  return rows.map(({ line }) => line);
}

async function wrongHosts(): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select format('host %s is %s', name, state) as line from hosts where state <> 'up'`.execute(fresh.db);
  return rows.map(({ line }) => line);
}
