import { sql } from "kysely";
import pg from "pg";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { emptyDatabase } from "../../test/support/database.ts";
import { listen } from "./listen.ts";

async function database() {
  const fresh = await emptyDatabase();
  onTestFinished(() => fresh.close());
  return fresh;
}

/** Hands out what was pushed, one at a time, waiting if there is nothing yet. */
function queue<T>() {
  const items: T[] = [];
  const waiting: ((item: T) => void)[] = [];
  return {
    push: (item: T) => {
      const next = waiting.shift();
      if (next) next(item);
      else items.push(item);
    },
    next: async () => items.shift() ?? new Promise<T>((resolve) => waiting.push(resolve)),
    waitingItems: items,
  };
}

const unexpected = () => {
  throw new Error("BUG: nothing was lost");
};

describe("a listener", () => {
  it("hears what is sent to its channel, and nothing else", async () => {
    const { db, config } = await database();
    const heard = queue<string>();
    const listener = listen(config, "Wake up", heard.push, unexpected);
    onTestFinished(listener.close);
    await listener.ready;
    await sql`select pg_notify('other', 'no'), pg_notify('Wake up', 'one'), pg_notify('Wake up', '')`.execute(db);
    expect(await heard.next()).toBe("one");
    expect(await heard.next()).toBe("");
    expect(heard.waitingItems).toEqual([]);
  });

  it("connects again each time its connection is ended, says so, and hears again", async () => {
    const { db, config } = await database();
    const heard = queue<string>();
    const reconnected = queue<true>();
    const listener = listen(config, "wake", heard.push, () => reconnected.push(true));
    onTestFinished(listener.close);
    await listener.ready;
    for (const round of ["first", "second"]) {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'lessor listener'`.execute(db);
      await reconnected.next();
      await sql`select pg_notify('wake', ${round})`.execute(db);
      expect(await heard.next()).toBe(round);
    }
  });

  it("keeps trying while there is no database, and does not call its first connection a reconnection", async () => {
    const { close, url } = await database();
    await close();
    const listener = listen({ url }, "wake", () => {}, unexpected);
    onTestFinished(listener.close);
    const admin = new pg.Client({ connectionString: inject("postgres").adminUrl });
    await admin.connect();
    const name = /@\/(\w+)/.exec(url)?.[1];
    await admin.query(`create database ${name}`);
    await listener.ready;
    await listener.close();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });

  it("closes at any time: at once, while trying in vain, and twice", async () => {
    const { config } = await database();
    await listen(config, "wake", unexpected, unexpected).close();
    const vain = listen({ url: "postgresql://u@/d?host=/nowhere" }, "wake", unexpected, unexpected);
    await new Promise(setImmediate);
    await vain.close();
    await vain.close();
  });

  it("hears nothing after it was closed", async () => {
    const { db, config } = await database();
    const listener = listen(config, "wake", unexpected, unexpected);
    await listener.ready;
    await listener.close();
    await sql`select pg_notify('wake', 'late')`.execute(db);
  });
});
