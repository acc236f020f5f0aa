import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshDatabase, freshDatabase } from "../../../test/support/database.ts";
import { floorToken, hashOf, launchStatement, schema } from "./schema.ts";

let fresh: FreshDatabase;
let client: pg.Client;

beforeAll(async () => {
  fresh = await freshDatabase();
  client = new pg.Client({ connectionString: fresh.url });
  await client.connect();
  // Beside the service's own tables, which have the same names.
  await client.query("create schema floor; set search_path = floor");
  await client.query(schema);
});

afterAll(async () => {
  await client.end();
  await fresh.close();
});

const tables = ["instances", "events", "idempotency_keys", "usage"];

async function counts(): Promise<number[]> {
  const results = await Promise.all(tables.map((table) => client.query(`select count(*)::integer as n from ${table}`)));
  return results.map(({ rows }) => rows[0].n);
}

async function launched(token: string, pool: number, key: string): Promise<number> {
  const values = [hashOf(token), pool, key, randomUUID(), "name", "type", "{}"];
  return (await client.query(launchStatement, values)).rows.length;
}

describe("the floor's one statement", () => {
  it("leaves everything behind that a launch has to, and takes a place", async () => {
    expect(await launched(floorToken, 1, "first")).toBe(1);
    expect(await counts()).toEqual([1, 1, 1, 1]);
    expect((await client.query("select free from pools where id = 1")).rows).toEqual([{ free: 999_999_999 }]);
  });

  it("leaves nothing for a token that is not known, nor where there is no room", async () => {
    const before = await counts();
    await client.query("update pools set free = 0 where id = 2");
    expect(await launched("lessor_other", 1, "second")).toBe(0);
    expect(await launched(floorToken, 2, "third")).toBe(0);
    expect(await counts()).toEqual(before);
  });

  it("is refused whole when its key was used before", async () => {
    const before = await counts();
    await expect(launched(floorToken, 3, "first")).rejects.toThrow("duplicate key");
    expect(await counts()).toEqual(before);
    expect((await client.query("select free from pools where id = 3")).rows).toEqual([{ free: 1_000_000_000 }]);
  });
});
