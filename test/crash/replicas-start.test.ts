// Five servers that reach one empty database at the same moment, as an orchestrator starts them; and a token that is revoked
// through one of several servers, which from then on is refused by all of them.

import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { beforeAll, describe, expect, it } from "vitest";
import { emptyDatabase, type FreshDatabase, freshDatabase } from "../support/database.ts";
import { call } from "../support/http.ts";
import { extent } from "../support/short.ts";
import { afterFile } from "../support/when-over.ts";
import { figure } from "./figures.ts";
import { type Fleet, operatorToken, type Replica, startFleet } from "./fleet.ts";
import { spread } from "./percentile.ts";
import { startingGate } from "./starting-gate.ts";

const races = extent(10, 1);
const servers = 5;
const migrations = resolve(import.meta.dirname, "../../src/database/migrations");

describe(`${servers} servers started at the same moment on one empty database`, () => {
  it(`all come up; each migration and the first start happen once (${races} times)`, async () => {
    const files = (await readdir(migrations)).filter((file) => file.endsWith(".sql"));
    const startedMs: number[] = [];
    for (let race = 0; race < races; race++) {
      await using fresh = await emptyDatabase();
      const ends: (() => unknown)[] = [];
      const begun = performance.now();
      try {
        // Without a preset token, so that one is made and shown.
        const env = { LESSOR_OPERATOR_TOKEN: "", LESSOR_DEMO: "1" };
        const whenOver = (end: () => unknown) => void ends.push(end);
        const databaseUrl = await startingGate(fresh.url, servers, whenOver);
        const fleet = await startFleet({ databaseUrl, servers, env, whenOver });
        startedMs.push(performance.now() - begun);
        await expectOneFirstStart(fleet, fresh, files.length);
      } finally {
        for (const end of ends.reverse()) await end();
      }
    }
    figure("servers that came up together on an empty database", {
      reached: races * servers,
      toReach: races * servers,
      of: `${races} races of ${servers}, all ready after ${spread(startedMs)}; ${files.length} migrations, applied once`,
    });
  });
});

async function expectOneFirstStart(fleet: Fleet, { db }: FreshDatabase, migrationCount: number): Promise<void> {
  const shown = new Set(fleet.replicas.flatMap(({ output }) => output.match(/lessor_[\w-]{43}/g) ?? []));
  // The operator's and the customer's; the customer's also in the line that launches a machine.
  expect(shown.size).toBe(2);
  expect(fleet.replicas.filter(({ output }) => output.includes("lessor_"))).toHaveLength(1);
  const { rows } = await sql<Record<string, number>>`
    select (select count(*)::integer from schema_migrations) as migrations,
      (select count(*)::integer from accounts) as accounts, (select count(*)::integer from tokens) as tokens,
      (select count(*)::integer from hosts) as hosts`.execute(db);
  expect(rows).toEqual([{ migrations: migrationCount, accounts: 2, tokens: 2, hosts: 40 }]);
  for (const replica of fleet.replicas) {
    expect(await replica.readiness()).toBe(200);
    for (const token of shown) {
      expect((await call("GET", `${replica.bases.control}/account`, { token })).status).toBe(200);
    }
  }
}

describe("a token that is revoked through one of several servers", () => {
  const revocations = extent(100, 5);
  const replicas = 3;
  const refusedWithinMs = 1_000;
  const whenOver = afterFile();
  let fleet: Fleet;

  beforeAll(async () => {
    const fresh = await freshDatabase();
    whenOver(() => fresh.close());
    fleet = await startFleet({ databaseUrl: fresh.url, servers: replicas, whenOver });
  });

  it(`is refused by all of them within a second, and what it had open ends (${revocations} times)`, async () => {
    const ada = await fleet.customer("ada");
    const lastUseMs: number[] = [];
    const streamEndMs: number[] = [];
    for (let round = 0; round < revocations; round++) {
      const order = { name: `token-${round}`, scopes: ["read", "write"] };
      const made = await fleet.control("POST", `/accounts/${ada.accountId}/tokens`, order);
      const { id, token } = made as { id: string; token: string }; // documented so
      const streams = await Promise.all(fleet.replicas.map((replica) => openStream(replica, token)));
      const uses = fleet.replicas.map((replica) => lastUse(replica, token));
      await sleep(20);
      const by = fleet.one(round).bases.control;
      const path = `/accounts/${ada.accountId}/tokens/${id}`;
      expect((await call("DELETE", `${by}${path}`, { token: operatorToken })).status).toBe(200);
      const revoked = performance.now();
      lastUseMs.push(...(await Promise.all(uses)).map((last) => Math.max(0, last - revoked)));
      const ends = streams.flatMap((stream) => (stream === undefined ? [] : [stream.ended]));
      streamEndMs.push(...(await Promise.all(ends)).map((end) => Math.max(0, end - revoked)));
    }
    figure("a revoked token is last let in, from the answer to its revocation", {
      reached: spread(lastUseMs),
      toReach: `longest under ${refusedWithinMs} ms`,
      of: `${revocations} revocations, each asked for at ${replicas} servers all the time`,
    });
    figure("an event stream of a revoked token ends", {
      reached: streamEndMs.length === 0 ? "there is none" : spread(streamEndMs),
      toReach: `longest under ${refusedWithinMs} ms`,
      of: `${streamEndMs.length} open streams`,
    });
    expect(Math.max(...lastUseMs)).toBeLessThan(refusedWithinMs);
    expect(Math.max(0, ...streamEndMs)).toBeLessThan(refusedWithinMs);
  });
});

/** Asks again and again until the token is refused; the moment at which the last request that was let in was sent. */
async function lastUse({ bases }: Replica, token: string): Promise<number> {
  for (let last = Number.NEGATIVE_INFINITY; ; await sleep(2)) {
    const sent = performance.now();
    const { status } = await call("GET", `${bases.control}/account`, { token });
    if (status === 401) return last;
    expect(status).toBe(200);
    last = sent;
  }
}

/** Opens the stream of events; `ended` is the moment at which it ends. Undefined where there is none. */
async function openStream({ bases }: Replica, token: string): Promise<{ ended: Promise<number> } | undefined> {
  const headers = { authorization: `Bearer ${token}` };
  // One that does not end by itself is cut here, and too late.
  const signal = AbortSignal.timeout(10_000);
  const response = await fetch(`${bases.control}/events/stream`, { headers, signal });
  if (response.status === 404) return void (await response.body?.cancel());
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const drained = async () => {
    for await (const _ of response.body ?? []);
  };
  // Cut or closed in good order: over is over.
  const now = () => performance.now();
  return { ended: drained().then(now, now) };
}
