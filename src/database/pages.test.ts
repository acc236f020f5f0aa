// Reading in pages: everything once, in order, whatever the size of a page; and what is written meanwhile harms nothing.

import { sql } from "kysely";
import { expect, it } from "vitest";
import { worldOfFile } from "../../test/support/world.ts";
import { type Group, idsOf, joinedIds, readInPages } from "./pages.ts";

const world = worldOfFile();

interface Row extends Group {
  readonly names: readonly string[];
  readonly even: boolean;
}

/** In two groups, so that the ids of a page come in no order. */
const accounts = async (limit: number, onPage: () => Promise<unknown> = async () => {}) => {
  let pages = 0;
  const all = readInPages<Row>(
    { getExecutor: () => world.db.getExecutor() },
    (above, most) => {
      pages++;
      if (pages === 2) void onPage();
      return sql<Row>`
        select ascii(right(name, 1)) % 2 = 0 as even, ${joinedIds(sql`id`)} as ids, json_agg(name) as names
        from (select id, name from accounts where id > ${above} order by id limit ${most}) page group by even`;
    },
    limit,
  );
  const rows: { id: string; name: string | undefined }[] = [];
  for await (const page of all) {
    for (const group of page) rows.push(...idsOf(group).map((id, place) => ({ id, name: group.names[place] })));
  }
  return { names: rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ name }) => name), pages };
};

async function make(count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, n) => `account "with" \\ and é ${n}`);
  for (const name of names) await world.account({ name });
  return names;
}

it.each([1, 2, 3, 6, 7, 8, 100])("pages of %i give every row once", async (limit) => {
  const made = await make(7);
  const { names, pages } = await accounts(limit);
  expect(names).toEqual(made);
  expect(pages).toBe(Math.floor(7 / limit) + 1);
});

it("nothing is an empty list", async () => {
  expect(await accounts(5)).toEqual({ names: [], pages: 1 });
});

it("a row that goes between two pages hides no other", async () => {
  const made = await make(6);
  let gone: Promise<unknown> = Promise.resolve();
  const { names } = await accounts(2, async () => {
    gone = sql`delete from accounts where name = ${made[1]}`.execute(world.db);
  });
  await gone;
  expect(names).toEqual(made);
  expect((await accounts(2)).names).toEqual(made.filter((_, n) => n !== 1));
});

it("a page that cannot be read is told to whoever reads them", async () => {
  await make(4);
  const pages = readInPages(
    world.db,
    (above, limit) => sql<Group>`
      select ${joinedIds(sql`id`)} as ids from (
        select id from accounts where id > ${above} and 1 / ${above === "00000000-0000-0000-0000-000000000000" ? 1 : 0}::integer = 1
        order by id limit ${limit}) page having count(*) > 0`,
    2,
  );
  expect((await pages.next()).done).toBe(false);
  // Meanwhile the second one fails, and nobody has asked for it yet.
  await new Promise((resolve) => setTimeout(resolve, 50));
  await expect(pages.next()).rejects.toThrow("division by zero");
});

it("lets others have their turn between two pages", async () => {
  await make(6);
  let turns = 0;
  let next = setImmediate(function turn() {
    turns += 1;
    next = setImmediate(turn);
  });
  await accounts(1);
  clearImmediate(next);
  // Not by a timer: six pages may come within its millisecond.
  expect(turns).toBeGreaterThanOrEqual(6);
});
