// The tools of the tests are trusted by every other test, so they have their own.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { freshDatabase } from "./database.ts";
import { travel } from "./time-travel.ts";

describe("a fresh database", () => {
  it("is migrated, empty, and apart from every other", async () => {
    await using one = await freshDatabase();
    await using other = await freshDatabase();
    await sql`create table mine ()`.execute(one.db);
    await expect(sql`select from mine`.execute(other.db)).rejects.toThrow('relation "mine" does not exist');
    expect((await sql`select from schema_migrations`.execute(other.db)).rows).not.toEqual([]);
  });

  it("goes away when closed, even under open connections, and may be closed twice", async () => {
    const closing = await freshDatabase();
    await using open = await freshDatabase();
    await sql`select 1`.execute(closing.db);
    await closing.close();
    await closing.close();
    const name = /@\/(\w+)/.exec(closing.url)?.[1];
    const { rows } = await sql`select from pg_database where datname = ${name}`.execute(open.db);
    expect(rows).toEqual([]);
  });
});

describe("travelling in time", () => {
  it("takes the interval from every time in every table of every schema, past CHECKs and triggers", async () => {
    await using database = await freshDatabase();
    const { db } = database;
    await sql`create schema world`.execute(db);
    await sql`create table world.rentals (
      id int, began timestamptz not null, ended timestamptz check (ended > began), note text,
      day date generated always as ((began at time zone 'UTC')::date) stored, "Odd name" timestamptz)`.execute(db);
    await sql`create function forbid() returns trigger language plpgsql
      as ${sql.raw("$$ begin raise 'no changes'; end $$")}`.execute(db);
    await sql`create trigger forbid before update on world.rentals for each row execute function forbid()`.execute(db);
    await sql`insert into world.rentals values
      (1, '2026-01-02 00:00Z', '2026-01-02 00:30Z', 'a', default, '2026-05-05 00:00Z'),
      (2, '2026-01-03 00:00Z', null, 'b', default, null)`.execute(db);
    await travel(db, "1 day 1 hour");
    const { rows } = await sql`select began, ended, day, "Odd name" as odd from world.rentals order by id`.execute(db);
    expect(rows).toEqual([
      {
        began: new Date("2025-12-31T23:00Z"),
        ended: new Date("2025-12-31T23:30Z"),
        day: "2025-12-31",
        odd: new Date("2026-05-03T23:00Z"),
      },
      { began: new Date("2026-01-01T23:00Z"), ended: null, day: "2026-01-01", odd: null },
    ]);
  });

  it("moves a partitioned table once", async () => {
    await using database = await freshDatabase();
    const { db } = database;
    await sql`create table parted (id int, at timestamptz) partition by hash (id)`.execute(db);
    await sql`create table parted_0 partition of parted for values with (modulus 1, remainder 0)`.execute(db);
    await sql`insert into parted values (1, '2026-01-02 00:00Z')`.execute(db);
    await travel(db, "1 hour");
    expect((await sql`select at from parted`.execute(db)).rows).toEqual([{ at: new Date("2026-01-01T23:00Z") }]);
  });
});
