// A year of work, made by SQL: 200,000 instances that ended and 1,000,000 events. What it leaves behind does not slow a
// launch, held against a world where nothing has happened: by the rows that PostgreSQL reads for a launch, which do not
// depend on the machine, and roughly by the time. And what is deleted costs no account a cent. In short: a twenty-fifth of it.

import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connect, type Database } from "../../src/database/connect.ts";
import { inTransaction } from "../../src/database/transaction.ts";
import { createToken } from "../../src/rental/accounts/token-store.ts";
import { listStatements } from "../../src/rental/billing/statements.ts";
import { totalCost } from "../../src/rental/billing/usage.ts";
import type { Principal } from "../../src/rental/service.ts";
import { booksDisagree } from "../support/books.ts";
import { launch } from "../support/launch-all.ts";
import { extent } from "../support/short.ts";
import { launchOrder, makeWorld, only, type World } from "../support/world.ts";
import { maintain, yearOfEvents, yearOfInstances } from "../support/year-of-work.ts";
import { figure } from "./figures.ts";

const ended = extent(200_000, 8_000);
const told = extent(1_000_000, 40_000);
const launches = 50;
const day = 86_400_000;
const muchCents = 1e12;

interface Place {
  readonly world: World;
  readonly principal: Principal;
  readonly instanceType: string;
  /** Nobody else works on it, so that what it reads is what launches read. */
  readonly db: Database;
}

let empty: Place;
let busy: Place;
beforeAll(async () => {
  [empty, busy] = await Promise.all([place(), place()]);
});
afterAll(() =>
  Promise.all(
    [empty, busy].map(async ({ db, world }) => {
      await db.destroy();
      await world.close();
    }),
  ),
);

/** Room for everything, and a principal whose account and token are limited, so that launches ask what was spent. */
async function place(): Promise<Place> {
  const world = await makeWorld();
  await world.image();
  await world.host({ vcpus: 100_000, memoryGib: 1_000_000, storageGb: 10_000_000 });
  const { name } = await world.product({ gpus: 0, vcpus: 1, memoryGib: 1, storageGb: 1 });
  const { accountId, scopes } = await world.account();
  const token = { accountId, name: "limited", scopes: ["write"] as const, expiresAt: null, spendLimitCents: muchCents };
  const principal = { accountId, scopes, tokenId: (await world.tx((tx) => createToken(tx, token))).id };
  await sql`update accounts set spend_limit_cents = ${muchCents} where id = ${accountId}`.execute(world.db);
  const db = connect({ url: world.url, maxConnections: 1, statementTimeoutMs: 300_000 });
  return { world, principal, instanceType: name, db };
}

async function launchIn({ world, principal, instanceType, db }: Place): Promise<number> {
  const began = performance.now();
  await inTransaction(db, (tx) => launch(tx, world.service, principal, launchOrder({ instanceType })));
  return performance.now() - began;
}

/** One here, one there, so that both meet the same moments of the machine. The median of each, in milliseconds. */
async function medians(): Promise<{ empty: number; busy: number }> {
  const times: [number, number][] = [];
  for (let n = 0; n < launches; n++) times.push([await launchIn(empty), await launchIn(busy)]);
  const median = (of: 0 | 1) => times.map((both) => both[of]).sort((a, b) => a - b)[launches / 2] ?? 0;
  return { empty: median(0), busy: median(1) };
}

/** Ends all other connections to the database: each counts what it has read seconds later, when it is idle or ends. */
async function alone({ db }: Place): Promise<void> {
  const others = async () => {
    const { rows } = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`.execute(db);
    return rows.length;
  };
  await expect.poll(others).toBe(0);
}

/** Rows that ten launches read, table by table; of tables of which nothing is read there is no word. */
async function rowsRead(at: Place): Promise<Record<string, number>> {
  const before = await counts(at);
  for (let n = 0; n < 10; n++) await launchIn(at);
  const after = await counts(at);
  const read = Object.entries(after).map(([table, rows]): [string, number] => [table, rows - (before[table] ?? 0)]);
  return Object.fromEntries(read.filter(([, rows]) => rows > 0));
}

async function counts({ db }: Place): Promise<Record<string, number>> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ table: string; read: number }>`
    select relname as table, (seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as read from pg_stat_user_tables
    where schemaname = 'public'`.execute(db);
  return Object.fromEntries(rows.map(({ table, read }) => [table, read]));
}

/** As autovacuum does it, which is off in tests. */
const tidy = () => Promise.all([empty, busy].map(({ db }) => sql`vacuum analyze`.execute(db)));

it("does not slow a launch, and what is deleted of it leaves every bill as it is", { timeout: 600_000 }, async () => {
  const { db, principal } = busy;
  const ofAccount = { accountId: principal.accountId };
  const ofToken = { tokenId: principal.tokenId };
  // Older than what launches from now on write.
  await sql`delete from events`.execute(db);
  await yearOfEvents(db, principal.accountId, told);
  const { id } = await busy.world.launchOne(principal, { instanceType: busy.instanceType });
  await yearOfInstances(db, id, ended);
  // As many live ones in both: a launch with a spend limit adds up what they may cost.
  await empty.world.launchOne(empty.principal, { instanceType: empty.instanceType });
  await tidy();
  const before = [await totalCost(db, ofAccount), await totalCost(db, ofToken)];

  await maintain(db);
  expect([await totalCost(db, ofAccount), await totalCost(db, ofToken)]).toEqual(before);
  const { rows } = await sql<Record<"terminated" | "past" | "events" | "spans" | "months", number>>`
    select (select count(*) from instances where terminated_at is not null) as terminated,
      (select count(*) from past_instances) as past, (select count(*) from events) as events,
      (select count(*) from billing_spans) as spans, (select count(*) from closed_months) as months`.execute(db);
  const left = only(rows);
  expect(left.terminated + left.past).toBe(ended);
  expect(left.terminated).toBeLessThan((ended * 31) / 365);
  expect(left.events).toBeLessThan((told * 91) / 365);
  expect(left.spans).toBe(ended);
  expect(left.months).toBeGreaterThanOrEqual(11);
  const statements = await listStatements(db, ofAccount);
  expect(statements.reduce((sum, { costMicroCents }) => sum + costMicroCents, 0n)).toBe(before[0]?.costMicroCents);
  expect(await booksDisagree(db)).toEqual([]);

  await tidy();
  await medians();
  await Promise.all([alone(empty), alone(busy)]);
  const [ofEmpty, ofBusy] = [await rowsRead(empty), await rowsRead(busy)];
  const { billing_spans: spansRead = 0, ...others } = ofBusy;
  expect(others).toEqual(ofEmpty);
  expect(Object.keys(others)).toContain("hosts");
  // What was spent is added up of this month and of nothing older: for the account and for the token, before a launch
  // looks for room and once more when it has it.
  const now = new Date();
  const ofMonth = now.getTime() - Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  expect(spansRead / 10).toBeLessThanOrEqual(4 * ((ended * ofMonth) / (365 * day) + 100));

  // Without limits there is nothing to add up.
  for (const { db, principal: who } of [empty, busy]) {
    await sql`update accounts set spend_limit_cents = null where id = ${who.accountId}`.execute(db);
    await sql`update tokens set spend_limit_cents = null where id = ${who.tokenId}`.execute(db);
  }
  const times = await medians();
  figure("launch after a year of work against one in an empty world", {
    reached: (times.busy / times.empty).toFixed(2),
    toReach: "at most 1.6, for machines that have other things to do",
    of: `medians of ${launches} launches each; ${ended} instances ended, ${told} events`,
  });
  expect(times.busy / times.empty, `${times.busy} ms against ${times.empty} ms`).toBeLessThan(1.6);
});
