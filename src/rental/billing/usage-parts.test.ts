// Days add up to months, and months to the whole, to the micro-cent: whatever the prices, coupons and times.

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { sample } from "../../../test/support/extent.ts";
import { fc } from "../../../test/support/properties.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import { costMicroCents } from "../../rules/cost.ts";
import type { InstanceType } from "../instances/instance.ts";
import { deleteOldInstances } from "../instances/past-instances.ts";
import type { Principal } from "../service.ts";
import { totalCost, type UsageOf, usageLines } from "./usage.ts";
import { type PartsFilter, partsOf, usageParts } from "./usage-parts.ts";

const world = worldOfFile();
let principal: Principal;
let product: InstanceType;
beforeEach(async () => {
  principal = await world.account();
  await world.image();
  await world.host({ vcpus: 5000, memoryGib: 90_000, storageGb: 900_000 });
  product = await world.product({ gpus: 0, priceCentsPerHour: 3600 });
});

interface Span {
  readonly started: string;
  readonly ended: string | null;
  readonly priceCentsPerHour?: number;
  readonly discountBasisPoints?: number;
}

/** An instance that was used so. 3600 cents an hour, a cent a second, unless told. */
async function used(span: Span, by = principal): Promise<string> {
  const { id } = await world.launchOne(by, { instanceType: product.name });
  await sql`insert into billing_spans
      (instance_id, account_id, token_id, started_at, ended_at, price_cents_per_hour, discount_basis_points)
    values (${id}, ${by.accountId}, ${by.tokenId}, ${span.started}, ${span.ended}, ${span.priceCentsPerHour ?? 3600},
      ${span.discountBasisPoints ?? 0})`.execute(world.db);
  return id;
}

const parts = (filter: Partial<PartsFilter> = {}) =>
  world.tx((tx) => usageParts(tx, { unit: "day", per: "account", accountId: principal.accountId, ...filter }));
const byPart = async (filter: Partial<PartsFilter> = {}) =>
  (await parts(filter)).map(({ part, seconds }) => [part, seconds]);
const sum = (lines: readonly { costMicroCents: bigint }[]) =>
  lines.reduce((total, line) => total + line.costMicroCents, 0n);

describe("usage by day", () => {
  it("cuts at midnight in UTC, and has no line of a day without use", async () => {
    await used({ started: "2026-03-01T23:00:00Z", ended: "2026-03-02T02:00:00Z" });
    await used({ started: "2026-03-04T00:00:00+02:00", ended: "2026-03-04T02:00:00+02:00" });
    expect(await byPart()).toEqual([
      ["2026-03-01", 3600],
      ["2026-03-02", 7200],
      ["2026-03-03", 7200],
    ]);
  });

  it("counts the instances that were in use, each once a day, and none that was not", async () => {
    await used({ started: "2026-03-01T12:00:00Z", ended: "2026-03-02T12:00:00Z" });
    await used({ started: "2026-03-01T13:00:00Z", ended: "2026-03-01T14:00:00Z" });
    await used({ started: "2026-03-01T12:00:00Z", ended: "2026-03-01T12:00:00Z" });
    const counted = async (filter: Partial<PartsFilter>) => (await parts(filter)).map(({ instances }) => instances);
    for (const per of ["account", "instance_type", "token"] as const) {
      expect(await counted({ per })).toEqual([2, 1]);
      expect(await counted({ per, unit: "month" })).toEqual([2]);
    }
    expect(await counted({ per: "instance" })).toEqual([1, 1, 1]);
  });

  it("may be that of what one token launched", async () => {
    const other = { ...principal, tokenId: randomUUID() };
    await used({ started: "2026-03-01T00:00:00Z", ended: "2026-03-01T01:00:00Z" });
    await used({ started: "2026-03-01T00:00:00Z", ended: "2026-03-01T02:00:00Z" }, other);
    expect(await byPart({ tokenId: principal.tokenId })).toEqual([["2026-03-01", 3600]]);
    expect(await byPart({ tokenId: other.tokenId, unit: "month" })).toEqual([["2026-03", 7200]]);
    expect(await byPart({ tokenId: randomUUID() })).toEqual([]);
  });

  it("has none of a span without length, nor of the day on whose first moment a span ends", async () => {
    await used({ started: "2026-03-01T12:00:00Z", ended: "2026-03-01T12:00:00Z" });
    await used({ started: "2026-03-05T12:00:00Z", ended: "2026-03-06T00:00:00Z" });
    expect(await byPart()).toEqual([["2026-03-05", 43_200]]);
  });

  it("counts a second that lies across midnight once", async () => {
    await used({ started: "2026-03-01T23:59:58.5Z", ended: "2026-03-02T00:00:01.5Z" });
    expect(await byPart()).toEqual([
      ["2026-03-01", 1],
      ["2026-03-02", 2],
    ]);
  });

  it("ends now for what goes on, and is never less than nothing where the clock was set back before its start", async () => {
    const id = await used({ started: "2026-03-01T12:00:00Z", ended: null });
    await sql`update billing_spans set started_at = now() + interval '3 days'`.execute(world.db);
    expect(await parts({ per: "instance" })).toEqual([]);
    await sql`update billing_spans set started_at = now() - interval '3 days'`.execute(world.db);
    const lines = await parts({ per: "instance" });
    expect(lines.length === 3 || lines.length === 4).toBe(true);
    expect(new Set(lines.map(({ subject }) => subject?.id))).toEqual(new Set([id]));
    const seconds = lines.reduce((total, line) => total + line.seconds, 0);
    expect(seconds >= 259_200 && seconds < 259_260, `${seconds}`).toBe(true);
  });
});

describe("usage by month", () => {
  it("cuts where months end, whatever their length", async () => {
    await used({ started: "2024-01-31T00:00:00Z", ended: "2024-03-02T00:00:00Z" });
    expect(await byPart({ unit: "month" })).toEqual([
      ["2024-01", 86_400],
      ["2024-02", 29 * 86_400],
      ["2024-03", 86_400],
    ]);
  });
});

describe("what is asked for", () => {
  const march = { from: new Date("2026-03-01T00:00:00Z"), to: new Date("2026-04-01T00:00:00Z") };

  it("is a time, an account, an instance", async () => {
    const other = await world.account();
    const first = await used({ started: "2026-02-27T00:00:00Z", ended: "2026-03-02T00:00:00Z" });
    const second = await used({ started: "2026-03-31T12:00:00Z", ended: "2026-04-03T00:00:00Z" });
    await used({ started: "2026-03-10T00:00:00Z", ended: "2026-03-10T00:00:07Z" }, other);
    expect(await byPart(march)).toEqual([
      ["2026-03-01", 86_400],
      ["2026-03-31", 43_200],
    ]);
    expect(await byPart({ ...march, accountId: undefined, unit: "month" })).toEqual([
      ["2026-03", 129_600],
      ["2026-03", 7],
    ]);
    expect(await byPart({ ...march, instanceId: first })).toEqual([["2026-03-01", 86_400]]);
    const lines = await parts({ ...march, per: "instance" });
    expect(lines.map(({ subject }) => subject?.id)).toEqual([first, second]);
    expect(await byPart({ instanceId: "nonsense" })).toEqual([]);
  });

  it("may be told apart by product, also of instances that are deleted", async () => {
    const small = product;
    const first = await used({ started: "2026-03-01T00:00:00Z", ended: "2026-03-01T01:00:00Z" });
    await used({ started: "2026-03-01T00:00:00Z", ended: "2026-03-02T00:00:07Z" });
    product = await world.product({ gpus: 0, priceCentsPerHour: 7200 });
    await used({ started: "2026-03-01T00:00:00Z", ended: "2026-03-01T00:00:30Z" });
    const told = async () =>
      (await parts({ per: "instance_type" })).map((one) => [one.part, one.instanceType, one.seconds, one.subject]);
    const expected = [
      ["2026-03-01", small.name, 90_000, null],
      ["2026-03-01", product.name, 30, null],
      ["2026-03-02", small.name, 7, null],
    ].sort();
    expect((await told()).sort()).toEqual(expected);
    await sql`update instances set state = 'terminated', terminated_at = now() - interval '90 days',
      terminating_at = now() - interval '90 days' where id = ${first}`.execute(world.db);
    expect(await deleteOldInstances(world.db, 30, new AbortController().signal)).toBe(1);
    expect((await told()).sort()).toEqual(expected);
  });

  it("may be told apart by token, and what no token is known of is one line", async () => {
    const other = { ...principal, tokenId: randomUUID() };
    await used({ started: "2026-03-01T00:00:00Z", ended: "2026-03-01T01:00:00Z" });
    await used({ started: "2026-03-01T02:00:00Z", ended: "2026-03-01T03:00:00Z" });
    await used({ started: "2026-03-01T00:00:00Z", ended: "2026-03-01T00:00:30Z" }, other);
    const old = await used({ started: "2026-03-01T00:00:00Z", ended: "2026-03-01T00:00:05Z" });
    await sql`update billing_spans set token_id = null where instance_id = ${old}`.execute(world.db);
    const told = new Map((await parts({ per: "token" })).map((one) => [one.tokenId, one.seconds]));
    expect(told).toEqual(
      new Map<string | null, number>([
        [principal.tokenId, 7200],
        [other.tokenId, 30],
        [null, 5],
      ]),
    );
  });

  it.each(partsOf)("adds up to the same, to the micro-cent, per %s", async (per) => {
    const other = { ...principal, tokenId: randomUUID() };
    await used({ started: "2026-03-01T23:00:00.5Z", ended: "2026-03-03T01:00:01Z", priceCentsPerHour: 7 });
    product = await world.product({ gpus: 0 });
    await used({ started: "2026-03-01T23:00:00Z", ended: "2026-03-02T01:00:01Z", discountBasisPoints: 3333 }, other);
    const all = await parts({ per });
    expect(sum(all)).toBe((await totalCost(world.db, { accountId: principal.accountId })).costMicroCents);
    const paged: typeof all = [];
    for (let after: string | undefined; ; after = paged.at(-1)?.key) {
      const page = await parts({ per, limit: 1, after });
      if (page.length === 0) break;
      paged.push(...page);
    }
    expect(paged).toEqual(all);
  });

  it("comes page by page: each once", async () => {
    await used({ started: "2026-03-01T00:00:00Z", ended: "2026-03-04T00:00:00Z" });
    await used({ started: "2026-03-02T00:00:00Z", ended: "2026-03-05T00:00:00Z" });
    const all = await parts({ per: "instance" });
    expect(all).toHaveLength(6);
    const pages = [];
    for (let after: string | undefined; ; ) {
      const page = await parts({ per: "instance", limit: 2, after });
      if (page.length === 0) break;
      pages.push(...page);
      after = page.at(-1)?.key;
    }
    expect(pages).toEqual(all);
  });
});

const anyMoment = fc.date({ min: new Date("2023-12-01"), max: new Date("2026-01-01"), noInvalidDate: true });
const anySpan = fc.record({
  between: fc.tuple(anyMoment, anyMoment),
  goesOn: fc.boolean(),
  priceCentsPerHour: fc.oneof(fc.nat(10_000), fc.nat(2_147_483_647)),
  discountBasisPoints: fc.nat(10_000),
});

describe("the parts", () => {
  it("add up, days to months to the whole, for every account, instance and time that is asked for", async () => {
    const principals = [principal, await world.account()];
    const someTime = fc.option(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 30 })));
    await fc.assert(
      fc.asyncProperty(fc.array(anySpan, { minLength: 1, maxLength: 4 }), someTime, async (spans, months) => {
        await sql`delete from billing_spans`.execute(world.db);
        const ids: string[] = [];
        for (const [index, { between, goesOn, ...price }] of spans.entries()) {
          const [started = new Date(), ended = new Date()] = [...between].sort((a, b) => a.getTime() - b.getTime());
          const times = { started: started.toISOString(), ended: goesOn ? null : ended.toISOString() };
          ids.push(await used({ ...times, ...price }, principals[index % 2]));
        }
        const [first, last] = months === null ? [] : [...months].sort((a, b) => a - b);
        const time: UsageOf = {
          from: first === undefined ? undefined : new Date(Date.UTC(2023, 10 + first)),
          to: last === undefined ? undefined : new Date(Date.UTC(2023, 11 + last)),
        };
        await world.tx(async (tx) => {
          // `now` is the transaction's, so that what goes on stands still.
          for (const usage of [
            time,
            { ...time, accountId: principal.accountId },
            { ...time, instanceId: only([ids[0]]) },
          ]) {
            const { costMicroCents: total } = await totalCost(tx, usage);
            expect(sum(await usageLines(tx, usage))).toBe(total);
            for (const unit of ["day", "month"] as const) {
              for (const per of ["account", "instance"] as const) {
                const lines = await usageParts(tx, { ...usage, unit, per });
                expect(sum(lines), `${unit} per ${per}`).toBe(total);
                expect(lines.every((line) => line.costMicroCents >= 0n && line.seconds > 0)).toBe(true);
              }
            }
          }
          const days = await usageParts(tx, { ...time, unit: "day", per: "instance" });
          const ofMonths = Map.groupBy(days, ({ part, subject }) => `${part.slice(0, 7)} ${subject?.id}`);
          const monthly = await usageParts(tx, { ...time, unit: "month", per: "instance" });
          expect(new Map(monthly.map((one) => [`${one.part} ${one.subject?.id}`, one.costMicroCents]))).toEqual(
            new Map([...ofMonths].map(([key, some]) => [key, sum(some)])),
          );
        });
      }),
      // Without shrinking: what was launched stays, and would fill the host.
      { numRuns: sample(10, 100), endOnFailure: true },
    );
  });

  it("are each what money.ts says of their seconds, where a span begins with the day", async () => {
    const price = { priceCentsPerHour: 129, discountBasisPoints: 333 };
    await used({ started: "2026-03-01T00:00:00Z", ended: "2026-03-03T00:00:01Z", ...price });
    const at = (seconds: number) => costMicroCents({ ...price, seconds });
    expect((await parts()).map((line) => line.costMicroCents)).toEqual([
      at(86_400),
      at(172_800) - at(86_400),
      at(172_801) - at(172_800),
    ]);
  });
});
