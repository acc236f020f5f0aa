import { sql } from "kysely";
import { expect, it } from "vitest";
import { worldOfFile } from "../../../test/support/world.ts";
import { parseTagFilter } from "../instances/tags.ts";
import { fitsSelector, hasLabels } from "./labels.ts";

const world = worldOfFile();

const labels: readonly Readonly<Record<string, string>>[] = [
  {},
  { rack: "r12" },
  { rack: "r12", row: "3" },
  { rack: "r13", row: "" },
  { Rack: "r12" },
  { "odd \"key'": "a,b\\c" },
];
const selectors = ["rack", "rack=r12", "rack=r12,row", "row=", "row=3,rack=r13", "odd \"key'=a\\,b\\\\c", "toString"];

it.each(selectors)("%s means the same hosts in SQL and in memory", async (text) => {
  const selector = parseTagFilter(text, "selector");
  const { rows } = await sql<{ fits: boolean }>`
    select ${hasLabels(sql`labels`, selector)} as fits
    from unnest(${labels.map((one) => JSON.stringify(one))}::jsonb[]) with ordinality as t (labels, place) order by place`.execute(
    world.db,
  );
  expect(rows.map(({ fits }) => fits)).toEqual(labels.map((one) => fitsSelector(one, selector)));
});

it("without labels means every host", async () => {
  const { rows } = await sql<{ fits: boolean }>`select ${hasLabels(sql`'{}'::jsonb`, [])} as fits`.execute(world.db);
  expect([rows[0]?.fits, fitsSelector({}, [])]).toEqual([true, true]);
});
