// What a rental costs so far: by the second, from first active to the request to terminate.

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { travel } from "../../../test/support/time-travel.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import { costMicroCents } from "../../rules/cost.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Principal } from "../service.ts";
import { openSpans } from "./spans.ts";
import { costSoFar, totalCost, type UsageOf, usageLines } from "./usage.ts";

const world = worldOfFile();

const costOf = async (usage: UsageOf) => (await totalCost(world.db, usage)).costMicroCents;
let principal: Principal;
let product: InstanceType;
beforeEach(async () => {
  principal = await world.account();
  await world.image();
  await world.host({ vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  product = await world.product({ gpus: 0, priceCentsPerHour: 3600 });
});

/** An instance that has become active just now. 3600 cents an hour are a cent a second. */
async function active(spec: { coupon?: string; principal?: Principal } = {}): Promise<string> {
  const { id } = await world.launchOne(spec.principal ?? principal, {
    instanceType: product.name,
    coupon: spec.coupon,
  });
  await world.put(id, "active");
  await world.tx((tx) => openSpans(tx, [id]));
  return id;
}

const cent = 1_000_000n;
/** The database's clock ran on by at most this many seconds while a test ran. */
const slack = 30n * cent;
const linesOf = (accountId: string | undefined = principal.accountId) => usageLines(world.db, { accountId });

function expectAbout(cost: bigint, expected: bigint): void {
  expect(cost >= expected && cost < expected + slack, `${cost} for ${expected}`).toBe(true);
}

describe("usage", () => {
  it("is nothing before an instance was active", async () => {
    const { id } = await world.launchOne(principal, { instanceType: product.name });
    expect(await linesOf()).toEqual([]);
    expect(await costSoFar(world.db, id)).toBe(0n);
  });

  it("grows with every second, and a line says what of", async () => {
    const id = await active();
    await travel(world.db, "10 minutes");
    const line = only(await linesOf());
    expect(line).toMatchObject({
      accountId: principal.accountId,
      subject: { kind: "instance", id, name: expect.any(String) },
      instanceType: product.name,
      region: "north",
      endedAt: null,
      priceCentsPerHour: 3600,
      discountBasisPoints: 0,
      couponCode: null,
    });
    expectAbout(line.costMicroCents, 600n * cent);
    expect(line.costMicroCents).toBe(costMicroCents({ ...line }));
    expectAbout(await costSoFar(world.db, id), 600n * cent);
  });

  it("goes on while an instance is stopped", async () => {
    const id = await active();
    await world.change(principal, "stop", [id]);
    await world.put(id, "stopped");
    await travel(world.db, "1 hour");
    expectAbout(await costSoFar(world.db, id), 3600n * cent);
  });

  it("ends with the request to terminate, whatever time passes after it", async () => {
    const id = await active();
    await travel(world.db, "1 hour");
    await world.change(principal, "terminate", [id]);
    const cost = await costSoFar(world.db, id);
    expectAbout(cost, 3600n * cent);
    await travel(world.db, "90 days");
    expect(await costSoFar(world.db, id)).toBe(cost);
    expect(only(await linesOf()).endedAt).toBeInstanceOf(Date);
  });

  it("is less by the coupon of the launch", async () => {
    const { code } = await world.coupon({ discountBasisPoints: 2500 });
    const id = await active({ coupon: code });
    await travel(world.db, "1 hour");
    expectAbout(await costSoFar(world.db, id), 2700n * cent);
    expect(only(await linesOf())).toMatchObject({ discountBasisPoints: 2500, couponCode: code });
  });

  it("is at the price of the launch, though the product is dearer since", async () => {
    const id = await active();
    await world.product({ ...product, priceCentsPerHour: 1_000_000 });
    await travel(world.db, "1 hour");
    expectAbout(await costSoFar(world.db, id), 3600n * cent);
  });
});

describe("the lines", () => {
  it("are an account's own, or everybody's for an operator, oldest first", async () => {
    const other = await world.account();
    const [first, theirs, last] = [await active(), await active({ principal: other }), await active()];
    const ids = async (accountId?: string) =>
      (await usageLines(world.db, { accountId })).map((line) => line.subject.id);
    expect(await ids(principal.accountId)).toEqual([first, last]);
    expect(await ids(undefined)).toEqual([first, theirs, last]);
    expect(await ids("nobody")).toEqual([]);
  });

  it("may be those of what one token launched, and so may the total", async () => {
    const other = { ...principal, tokenId: randomUUID() };
    const [mine, theirs] = [await active(), await active({ principal: other })];
    await travel(world.db, "1 hour");
    await sql`update billing_spans set ended_at = started_at + interval '1 second'`.execute(world.db);
    const { accountId } = principal;
    for (const [tokenId, expected] of [
      [principal.tokenId, [mine]],
      [other.tokenId.toUpperCase(), [theirs]],
      [undefined, [mine, theirs]],
      [randomUUID(), []],
    ] as const) {
      const lines = await usageLines(world.db, { accountId, tokenId });
      expect(lines.map((line) => line.subject.id)).toEqual(expected);
      expect(await costOf({ accountId, tokenId })).toBe(cent * BigInt(expected.length));
    }
    expect(await usageLines(world.db, { accountId: randomUUID(), tokenId: principal.tokenId })).toEqual([]);
  });

  it("are paged: each once", async () => {
    const ids = [await active(), await active(), await active()];
    const accountId = principal.accountId;
    const first = await usageLines(world.db, { accountId, limit: 2 });
    const rest = await usageLines(world.db, { accountId, limit: 2, after: `${first.at(-1)?.id}` });
    expect([...first, ...rest].map((line) => line.subject.id)).toEqual(ids);
  });
});

describe("the total", () => {
  it("is the sum of the lines, of an account or of all", async () => {
    const other = await world.account();
    await active();
    await active({ principal: other });
    await travel(world.db, "1 hour");
    await sql`update billing_spans set ended_at = started_at + interval '1 hour'`.execute(world.db);
    expect(await costOf({ accountId: principal.accountId })).toBe(3600n * cent);
    expect(await costOf({})).toBe(7200n * cent);
    expect(await costOf({ accountId: "none" })).toBe(0n);
  });

  it("is exact where no floating-point number is", async () => {
    await active();
    // 2^53 micro-cents and one second at a price that does not divide.
    await sql`update billing_spans set price_cents_per_hour = 2147483647, started_at = '2020-01-01T00:00:00Z',
      ended_at = timestamptz '2020-01-01T00:00:00Z' + make_interval(secs => 99999999)`.execute(world.db);
    const exact = costMicroCents({ seconds: 99_999_999, priceCentsPerHour: 2_147_483_647, discountBasisPoints: 0 });
    expect(exact > BigInt(Number.MAX_SAFE_INTEGER)).toBe(true);
    expect(await costOf({})).toBe(exact);
    expect(only(await linesOf()).costMicroCents).toBe(exact);
  });
});

describe("a launch that never became active", () => {
  it("costs nothing, also when it is terminated later", async () => {
    const { id } = await world.launchOne(principal, { instanceType: product.name });
    await travel(world.db, "1 hour");
    await world.change(principal, "terminate", [id]);
    expect(await costOf({ accountId: principal.accountId })).toBe(0n);
  });
});
