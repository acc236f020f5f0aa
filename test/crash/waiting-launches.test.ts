// Launches that wait, on three real servers that are killed with kill -9 again and again while capacity comes in small
// pieces: three times as many as there will be places, and exactly the first ones are placed, in order, once each. And
// robots, which poll through all interfaces, and get only what no launch that waits could use.

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { variants } from "../conformance/variants.ts";
import { auditCapacity } from "../support/audit.ts";
import { freshDatabase } from "../support/database.ts";
import { anySeed, type Random, seeded } from "../support/random.ts";
import { extent, isShort } from "../support/short.ts";
import { afterTest } from "../support/when-over.ts";
import { figure } from "./figures.ts";
import { type Customer, type Fleet, furnish, gpuType, operatorToken, startFleet } from "./fleet.ts";
import { eachOf, persistently } from "./persistent-client.ts";
import { atRest, whatIsWrong } from "./verdict.ts";

const servers = 3;
const gpusPerHost = 8;
const hours = 3_600_000;

interface Stand {
  readonly fleet: Fleet;
  readonly db: Awaited<ReturnType<typeof freshDatabase>>["db"];
  readonly random: Random;
}

/** The first `full` hosts have instances of a tenant everywhere, the others are cordoned. The odd ones are in the south. */
async function stand(hosts: number, full: number): Promise<Stand & { tenant: Customer; tenants: string[] }> {
  const random = seeded(anySeed());
  const fresh = await freshDatabase();
  afterTest(() => fresh.close());
  const fleet = await startFleet({ databaseUrl: fresh.url, servers });
  await furnish(fleet, { hosts, gpusPerHost });
  for (let index = full; index < hosts; index++) await fleet.control("POST", `/hosts/host-${index}/cordon`);
  const tenant = await fleet.customer("tenant");
  const tenants: string[] = [];
  for (let host = 0; host < full; host++) {
    const { ids } = await launched(fleet, tenant, { quantity: gpusPerHost }, `tenant-${host}`);
    tenants.push(...ids);
  }
  return { fleet, db: fresh.db, random, tenant, tenants };
}

/** A launch over the control interface: what it answered with, and the ids of what it launched. */
async function launched(fleet: Fleet, { token }: Customer, order: object, key: string) {
  const url = (attempt: number) => `${fleet.one(attempt + key.length).bases.control}/instances`;
  const { answer } = await persistently({ url, token, key, body: { instance_type: gpuType, ...order } });
  // Instances, or the launch that waits: documented so, and conformance checks that.
  const { data } = answer.body as { data: { id: string }[] | { launch: { id: string } } };
  return Array.isArray(data)
    ? { answer, ids: data.map(({ id }) => id), launchId: undefined }
    : { answer, ids: [], launchId: data.launch.id };
}

/** It waits, because nothing is free. Gives its id. */
async function waits(fleet: Fleet, customer: Customer, order: object, key: string): Promise<string> {
  const wait = { until: new Date(Date.now() + hours).toISOString() };
  const { answer, launchId } = await launched(fleet, customer, { ...order, wait }, key);
  expect(answer.status, answer.text).toBe(202);
  if (launchId === undefined) throw new Error(`it does not wait: ${answer.text}`);
  return launchId;
}

async function uncordon(fleet: Fleet, host: number): Promise<void> {
  const url = (attempt: number) => `${fleet.one(attempt).bases.control}/hosts/host-${host}/uncordon`;
  const { answer } = await persistently({ url, token: operatorToken, body: {}, key: `uncordon-${host}` });
  expect(answer.status, answer.text).toBe(200);
}

async function terminate(fleet: Fleet, { token }: Customer, ids: readonly string[]): Promise<void> {
  const url = (attempt: number) => `${fleet.one(attempt).bases.direct}/instance/terminate`;
  const { answer } = await persistently({ url, token, body: { instanceUuids: ids }, key: `end-${ids[0]}` });
  expect(answer.status, answer.text).toBe(202);
}

/** Kills one of the servers after the other until `signal`, and starts each again. Gives how often. */
async function killing({ fleet, random }: Stand, signal: AbortSignal): Promise<number> {
  for (let kills = 0; ; kills++) {
    await sleep(300 + random.below(1200));
    if (signal.aborted) return kills;
    const victim = random.one(fleet.replicas);
    await victim.kill();
    await sleep(random.below(500));
    await victim.restart();
  }
}

/** Comes back when as many have been placed. Throws after a minute without one more. */
async function untilPlaced({ db }: Stand, count: number): Promise<void> {
  let [last, since] = [-1, performance.now()];
  for (;;) {
    const { rows } = await sql<{ placed: number }>`
      select count(*)::integer as placed from waiting_launches where state = 'placed'`.execute(db);
    const placed = rows[0]?.placed ?? 0;
    if (placed >= count) return;
    if (placed > last) [last, since] = [placed, performance.now()];
    if (performance.now() - since > 60_000) throw new Error(`${placed} of ${count} were placed, and then no more`);
    await sleep(50);
  }
}

interface Row {
  readonly id: string;
  readonly account_id: string;
  readonly state: string;
  readonly instance_ids: readonly string[];
  readonly ended_at: Date | null;
}

/** In order of arrival. */
async function line({ db }: Stand): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select id, account_id, state, instance_ids, ended_at from waiting_launches order by position`.execute(db);
  return rows;
}

/** One line for each thing that is wrong with launches that waited: instances, events, bills, order. */
async function wrongWithWaits({ db }: Stand): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    with placed as (select w.*, one as instance_id from waiting_launches w, unnest(w.instance_ids) one)
    select format('launch %s has instance %s of %s', p.id, p.instance_id, i.account_id) as line
    from placed p left join instances i on i.id = p.instance_id where i.account_id is distinct from p.account_id
    union all
    select format('instance %s is of %s launches', instance_id, count(*)) from placed group by instance_id having count(*) > 1
    union all
    select format('launch %s has %s of %s instances', id, cardinality(instance_ids), quantity) from waiting_launches
    where state = 'placed' and cardinality(instance_ids) <> quantity
    union all
    select format('instance %s is billed from %s, and was placed at %s', p.instance_id, s.started_at, p.ended_at)
    from placed p join billing_spans s on s.instance_id = p.instance_id where s.started_at < p.ended_at
    union all
    select format('launch %s is %s and was told of as %s', w.id, w.state, array_agg(e.type order by e.position))
    from waiting_launches w left join events e on e.subject_id = w.id group by w.id, w.state
    having coalesce(array_agg(e.type::text order by e.position), '{}') <> array['launch.waiting'] ||
      case when w.state = 'waiting' then '{}' else array['launch.' || w.state] end
    union all
    select format('launch %s still has its order', id) from waiting_launches
    where (state = 'waiting') <> (order_sealed is not null)`.execute(db);
  const ends = (await line({ db } as Stand)).flatMap(({ ended_at }) => (ended_at === null ? [] : [ended_at.getTime()]));
  const isInOrder = ends.every((end, index) => end >= (ends[index - 1] ?? 0));
  return [...rows.map(({ line }) => line), ...(isInOrder ? [] : ["launches of one line were placed out of order"])];
}

const hosts = extent(25, 4);
const places = hosts * gpusPerHost;

it(`${3 * places} waiting launches for ${places} places on ${servers} killed servers: the first ${places} are placed, in order`, async () => {
  const full = hosts >> 1;
  const it = await stand(hosts, full);
  const { fleet, db, random, tenant, tenants } = it;
  const customers = await Promise.all(["ada", "bob", "eve", "kim"].map((name) => fleet.customer(name)));
  const over = new AbortController();
  const kills = killing(it, over.signal);
  const begun = performance.now();
  let since = 0;
  const told: string[] = [];
  try {
    const numbers = Array.from({ length: 3 * places }, (_, index) => index);
    await eachOf(numbers, 24, async (number) => {
      told.push(await waits(fleet, random.one(customers), { name: `w-${number}` }, `wait-${number}`));
    });
    const ends = random.shuffled(tenants);
    const pieces: (() => Promise<void>)[] = [];
    for (let host = full; host < hosts; host++) pieces.push(() => uncordon(fleet, host));
    while (ends.length > 0) {
      const some = ends.splice(0, 1 + random.below(4));
      pieces.push(() => terminate(fleet, tenant, some));
    }
    for (const piece of random.shuffled(pieces)) {
      await piece();
      await sleep(random.below(isShort ? 400 : 800));
    }
    since = performance.now();
    await untilPlaced(it, places);
  } finally {
    over.abort();
    await kills;
  }
  const seconds = (performance.now() - since) / 1000;
  await atRest(db, 60);
  const rows = await line(it);
  const placed = rows.filter(({ state }) => state === "placed");
  figure("waiting launches that were placed", {
    reached: placed.length,
    toReach: places,
    of: `${rows.length} launches, ${servers} servers, ${await kills} kills, ${((performance.now() - begun) / 1000).toFixed(0)} s, the last ${seconds.toFixed(1)} s after the last capacity; seed ${random.seed}`,
  });
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(told));
  expect(rows).toHaveLength(3 * places);
  expect(rows.map(({ state }) => state)).toEqual(rows.map((_, index) => (index < places ? "placed" : "waiting")));
  const wrong = [
    ...(await wrongWithWaits(it)),
    ...(await whatIsWrong(db, {
      launched: [...tenants, ...placed.flatMap(({ instance_ids }) => instance_ids)],
      terminated: tenants,
    })),
  ];
  figure("waiting launches lost, doubled, billed early or out of order", { reached: wrong.length, toReach: 0 });
  expect(wrong).toEqual([]);
  await auditCapacity(db);
  expect(await kills).toBeGreaterThan(0);
});

const robots = extent(200, 40);
const waiters = extent(50, 13);
/** Of the north, behind all that wait. */
const leftOver = 11;

it(`${robots} robots on all interfaces next to ${waiters} launches that wait get only what those cannot use`, async () => {
  // host-0 is full; the even ones are in the north.
  const northern = Math.ceil((waiters + leftOver - gpusPerHost) / gpusPerHost);
  const it = await stand(2 * northern + 2, 1);
  const { fleet, db, random, tenant, tenants } = it;
  const [ada, eve] = [await fleet.customer("ada"), await fleet.customer("eve")];
  const expected = gpusPerHost + (northern + 1) * gpusPerHost - waiters;
  for (let number = 0; number < waiters; number++) {
    await waits(fleet, ada, { region: "north", name: `w-${number}` }, `wait-${number}`);
  }
  const over = new AbortController();
  const served = new Map<number, string[]>();
  const tries = new Map<string, number>();
  const race = Promise.all(
    Array.from({ length: robots }, (_, number) => robot(it, eve, number, { served, tries, signal: over.signal })),
  );
  race.catch(() => {});
  const kills = isShort ? Promise.resolve(0) : killing(it, over.signal);
  const robotsHave = async () => {
    const query = db.selectFrom("instances").select("name").where("account_id", "=", eve.accountId);
    return (await query.execute()).map(({ name }) => name);
  };
  const states = async () => (await line(it)).map(({ state }) => state);
  try {
    // Only robots can use the south.
    await uncordon(fleet, 1);
    await expect.poll(robotsHave, { timeout: 60_000 }).toHaveLength(gpusPerHost);
    expect(new Set(await states())).toEqual(new Set(["waiting"]));
    // The north in small pieces: as long as one waits, robots get nothing of it.
    const ends = random.shuffled(tenants);
    const pieces: (() => Promise<void>)[] = [];
    for (let host = 1; host <= northern; host++) pieces.push(() => uncordon(fleet, 2 * host));
    while (ends.length > 0) {
      const some = ends.splice(0, 1 + random.below(3));
      pieces.push(() => terminate(fleet, tenant, some));
    }
    for (const piece of random.shuffled(pieces)) {
      await piece();
      await sleep(random.below(300));
      // Before the others are counted: what was placed between the two would excuse a robot.
      const robotsHad = await robotsHave();
      if ((await states()).includes("waiting")) expect(robotsHad).toHaveLength(gpusPerHost);
    }
    await untilPlaced(it, waiters);
    await expect.poll(robotsHave, { timeout: 60_000 }).toHaveLength(expected);
  } finally {
    over.abort();
    await Promise.all([kills, race]);
  }
  await atRest(db, 60);
  const names = await robotsHave();
  const got = [...served.values()].flat();
  figure("places that robots got", {
    reached: names.length,
    toReach: expected,
    of: `${robots} robots, ${[...tries].map(([name, count]) => `${count} tries on ${name}`).join(", ")}, next to ${waiters} launches that wait; ${await kills} kills, seed ${random.seed}`,
  });
  expect(names).toHaveLength(expected);
  expect(new Set(names).size, "robots that were served").toBe(expected);
  expect([...served.values()].every((ids) => ids.length === 1)).toBe(true);
  expect(await states()).toEqual(Array.from({ length: waiters }, () => "placed"));
  const placed = (await line(it)).flatMap(({ instance_ids }) => instance_ids);
  const wrong = [
    ...(await wrongWithWaits(it)),
    ...(await whatIsWrong(db, { launched: [...tenants, ...placed, ...got], terminated: tenants })),
  ];
  figure("places of waiting launches that robots took, and what else was wrong", { reached: wrong.length, toReach: 0 });
  expect(wrong).toEqual([]);
  await auditCapacity(db);
});

interface Race {
  /** The instances of each that was served. */
  readonly served: Map<number, string[]>;
  /** By interface. */
  readonly tries: Map<string, number>;
  readonly signal: AbortSignal;
}

/** Launches on one interface after the other until it has an instance. */
async function robot({ fleet }: Stand, { token }: Customer, number: number, { served, tries, signal }: Race) {
  const name = `robot-${number}`;
  for (let turn = number; !signal.aborted; turn++) {
    // The last one is the control interface.
    const variant = variants[turn % (variants.length + 1)];
    const used = variant?.name ?? "control";
    tries.set(used, (tries.get(used) ?? 0) + 1);
    const path = variant?.launch.path ?? "/instances";
    const body = variant?.launch.body({ type: gpuType, name }) ?? { instance_type: gpuType, name };
    const url = (attempt: number) => `${fleet.one(turn + attempt).bases[used]}${path}`;
    const { answer } = await persistently({ url, token, body, key: `${name}-${turn}` });
    if (answer.status < 300) {
      const { data } = answer.body as { data: { id: string }[] };
      const ids = variant?.launch.ids(answer.body).map(String) ?? data.map(({ id }) => id);
      served.set(number, [...(served.get(number) ?? []), ...ids]);
      return;
    }
    expect(answer.text).toContain("insufficient-capacity");
    await sleep(50 + Math.random() * 200);
  }
}
