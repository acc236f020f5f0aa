import { sql } from "kysely";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { emptyDatabase } from "../../test/support/database.ts";
import { worldOfFile } from "../../test/support/world.ts";
import { tablesOf } from "./tables.ts";

const world = worldOfFile();

describe("the order of tables", () => {
  it("is one in which each comes after those its foreign keys lead to", async () => {
    const client = new pg.Client({ connectionString: world.url });
    await client.connect();
    onTestFinished(() => client.end());
    const order = (await tablesOf(client)).map(({ name }) => name);
    for (const [child, parent] of [
      ["tokens", "accounts"],
      ["events", "accounts"],
      ["gpu_pools", "hosts"],
      ["hosts", "regions"],
      ["billing_spans", "accounts"],
      ["instances", "accounts"],
      ["gpu_uses", "machines"],
    ] as const) {
      expect(order.indexOf(child), child).toBeGreaterThan(order.indexOf(parent));
    }
  });

  it("is not made up where foreign keys lead in a circle that cannot be deferred", async () => {
    const fresh = await emptyDatabase();
    onTestFinished(() => fresh.close());
    const { url, db } = fresh;
    await sql`create table a (id integer primary key)`.execute(db);
    await sql`create table b (id integer primary key references a)`.execute(db);
    await sql`alter table a add foreign key (id) references b`.execute(db);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    await expect(tablesOf(client)).rejects.toThrow("lead in a circle");
  });
});
