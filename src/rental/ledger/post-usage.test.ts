// Usage comes to the ledger in whole days, each second and each credit once, whatever changes afterwards and by which replica;
// and of a closed month it is the statement, to the micro-cent.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { booksDisagree } from "../../../test/support/books.ts";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { closeMonths } from "../billing/close-months.ts";
import { giveCredits } from "../billing/credits.ts";
import { closeSpansInThePast, openSpans } from "../billing/spans.ts";
import { listStatements } from "../billing/statements.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Principal } from "../service.ts";
import { readBalance } from "./balance.ts";
import { checkLedger, foundDifferences } from "./differences.ts";
import { type LedgerEntry, listEntries } from "./entries.ts";
import { lockPosting, postUsage } from "./post-usage.ts";

const world = worldOfFile();
const cent = 1_000_000n;
const day = 86_400n;
let principal: Principal;
let product: InstanceType;
beforeEach(async () => {
  principal = await world.account();
  await world.image();
  await world.host({ vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  product = await world.product({ gpus: 0, priceCentsPerHour: 3600 }); // a cent a second
});

/** The start of this day in UTC, and so long after it. */
const today = (after = "0 seconds") =>
  sql<Date>`((date_trunc('day', now() at time zone 'UTC') at time zone 'UTC') + ${after}::interval)`;

async function used(started: string, ended: string | null): Promise<string> {
  const { id } = await world.launchOne(principal, { instanceType: product.name });
  await sql`insert into billing_spans
      (instance_id, account_id, token_id, started_at, ended_at, price_cents_per_hour, discount_basis_points)
    values (${id}, ${principal.accountId}, ${principal.tokenId}, ${today(started)}, ${ended === null ? null : today(ended)}, 3600, 0)`.execute(
    world.db,
  );
  return id;
}

const entries = () => listEntries(world.db, principal.accountId, {});
const balance = () => readBalance(world.db, principal.accountId);
const sumOf = (list: readonly LedgerEntry[]) => list.reduce((sum, { amountMicroCents }) => sum + amountMicroCents, 0n);
/** How many seconds of this day have passed, at the time of the balance. */
const secondsAt = (at: Date) => BigInt(Math.floor(at.getTime() / 1000)) % day;

describe("usage", () => {
  it("is posted until the start of this day; what is newer lowers the balance at once", async () => {
    await used("-2 days", null);
    const before = await balance();
    expect(before).toMatchObject({ postedMicroCents: 0n, microCents: -(2n * day + secondsAt(before.at)) * cent });
    await postUsage(world.db);
    expect(sumOf(await entries())).toBe(-2n * day * cent);
    const after = await balance();
    expect(after.postedMicroCents).toBe(-2n * day * cent);
    expect(after.pendingMicroCents).toBe(secondsAt(after.at) * cent);
    expect(after.microCents).toBe(-(2n * day + secondsAt(after.at)) * cent);
  });

  it("is posted once, by however many at once", async () => {
    await used("-2 days", "-1 day");
    const posted = await Promise.all([1, 2, 3, 4].map(() => postUsage(world.db)));
    expect(posted.filter((count) => count > 0)).toHaveLength(1);
    expect(await postUsage(world.db)).toBe(0);
    expect(sumOf(await entries())).toBe(-day * cent);
  });

  it("of one who does not use anything has no entry", async () => {
    const idle = await world.account();
    await used("-2 days", "-1 day");
    await postUsage(world.db);
    expect(await listEntries(world.db, idle.accountId, {})).toEqual([]);
    expect(await readBalance(world.db, idle.accountId)).toMatchObject({ microCents: 0n });
  });

  it("that turns out to be less comes back as a further entry", async () => {
    const id = await used("-3 hours", null);
    await travel(world.db, "1 day");
    await postUsage(world.db);
    const posted = await entries();
    const { rows } = await sql<{
      until: Date;
    }>`select started_at + interval '1 hour' as until from billing_spans`.execute(world.db);
    await world.tx((tx) => closeSpansInThePast(tx, [{ instanceId: id, until: rows[0]?.until ?? new Date(0) }]));
    expect((await balance()).microCents).toBe(-3600n * cent);
    await postUsage(world.db);
    const all = await entries();
    expect(all.slice(-posted.length)).toEqual(posted);
    expect(all.length).toBeGreaterThan(posted.length);
    expect(sumOf(all)).toBe(-3600n * cent);
  });

  it("that costs nothing in the end is given back whole", async () => {
    await used("-60 seconds", null);
    await postUsage(world.db);
    expect(sumOf(await entries())).toBe(-60n * cent);
    // As when it is evicted soon enough.
    await sql`update billing_spans set ended_at = started_at`.execute(world.db);
    await postUsage(world.db);
    expect((await balance()).microCents).toBe(0n);
    expect(sumOf(await entries())).toBe(0n);
  });

  it("and credits are entries of their own, each once", async () => {
    await used("-30 hours", "-26 hours");
    await world.tx((tx) =>
      giveCredits(
        tx,
        "downtime",
        sql`(select instance_id, started_at as began_at, started_at + interval '1 hour' as ended_at from billing_spans)`,
      ),
    );
    expect((await balance()).microCents).toBe(-3n * 3600n * cent);
    await travel(world.db, "1 day");
    await postUsage(world.db);
    await postUsage(world.db);
    const all = await entries();
    const of = (kind: string) => sumOf(all.filter((entry) => entry.kind === kind));
    expect([of("usage"), of("credit")]).toEqual([-4n * 3600n * cent, 3600n * cent]);
    expect((await balance()).microCents).toBe(-3n * 3600n * cent);
  });

  it("that one with an earlier clock posts late takes nothing back", async () => {
    await used("-3 days", "-1 day");
    await postUsage(world.db);
    const all = await entries();
    // As if these entries were of days to come.
    await sql`set session_replication_role = replica; update ledger_entries set until = until + interval '1 day';
      delete from billing_spans; set session_replication_role = default`.execute(world.db);
    await postUsage(world.db);
    expect((await entries()).map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  });
});

describe("a month that is closed", () => {
  it("has been posted to the micro-cent, with all that was not posted before", async () => {
    product = await world.product({ gpus: 0, priceCentsPerHour: 1 });
    await used("-3 days -1 second", "-1 day 7 seconds");
    await used("-1 hour", null);
    await postUsage(world.db);
    await travel(world.db, "45 days");
    expect((await closeMonths(world.db)).length).toBeGreaterThan(0);
    const statements = (await listStatements(world.db, { accountId: principal.accountId })).filter(
      ({ closedAt }) => closedAt !== null,
    );
    for (const { month, costMicroCents } of statements) {
      expect(sumOf((await entries()).filter((entry) => entry.month === month))).toBe(-costMicroCents);
    }
    expect(await booksDisagree(world.db)).toEqual([]);
    const posted = await entries();
    expect(await closeMonths(world.db)).toEqual([]);
    expect(await entries()).toEqual(posted);
  });

  it("that a server of an older version closed is posted afterwards", async () => {
    await used("-40 days", "-39 days");
    await closeMonths(world.db);
    await sql`set session_replication_role = replica; delete from ledger_lines; delete from ledger_entries;
      set session_replication_role = default`.execute(world.db);
    expect(await booksDisagree(world.db)).toHaveLength(1);
    await postUsage(world.db);
    expect(await booksDisagree(world.db)).toEqual([]);
    expect((await balance()).microCents).toBe(-day * cent);
  });

  it("is closed after one who posts, and then has the rest", async () => {
    await used("-40 days", "-39 days");
    await travel(world.db, "2 days");
    const other = await begin(world.db);
    await lockPosting(other.tx);
    const closing = closeMonths(world.db);
    await untilWaiting(world.db);
    await other.commit();
    await closing;
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it("that has something else than its statement is found by the check, and counted", async () => {
    await used("-40 days", "-39 days");
    await closeMonths(world.db);
    expect(await foundDifferences(world.db)).toBeUndefined();
    expect(await checkLedger(world.db)).toEqual([]);
    await sql`set session_replication_role = replica; update ledger_lines set amount_micro_cents = amount_micro_cents - 1
      where ledger_account = 'balance'; set session_replication_role = default`.execute(world.db);
    const found = await checkLedger(world.db);
    expect(found).toEqual([
      expect.stringMatching(/^entry \d+: 2 lines add up to -1$/),
      expect.stringMatching(/^account \S+, usage of \d{4}-\d\d: posted -86400000001, its statement says -86400000000$/),
    ]);
    expect(await foundDifferences(world.db)).toBe(2);
  });
});

it("begins with a span, and openSpans' time is counted from then on", async () => {
  const { id } = await world.launchOne(principal, { instanceType: product.name });
  await world.tx((tx) => openSpans(tx, [id]));
  await travel(world.db, "100 seconds");
  expect((await balance()).microCents).toBeLessThanOrEqual(-100n * cent);
});
