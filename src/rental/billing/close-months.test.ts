// A month that is over is closed for good: its statements are the usage of the month, and nothing changes them.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import { connect } from "../../database/connect.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Principal } from "../service.ts";
import { closeMonths } from "./close-months.ts";
import { closeSpans, openSpans } from "./spans.ts";
import { listStatements, monthOf, statementLines, statementSum } from "./statements.ts";
import { totalCost } from "./usage.ts";

const world = worldOfFile();
let principal: Principal;
let product: InstanceType;
beforeEach(async () => {
  principal = await world.account();
  await world.image();
  await world.host({ vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  product = await world.product({ gpus: 0, priceCentsPerHour: 3600 });
});

/** This month's first moment, in UTC, and so many months from it. */
const monthStart = (months = 0) =>
  sql<Date>`((date_trunc('month', now() at time zone 'UTC') + make_interval(months => ${months}::integer)) at time zone 'UTC')`;
const cent = 1_000_000n;

/** The name of the month that is so many months from this one. */
async function monthName(months: number): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select to_char(${monthStart(months)} at time zone 'UTC', 'YYYY-MM') as name`.execute(world.db);
  return only(rows).name;
}

/** An instance used from so long after the month's first moment until so long after that of the second; null: goes on. */
async function used(from: [month: number, after: string], to: [month: number, after: string] | null, by = principal) {
  const { id } = await world.launchOne(by, { instanceType: product.name });
  await sql`insert into billing_spans
      (instance_id, account_id, token_id, started_at, ended_at, price_cents_per_hour, discount_basis_points)
    values (${id}, ${by.accountId}, ${by.tokenId}, ${monthStart(from[0])} + ${from[1]}::interval,
      ${to === null ? sql`null` : sql`${monthStart(to[0])} + ${to[1]}::interval`}, 3600, 0)`.execute(world.db);
  return id;
}

async function month(months: number) {
  const found = monthOf(await monthName(months));
  if (found === undefined) throw new Error("it is a month");
  return found;
}

const statements = (accountId = principal.accountId) => listStatements(world.db, { accountId });
const allStatements = () => listStatements(world.db, { accountId: undefined });
/** Half an hour into the month there is nothing to close yet, so these tests move what was to the month before. */
const inOneMonth = async () =>
  (await sql<{ early: boolean }>`select now() < ${monthStart()} + interval '1 hour' as early`.execute(world.db)).rows[0]
    ?.early === true
    ? [-2, -1]
    : [-1, 0];

describe("closing", () => {
  it("writes a line for each instance used in the month, and the sum is the usage", async () => {
    const [last = -1] = await inOneMonth();
    const first = await used([last, "1 day"], [last, "1 day 1 hour"]);
    const second = await used([last - 1, "27 days"], [last, "10 seconds"]);
    await used([last, "2 days"], [last, "2 days"]);
    expect(await closeMonths(world.db)).toEqual([await monthName(last - 1), await monthName(last)]);
    const closed = await month(last);
    const sum = await statementSum(world.db, closed, principal.accountId);
    expect(sum).toEqual({
      closedAt: expect.any(Date),
      instances: 2,
      seconds: 3610,
      downtimeSeconds: 0,
      costMicroCents: 3610n * cent,
      creditMicroCents: 0n,
    });
    expect(sum).toMatchObject(await totalCost(world.db, { accountId: principal.accountId, ...closed }));
    const lines = await statementLines(world.db, closed, { accountId: principal.accountId });
    expect(lines.map(({ subject, seconds, costMicroCents }) => [subject.id, seconds, costMicroCents])).toEqual([
      [first, 3600, 3600n * cent],
      [second, 10, 10n * cent],
    ]);
    expect(lines[0]).toMatchObject({ instanceType: product.name, region: "north", priceCentsPerHour: 3600 });
  });

  it("changes no number: before it the same was computed", async () => {
    const [last = -1, next = 0] = await inOneMonth();
    await used([last - 2, "3 days"], [last, "5 days"]);
    await used([last, "9 days"], [next, "0 seconds"], await world.account());
    const numbers = async () => (await allStatements()).map(({ closedAt, ...rest }) => rest);
    const linesNow = async () => statementLines(world.db, await month(last), { accountId: undefined });
    const [before, lines] = [await numbers(), await linesNow()];
    expect(before).toHaveLength(4);
    await closeMonths(world.db);
    expect(await numbers()).toEqual(before);
    expect(await linesNow()).toEqual(lines);
    expect((await allStatements()).every(({ closedAt }) => closedAt !== null)).toBe(true);
  });

  it("leaves the month that goes on open", async () => {
    await used([-2, "0 seconds"], null);
    await closeMonths(world.db);
    const open = (await statements()).filter(({ closedAt }) => closedAt === null).map((one) => one.month);
    expect(open).toContain(await monthName(0));
  });

  it("gives an account without use no statement", async () => {
    const idle = await world.account();
    const [last = -1] = await inOneMonth();
    await used([last, "1 day"], [last, "1 day 1 second"]);
    await closeMonths(world.db);
    expect(await statements(idle.accountId)).toEqual([]);
    await expect(statementSum(world.db, await month(last), idle.accountId)).rejects.toMatchObject({
      kind: "unknown-object",
    });
  });

  it("closes months without use too, one after the other, and nothing where nothing was ever used", async () => {
    expect(await closeMonths(world.db)).toEqual([]);
    const [last = -1] = await inOneMonth();
    await used([last - 3, "0 seconds"], [last - 3, "1 second"]);
    expect(await closeMonths(world.db)).toHaveLength(4);
    expect(await closeMonths(world.db)).toEqual([]);
    expect(await statements()).toHaveLength(1);
  });

  it("happens once when several servers do it at once", async () => {
    const [last = -1] = await inOneMonth();
    for (let day = 1; day < 20; day++) await used([last, `${day} days`], [last, `${day} days 1 minute`]);
    const closed = await Promise.all(Array.from({ length: 4 }, () => closeMonths(world.db)));
    expect(closed.flat()).toEqual([await monthName(last)]);
    expect((await statementSum(world.db, await month(last), principal.accountId)).instances).toBe(19);
  });

  it("waits for who has written a span and not committed", async () => {
    const [last = -1] = await inOneMonth();
    await used([last, "1 day"], null);
    await using open = await begin(world.db);
    await sql`update billing_spans set ended_at = started_at + interval '1 hour'`.execute(open.tx);
    const closing = closeMonths(world.db);
    await untilWaiting(world.db);
    await open.commit();
    expect(await closing).toEqual([await monthName(last)]);
    expect((await statementSum(world.db, await month(last), principal.accountId)).seconds).toBe(3600);
  });

  it("gives up when that takes long, and does it the next time", async () => {
    const [last = -1] = await inOneMonth();
    await used([last, "1 day"], [last, "2 days"]);
    const open = await begin(world.db);
    await sql`update billing_spans set ended_at = ended_at`.execute(open.tx);
    expect(await closeMonths(world.db)).toEqual([]);
    await open.rollback();
    expect(await closeMonths(world.db)).toHaveLength(1);
  });

  it("leaves a month alone while a transaction that began in it is running", async () => {
    const [last = -1] = await inOneMonth();
    await used([last, "1 day"], [last, "2 days"]);
    // The clock cannot be moved, so pg_stat_activity is: one in front of the real one says that it began back then.
    const name = /@\/(\w+)/.exec(world.url)?.[1] ?? "";
    await sql`create schema back_then`.execute(world.db);
    await sql`create view back_then.pg_stat_activity as
      select current_database() as datname, -1 as pid, 'client backend'::text as backend_type,
        (date_trunc('month', now() at time zone 'UTC') + make_interval(months => ${sql.lit(last)}, days => 27))
          at time zone 'UTC' as xact_start`.execute(world.db);
    await sql`alter database ${sql.ref(name)} set search_path = back_then, pg_catalog, public`.execute(world.db);
    const elsewhere = connect(world.config);
    expect(await closeMonths(elsewhere)).toEqual([]);
    await elsewhere.destroy();
    await sql`alter database ${sql.ref(name)} reset search_path`.execute(world.db);
    await sql`drop schema back_then cascade`.execute(world.db);
    expect(await closeMonths(world.db)).toHaveLength(1);
  });
});

describe("a closed month", () => {
  it.each([
    "update closed_months set closed_at = now()",
    "delete from closed_months",
    "truncate closed_months cascade",
    "update statement_lines set cost_micro_cents = 0",
    "update statement_lines set seconds = seconds",
    "delete from statement_lines",
    "truncate statement_lines",
    "insert into statement_lines select account_id, month, gen_random_uuid(), instance_name, instance_type, region, seconds, price_cents_per_hour, discount_basis_points, coupon_code, 1000000000 from statement_lines",
    "update billing_spans set price_cents_per_hour = 1",
    "update billing_spans set ended_at = ended_at + interval '40 days'",
    "update billing_spans set started_at = now()",
    "delete from billing_spans",
  ])("is not changed by: %s", async (statement) => {
    const [last = -1] = await inOneMonth();
    await used([last, "1 day"], [last, "2 days"]);
    await closeMonths(world.db);
    const before = await statements();
    await expect(sql.raw(statement).execute(world.db)).rejects.toThrow(/never changes/);
    expect(await statements()).toEqual(before);
  });

  it("gets no span by hand, and one that runs through it ends behind it only", async () => {
    const [last = -1] = await inOneMonth();
    const running = await used([last, "1 day"], null);
    await closeMonths(world.db);
    await expect(used([last, "2 days"], null)).rejects.toThrow(/never changes/);
    const end = (at: ReturnType<typeof monthStart>) =>
      sql`update billing_spans set ended_at = ${at} where instance_id = ${running}`.execute(world.db);
    await expect(end(monthStart(last))).rejects.toThrow();
    await expect(end(sql<Date>`${monthStart(last)} + interval '3 days'`)).rejects.toThrow(/never changes/);
    await end(sql<Date>`now()`);
  });

  it("gets no span, though the clock be set back: spans begin and end behind it", async () => {
    const running = await used([-1, "1 day"], null);
    const { id } = await world.launchOne(principal, { instanceType: product.name });
    await sql`insert into closed_months (month) select (${monthStart()} at time zone 'UTC')::date`.execute(world.db);
    await world.tx((tx) => openSpans(tx, [id]));
    await world.tx((tx) => closeSpans(tx, [running, id]));
    const { rows } = await sql<{ behind: boolean }>`
      select ended_at >= ${monthStart(1)} and (instance_id = ${running} or started_at = ended_at) as behind
      from billing_spans`.execute(world.db);
    expect(rows).toEqual([{ behind: true }, { behind: true }]);
  });
});

describe("the list of statements", () => {
  it("comes page by page, oldest first: each once", async () => {
    const other = await world.account();
    await used([-3, "1 day"], [0, "0 seconds"]);
    await used([-2, "1 day"], [-1, "1 day"], other);
    await closeMonths(world.db);
    const all = await allStatements();
    expect(all).toHaveLength(5);
    expect(all.map(({ key }) => key)).toEqual(all.map(({ key }) => key).sort());
    const first = await listStatements(world.db, { accountId: undefined, limit: 2 });
    const rest = await listStatements(world.db, { accountId: undefined, after: first.at(-1)?.key });
    expect([...first, ...rest]).toEqual(all);
    expect(await statements(other.accountId)).toHaveLength(2);
    expect(await statements("nonsense")).toEqual([]);
  });
});

describe("a month's name", () => {
  it.each(["2026-13", "2026-00", "26-01", "2026-1", "2026-01-01", "", "1969-12", "2026-01\n"])("is not %j", (name) => {
    expect(monthOf(name)).toBeUndefined();
  });

  it("is that from its first moment in UTC until before the next one's", () => {
    expect(monthOf("2024-12")).toEqual({
      name: "2024-12",
      from: new Date("2024-12-01T00:00:00Z"),
      to: new Date("2025-01-01T00:00:00Z"),
    });
  });
});
