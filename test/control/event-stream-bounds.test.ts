// What a server holds for streams is bounded, and given back whatever becomes of a client; and none goes on when nobody
// can say whether its token is good.

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { codeOf } from "../support/control.ts";
import { openStream } from "../support/event-source.ts";
import { type RunningHttp, startHttp } from "../support/http.ts";
import { begin } from "../support/interleave.ts";
import { makeWorld, type World } from "../support/world.ts";

let world: World;
let http: RunningHttp;
beforeAll(async () => {
  world = await makeWorld();
});
afterEach(() => http?.close());
afterAll(() => world?.close());

const follow = (token: string) => openStream(`${http.control}/events/stream`, token);

/** A client that asks for a stream and is gone after so many milliseconds. */
async function leaveAfter(ms: number, token: string): Promise<void> {
  const { hostname, port } = new URL(http.main);
  const socket = connect(Number(port), hostname).on("error", () => {});
  socket.write(`GET /control/v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await sleep(ms);
  socket.resetAndDestroy();
}

describe("a place for a stream", () => {
  it("is free again though its client left before the head of the answer went out", async () => {
    http = await startHttp(world);
    const { token } = await http.customer();
    for (let round = 0; round < 80; round++) await leaveAfter(round % 8, token);
    const statuses = async () => {
      const streams = await Promise.all(Array.from({ length: 8 }, () => follow(token)));
      for (const stream of streams) stream.cut();
      return streams.map(({ status }) => status);
    };
    await expect.poll(statuses, { interval: 300, timeout: 10_000 }).toEqual(Array.from({ length: 8 }, () => 200));
  }, 60_000);

  it("is one of its account's, however many tokens there are", async () => {
    http = await startHttp(world, { streams: { perAccount: 3 } });
    const { principal, token } = await http.customer();
    const another = await http.customer({ principal });
    const streams = await Promise.all([follow(token), follow(another.token), follow(token)]);
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    const third = await http.customer({ principal });
    const refused = await http.call("GET", `${http.control}/events/stream`, { token: third.token });
    expect([refused.status, codeOf(refused)]).toEqual([403, "global/quota-exceeded"]);
    expect(refused.text).toContain("event streams");
    expect((await follow((await http.customer()).token)).status).toBe(200);
    streams[0]?.cut();
    await expect.poll(async () => (await follow(third.token)).status).toBe(200);
  });
});

describe("while nobody can say whether tokens are good", () => {
  const questions = async () => {
    const { rows } = await sql<{ query: string }>`
      select query from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%as role from tokens t%'`.execute(
      world.db,
    );
    return rows;
  };

  it("it is asked by one question at a time, and streams end after a while, to be taken up again", async () => {
    http = await startHttp(world, { streams: { checkMs: 30, uncheckedMs: 600 } });
    const { token } = await http.customer();
    const stream = await follow(token);
    await expect.poll(() => stream.lastEventId).not.toBe("");
    await sleep(700);
    expect(stream.ended).toBe(false);
    await using held = await begin(world.db);
    await sql`lock table tokens in access exclusive mode`.execute(held.tx);
    await stream.end();
    expect(stream.text).toMatch(/retry: \d+\n: the token cannot be verified now\n\n$/);
    expect(await questions()).toHaveLength(1);
    await held.rollback();
    const again = await openStream(`${http.control}/events/stream`, token, stream.lastEventId);
    await expect.poll(() => again.lastEventId).not.toBe("");
    await sleep(700);
    expect(again.ended).toBe(false);
  });
});
