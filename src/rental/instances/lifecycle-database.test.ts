// The states of lifecycle.ts and the words that the database lets into the column are the same.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { worldOfFile } from "../../../test/support/world.ts";
import { healths, initialState, states } from "../../rules/lifecycle.ts";

const world = worldOfFile();

/** The words of the CHECK `<column> in (…)` of a table. */
async function checkedWords(table: string, column: string): Promise<string[]> {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = ${table}::regclass and contype = 'c'
      and conkey = array[(select attnum from pg_attribute where attrelid = ${table}::regclass and attname = ${column})]
  `.execute(world.db);
  return rows.flatMap(({ definition }) => [...definition.matchAll(/'(\w+)'::text/g)].map((match) => match[1] ?? ""));
}

describe("the database", () => {
  it("knows exactly the states of the lifecycle", async () => {
    expect(await checkedWords("instances", "state")).toEqual([...states]);
  });

  it("knows exactly the healths of an instance", async () => {
    expect(await checkedWords("instances", "health")).toEqual([...healths]);
  });

  it("lets an instance be terminated only with the time when, and terminating only with the time of the request", async () => {
    await world.image();
    await world.host({ gpus: 1 });
    const product = await world.product();
    const { id, state } = await world.launchOne(await world.account(), { instanceType: product.name });
    expect(state).toBe(initialState);
    const set = (change: { state: string; terminating_at?: Date }) =>
      world.db.updateTable("instances").set(change).where("id", "=", id).execute();
    await expect(set({ state: "terminated", terminating_at: new Date() })).rejects.toThrow("check constraint");
    await expect(set({ state: "terminating" })).rejects.toThrow("check constraint");
    await expect(set({ state: "rented" })).rejects.toThrow("check constraint");
  });
});
