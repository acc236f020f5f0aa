// What a supervisor learns, and that asking for it costs nobody anything, however many ask.

import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { call, type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { begin, type OpenTransaction } from "../../../test/support/interleave.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { connect, type Database, poolState } from "../../database/connect.ts";
import { createPing } from "./health.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world?.close());

const many = <T>(count: number, ask: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, ask));

/** The only connection is taken from here on. */
async function taken(db: Database): Promise<OpenTransaction> {
  const held = await begin(db);
  await sql`select 1`.execute(held.tx);
  return held;
}

describe("readiness", () => {
  let db: Database;
  let http: RunningHttp;
  beforeEach(async () => {
    db = connect({ ...world.config, maxConnections: 1 });
    http = await startHttp(world, { db });
  });
  afterEach(async () => {
    await http.close();
    await db.destroy();
  });
  const ready = async (base = http.main) => (await call("GET", `${base}/readyz`)).status;

  it("asked for by any number at once, on any port, waits with one question for a connection", async () => {
    await using held = await taken(db);
    let mostWaiting = 0;
    const watching = setInterval(() => {
      mostWaiting = Math.max(mostWaiting, poolState(db)?.waiting ?? 0);
    }, 5);
    const bases = [http.main, http.reference];
    const statuses = await Promise.all(bases.flatMap((base) => Array.from({ length: 100 }, () => ready(base))));
    clearInterval(watching);
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(mostWaiting).toBe(1);
    // That question waits still, and who comes now is told at once.
    expect(await many(50, ready.bind(undefined, http.main))).toEqual(Array.from({ length: 50 }, () => 503));
    expect(poolState(db)?.waiting).toBe(1);
    await held.rollback();
    await expect.poll(() => ready()).toBe(200);
  });
});

describe("a ping", () => {
  it("is answered with the last good one for a second, and then asks again", async () => {
    const db = connect({ ...world.config, maxConnections: 1 });
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const ping = createPing(db);
      expect(await ping()).toBe(true);
      await db.destroy();
      expect(await many(10, ping)).toEqual(Array.from({ length: 10 }, () => true));
      vi.advanceTimersByTime(1_100);
      expect(await ping()).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  it("that failed counts for nobody who asks later", async () => {
    let isAway = true;
    const execute = world.db.getExecutor();
    const db = new Proxy(world.db, {
      get: (target, name) =>
        name === "getExecutor" ? () => (isAway ? brokenExecutor : execute) : Reflect.get(target, name, target),
    });
    const ping = createPing(db);
    expect(await many(3, ping)).toEqual([false, false, false]);
    isAway = false;
    expect(await ping()).toBe(true);
  });
});

const brokenExecutor = new Proxy(
  {},
  {
    get() {
      throw new Error("no database");
    },
  },
);
