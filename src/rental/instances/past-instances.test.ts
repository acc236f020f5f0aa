// An instance that ended long ago is gone from the lists, and nothing of what it was billed is.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { booksDisagree } from "../../../test/support/books.ts";
import { begin } from "../../../test/support/interleave.ts";
import { refusal } from "../../../test/support/refusals.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { closeMonths } from "../billing/close-months.ts";
import { openSpans } from "../billing/spans.ts";
import { spentByTokens } from "../billing/spent.ts";
import { listStatements, monthOf, statementLines } from "../billing/statements.ts";
import { totalCost, usageLines } from "../billing/usage.ts";
import { usageParts } from "../billing/usage-parts.ts";
import type { Principal } from "../service.ts";
import type { InstanceType } from "./instance.ts";
import { listAll, read, readAny } from "./instance-store.ts";
import { deleteOldInstances } from "./past-instances.ts";
import { recordObservation } from "./record-observation.ts";

const world = worldOfFile();
let product: InstanceType;
let principal: Principal;
beforeEach(async () => {
  await world.image();
  await world.host({ gpus: 8, vcpus: 500, memoryGib: 9000, storageGb: 90_000 });
  product = await world.product({ priceCentsPerHour: 199 });
  principal = await world.account();
});

const never = new AbortController().signal;
const clean = (batch?: number, signal = never) => deleteOldInstances(world.db, 30, signal, batch);

/** Active for a day and a bit, and gone. */
async function ended(of = principal): Promise<string> {
  const coupon = await world.coupon({ discountBasisPoints: 3333 });
  const { id } = await world.launchOne(of, { instanceType: product.name, coupon: coupon.code });
  await world.put(id, "active");
  await world.tx((tx) => openSpans(tx, [id]));
  await travel(world.db, "25 hours 17 seconds");
  await world.change(of, "terminate", [id]);
  const { generation } = await row(id);
  expect(await world.tx((tx) => recordObservation(tx, { id, generation }, "removed", {}))).toBe(true);
  return id;
}

const row = (id: string) => world.db.selectFrom("instances").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
const kept = async () => (await listAll(world.db, {})).map(({ id }) => id);

/** Everything that can be asked about money. */
async function bills() {
  const { accountId, tokenId } = principal;
  const time = { from: new Date("2020-01-01T00:00:00Z"), to: undefined };
  // What goes on would cost more each time: the moment is one that is over.
  const { rows } = await sql<{ month: string }>`
    select distinct to_char(started_at at time zone 'UTC', 'YYYY-MM') as month from billing_spans`.execute(world.db);
  const months = rows.flatMap(({ month }) => monthOf(month) ?? []);
  return {
    lines: await usageLines(world.db, { accountId }),
    ofToken: await usageLines(world.db, { tokenId }),
    total: await totalCost(world.db, { accountId, tokenId }),
    days: await usageParts(world.db, { ...time, accountId, unit: "day", per: "instance" }),
    months: await usageParts(world.db, { ...time, tokenId, unit: "month", per: "instance" }),
    spent: await spentByTokens(world.db, accountId, [tokenId]),
    statements: await listStatements(world.db, { accountId }),
    ofMonths: await Promise.all(months.map((month) => statementLines(world.db, month, { accountId }))),
  };
}

describe("a terminated instance", () => {
  it("is kept for as long as it can be read, and then deleted with everything that was sealed for it", async () => {
    const id = await ended();
    await travel(world.db, "29 days 23 hours");
    expect(await clean()).toBe(0);
    expect((await read(world.db, world.service, principal, id)).id).toBe(id);
    await travel(world.db, "1 hour");
    expect(await clean()).toBe(1);
    await refusal("unknown-object", readAny(world.db, id));
    const { rows } = await sql`select * from past_instances`.execute(world.db);
    expect(rows).toEqual([
      {
        id,
        name: expect.any(String),
        instance_type: product.name,
        region: "north",
        failure_code: null,
        ended_by: "customer",
        reservation_id: null,
      },
    ]);
  });

  it("leaves the books as they are, and what lives alone", async () => {
    await ended();
    const { id } = await world.launchOne(principal, { instanceType: product.name });
    const stopped = await world.launchOne(principal, { instanceType: product.name });
    await world.put(stopped.id, "stopped");
    await travel(world.db, "400 days");
    expect(await booksDisagree(world.db)).toEqual([]);
    expect(await clean()).toBe(1);
    expect(await booksDisagree(world.db)).toEqual([]);
    expect(await kept()).toEqual([id, stopped.id]);
  });

  it("is billed as before, line by line, by day, by month, by token and on statements, to the micro-cent", async () => {
    await ended();
    await ended(await world.account());
    await ended();
    await travel(world.db, "31 days");
    const before = await bills();
    expect(before.lines).toHaveLength(2);
    expect(before.lines[0]?.costMicroCents).toBeGreaterThan(0n);
    expect(before.days.length).toBeGreaterThan(2);
    expect(await clean()).toBe(3);
    expect(await bills()).toEqual(before);
  });

  it("is on the statement of a month that was closed after it was gone", async () => {
    await ended();
    // As where it can be read for less than a month: gone before its month can be closed.
    expect(await deleteOldInstances(world.db, 0, never)).toBe(1);
    const computed = await bills();
    await travel(world.db, "65 days");
    expect((await closeMonths(world.db)).length).toBeGreaterThan(0);
    const closed = await bills();
    expect(closed.total).toEqual(computed.total);
    const lines = closed.ofMonths.flat();
    expect(lines.length).toBeGreaterThan(0);
    expect(lines[0]?.subject.name).toBe(computed.lines[0]?.subject.name);
    const sum = lines.reduce((cents, line) => cents + line.costMicroCents, 0n);
    expect(sum).toBe(closed.total.costMicroCents);
    expect(await bills()).toEqual(closed);
  });
});

describe("deleting terminated instances", () => {
  it("takes a bounded number at a time, the oldest first, until all are gone", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await ended());
    await travel(world.db, "31 days");
    const controller = new AbortController();
    controller.abort();
    expect(await clean(2, controller.signal)).toBe(0);
    expect(await kept()).toEqual(ids);
    expect(await clean(2)).toBe(5);
    expect(await kept()).toEqual([]);
  });

  it("waits for nobody who has one locked, and comes back for it", async () => {
    const [locked, free] = [await ended(), await ended()];
    await travel(world.db, "31 days");
    const open = await begin(world.db);
    await sql`select from instances where id = ${locked} for update`.execute(open.tx);
    expect(await clean()).toBe(1);
    expect(await kept()).toEqual([locked]);
    expect(free).not.toBe(locked);
    await open.commit();
    expect(await clean()).toBe(1);
  });

  it("by several servers at once deletes each once", async () => {
    for (let n = 0; n < 6; n++) await ended();
    await travel(world.db, "31 days");
    const counts = await Promise.all([clean(1), clean(2), clean(1)]);
    expect(counts.reduce((sum, count) => sum + count, 0) + (await clean())).toBe(6);
    const { rows } = await sql<{ count: number }>`select count(*) as count from past_instances`.execute(world.db);
    expect(rows).toEqual([{ count: 6 }]);
  });

  it("is refused by the database for one that holds something still", async () => {
    const id = await ended();
    await travel(world.db, "31 days");
    await sql`update gpus set instance_id = ${id} where address = '0000:01:00.0'`.execute(world.db);
    await expect(clean()).rejects.toThrow(/foreign key/);
    expect(await kept()).toEqual([id]);
  });

  it("finds them by an index of their own, and none that lives is in it", async () => {
    const { rows } = await world.tx(async (tx) => {
      await sql`set local enable_seqscan = off`.execute(tx);
      return sql<{ "QUERY PLAN": string }>`explain select id from instances
        where terminated_at <= now() - make_interval(days => 30) order by terminated_at limit 10`.execute(tx);
    });
    expect(rows.map((line) => line["QUERY PLAN"]).join("\n")).toContain("instances_ended");
  });
});
