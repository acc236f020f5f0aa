// The SQL of money says what money.ts says, to the micro-cent.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { costMicroCents } from "../../rules/cost.ts";
import { secondsUntil, unitCostOf } from "./cost-sql.ts";

const world = worldOfFile();

interface Span {
  readonly seconds: number;
  readonly priceCentsPerHour: number;
  readonly discountBasisPoints: number;
}

/** What the SQL makes of the spans, in order. */
async function inSql(spans: readonly Span[]): Promise<bigint[]> {
  const { rows } = await sql<{ cost: string }>`
    select ${unitCostOf(sql<number>`s.seconds`)}::text as cost
    from unnest(
      ${spans.map((span) => span.seconds)}::bigint[],
      ${spans.map((span) => span.priceCentsPerHour)}::integer[],
      ${spans.map((span) => span.discountBasisPoints)}::integer[]
    ) with ordinality as s (seconds, price_cents_per_hour, discount_basis_points, place)
    order by place`.execute(world.db);
  return rows.map((row) => BigInt(row.cost));
}

const anySpan: fc.Arbitrary<Span> = fc.record({
  seconds: fc.oneof(fc.nat(100_000), fc.nat(5_000_000_000)),
  priceCentsPerHour: fc.oneof(fc.nat(10_000), fc.nat(2_147_483_647)),
  discountBasisPoints: fc.nat(10_000),
});

describe("the cost in SQL", () => {
  it("is that of money.ts, for any time, price and discount", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anySpan, { minLength: 50, maxLength: 200 }), async (spans) => {
        expect(await inSql(spans)).toEqual(spans.map(costMicroCents));
      }),
      { numRuns: 20 },
    );
  });

  it("is rounded down also where the number is so long that a division would round it up", async () => {
    const long = { seconds: 4_999_999_999, priceCentsPerHour: 2_147_483_647, discountBasisPoints: 1 };
    expect(await inSql([long])).toEqual([costMicroCents(long)]);
  });
});

describe("the seconds of a span", () => {
  const secondsOf = async (started: string, ended: string | null, until: string, downtime = "{}") => {
    const { rows } = await sql<{ seconds: number }>`
      select ${secondsUntil(sql<Date>`${until}::timestamptz`)} as seconds
      from (select ${started}::timestamptz as started_at, ${ended}::timestamptz as ended_at,
        ${downtime}::tstzmultirange as downtime) s`.execute(world.db);
    return rows[0]?.seconds;
  };
  const noon = "2026-03-01T12:00:00Z";

  it("are whole ones, from its start to its end, or to now where it goes on or ends later", async () => {
    expect(await secondsOf(noon, null, "2026-03-01T12:00:59.999Z")).toBe(59);
    expect(await secondsOf(noon, "2026-03-01T12:00:10Z", "2026-03-01T13:00:00Z")).toBe(10);
    expect(await secondsOf(noon, "2026-03-01T14:00:00Z", "2026-03-01T13:00:00Z")).toBe(3600);
  });

  it("are without its downtime, as far as that lies in it, down to the fraction", async () => {
    const down = "{[2026-03-01T11:00:00Z,2026-03-01T12:00:10.5Z),[2026-03-01T12:59:50Z,)}";
    expect(await secondsOf(noon, null, "2026-03-01T12:30:00Z", down)).toBe(1789);
    expect(await secondsOf(noon, null, "2026-03-01T14:00:00Z", down)).toBe(3579);
    expect(await secondsOf(noon, "2026-03-01T12:00:05Z", "2026-03-01T14:00:00Z", down)).toBe(0);
    expect(await secondsOf(noon, null, "2026-03-01T11:30:00Z", down)).toBe(0);
  });

  it("are none before it began", async () => {
    expect(await secondsOf(noon, null, "2026-03-01T11:00:00Z")).toBe(0);
  });

  it("pass over months and clock changes as time does", async () => {
    expect(await secondsOf("2026-01-31T00:00:00Z", null, "2026-03-31T00:00:00Z")).toBe(59 * 86_400);
    expect(await secondsOf("2026-03-29T00:00:00+01:00", null, "2026-03-30T00:00:00+02:00")).toBe(23 * 3600);
  });
});
