// What a client that follows events can rely on: it misses none and gets none twice, wherever its connection breaks; and
// no client costs the others anything.

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changeAccount } from "../../src/rental/accounts/account-store.ts";
import { createToken, revokeToken } from "../../src/rental/accounts/token-store.ts";
import type { EventType } from "../../src/rental/events/event-types.ts";
import { recordEvents } from "../../src/rental/events/record.ts";
import type { Principal } from "../../src/rental/service.ts";
import { codeOf, fieldsOf } from "../support/control.ts";
import { openStream } from "../support/event-source.ts";
import { type RunningHttp, startHttp } from "../support/http.ts";
import { begin, written } from "../support/interleave.ts";
import { seeded } from "../support/random.ts";
import { makeWorld, type World } from "../support/world.ts";

let world: World;
let http: RunningHttp;
beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world, { streams: { beatMs: 100, checkMs: 200, pollMs: 500 } });
});
afterAll(async () => {
  await http.close();
  await world.close();
});

/** Without the events of the tokens that the tests make. */
function follow(token: string, query = "", lastEventId?: string) {
  const types = query.includes("types=") ? "" : `${query === "" ? "?" : "&"}types=instance.*,ssh_key.*`;
  return openStream(`${http.control}/events/stream${query}${types}`, token, lastEventId);
}

async function listed(token: string, query = ""): Promise<unknown[]> {
  const { body } = await http.call("GET", `${http.control}/events?types=instance.*${query}`, { token });
  return (body as { data: unknown[] }).data;
}

async function happen({ accountId }: Pick<Principal, "accountId">, ...numbers: readonly number[]): Promise<void> {
  const events = numbers.map((n) => ({
    accountId,
    type: "instance.progress" as const,
    subjectId: accountId,
    data: { n },
  }));
  await world.tx((tx) => recordEvents(tx, events));
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const numbersOf = (events: readonly { data: { data: Record<string, unknown> } }[]) =>
  events.map(({ data }) => data.data.n);

describe("a stream of events", () => {
  it("brings each as the list has it, with its cursor as id, and says at once where to go on", async () => {
    const { principal, token } = await http.customer();
    await happen(principal, 1);
    const stream = await follow(token, "?from=start");
    expect(stream.status).toBe(200);
    expect(stream.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    expect(stream.headers["cache-control"]).toBe("no-store");
    expect(stream.headers["x-request-id"]).toBeTruthy();
    await stream.received(1);
    await happen(principal, 2);
    const events = await stream.received(2);
    expect(events.map(({ data }) => data)).toEqual(await listed(token));
    expect(stream.text).toMatch(/^retry: \d+\nid: 0\.0\n\n/);
    expect(await listed(token, `&cursor=${events[0]?.id}`)).toEqual([events[1]?.data]);
  });

  it("brings what is rare, though thousands that are not wanted lie before it", async () => {
    const { principal, token } = await http.customer();
    await sql`insert into events (account_id, type, subject_id, data)
      select ${principal.accountId}, 'token.created', gen_random_uuid(), '{}' from generate_series(1, 12000)`.execute(
      world.db,
    );
    await happen(principal, 1);
    const stream = await follow(token, "?from=start");
    expect(numbersOf(await stream.received(1))).toEqual([1]);
    await happen(principal, 2);
    expect(numbersOf(await stream.received(2))).toEqual([1, 2]);
  });

  it("begins now, and one that comes back before anything happened misses nothing", async () => {
    const { principal, token } = await http.customer();
    await happen(principal, 1);
    await expect.poll(async () => (await listed(token)).length).toBe(1);
    const stream = await follow(token);
    await expect.poll(() => stream.lastEventId).not.toBe("");
    stream.cut();
    await happen(principal, 2);
    const again = await follow(token, "", stream.lastEventId);
    expect(numbersOf(await again.received(1))).toEqual([2]);
  });

  it("has only what was asked for: types, an instance, the account's own", async () => {
    const { principal, token } = await http.customer();
    const [mine, other] = [randomUUID(), await http.customer()];
    const streams = await Promise.all([
      follow(token, "?types=instance.a*,ssh_key.created"),
      follow(token, `?instance_id=${mine}`),
      follow(other.token),
    ]);
    const event = (type: EventType, subjectId: string) => ({
      accountId: principal.accountId,
      type,
      subjectId,
      data: {},
    });
    await world.tx((tx) =>
      recordEvents(tx, [
        event("instance.active", mine),
        event("instance.booting", mine),
        event("instance.active", randomUUID()),
      ]),
    );
    await world.sshKey(principal);
    await happen(other.principal, 1);
    await streams[0].received(3);
    await streams[1].received(2);
    await streams[2].received(1);
    const types = streams.map((stream) => stream.events.map(({ data }) => data.type));
    expect(types).toEqual([
      ["instance.active", "instance.active", "ssh_key.created"],
      ["instance.active", "instance.booting"],
      ["instance.progress"],
    ]);
  });

  it("shows operators what happens to everybody, or to one account, and whose it is", async () => {
    const operator = await http.customer({ scopes: ["operator"] });
    const [one, two] = [await http.customer(), await http.customer()];
    const all = await follow(operator.token);
    const some = await follow(operator.token, `?account_id=${two.principal.accountId}`);
    await happen(one.principal, 1);
    await happen(two.principal, 2);
    await some.received(1);
    await all.received(2);
    expect(all.events.map(({ data }) => data.account_id)).toEqual([one.principal.accountId, two.principal.accountId]);
    expect(numbersOf(some.events)).toEqual([2]);
    const foreign = await http.call("GET", `${http.control}/events/stream?account_id=${two.principal.accountId}`, {
      token: one.token,
    });
    expect([foreign.status, codeOf(foreign)]).toEqual([403, "global/forbidden"]);
  });

  it("is kept alive by comments", async () => {
    const { token } = await http.customer();
    const stream = await follow(token);
    await expect.poll(() => stream.text.split(":\n\n").length).toBeGreaterThan(3);
  });

  it("does not pass by what commits late", async () => {
    const { principal, token } = await http.customer();
    const stream = await follow(token);
    await using late = await begin(world.db);
    const event = {
      accountId: principal.accountId,
      type: "instance.progress" as const,
      subjectId: principal.accountId,
    };
    await recordEvents(late.tx, [{ ...event, data: { n: 1 } }]);
    await written(late.tx);
    await happen(principal, 2);
    await late.commit();
    await stream.received(2);
    expect(numbersOf(stream.events).sort()).toEqual([1, 2]);
  });

  it.each([
    "cursor=x",
    "cursor=1",
    "from=then",
    "types=%20",
    "types=",
    "types=*a*b*c*",
    "types=instnace.*",
    "instance_id=training",
  ])("refuses ?%s", async (query) => {
    const { token } = await http.customer();
    const answer = await http.call("GET", `${http.control}/events/stream?${query}`, { token });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [query.split("=")[0]]]);
  });

  it("refuses a Last-Event-ID that was never given, and takes an empty one for none", async () => {
    const { token } = await http.customer();
    const call = (id: string) =>
      http.call("GET", `${http.control}/events/stream`, { token, headers: { "last-event-id": id } });
    expect((await call("nonsense")).status).toBe(400);
    expect((await call("")).status).toBe(200);
  });

  it("has a head for who asks for no more", async () => {
    const { token } = await http.customer();
    const { status, headers } = await http.call("HEAD", `${http.control}/events/stream`, { token });
    expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  });
});

describe("a client that comes back", () => {
  it("wherever its connection broke, sees each of six hundred events once, in order", async () => {
    const { principal, token } = await http.customer();
    const random = seeded(7);
    let written = 0;
    const seen: unknown[] = [];
    let lastEventId: string | undefined;
    let connections = 0;
    while (seen.length < 600) {
      // Thirty more while it is connected, so that there are twenty connections at least.
      const upTo = Math.min(written + 30, 600);
      const writing = (async () => {
        for (; written < upTo; written += 5) await happen(principal, ...range(written, written + 5));
      })();
      const stream = await follow(token, "?from=start", lastEventId);
      connections += 1;
      await stream.received(1 + random.below(upTo - seen.length));
      // What came with the last bytes counts as well; from there it goes on.
      stream.cut();
      seen.push(...numbersOf(stream.events));
      lastEventId = stream.lastEventId;
      await writing;
    }
    expect(seen).toEqual(range(0, 600));
    expect(connections).toBeGreaterThanOrEqual(20);
  });

  it("sees each once too, while many write and many follow", async () => {
    const { principal, token } = await http.customer();
    const more = await http.customer({ principal });
    const early = await Promise.all([follow(token), follow(token, "?from=start"), follow(more.token)]);
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; n < 25; n++) await happen(principal, writer * 100 + n);
    });
    const late = await Promise.all(Array.from({ length: 4 }, () => follow(more.token, "?from=start")));
    await Promise.all(writers);
    for (const stream of [...early, ...late]) {
      const numbers = numbersOf(await stream.received(100));
      expect(new Set(numbers).size).toBe(100);
      expect(numbers).toHaveLength(100);
      for (let writer = 0; writer < 4; writer++) {
        const own = numbers.filter((n) => Math.floor(Number(n) / 100) === writer);
        expect(own).toEqual(range(writer * 100, writer * 100 + 25));
      }
    }
    // All of them have seen the same in the same order.
    expect(new Set([...early, ...late].map(({ events }) => events.map(({ id }) => id).join())).size).toBe(1);
  });
});

describe("a client that does not read", () => {
  it("is cut off when too much waits for it, keeps nobody waiting, and goes on where it was", async () => {
    const { principal, token } = await http.customer();
    const slow = await follow(token);
    await expect.poll(() => slow.lastEventId).not.toBe("");
    slow.stopReading();
    const other = await follow(token);
    const text = "x".repeat(100_000);
    const event = {
      accountId: principal.accountId,
      type: "instance.progress" as const,
      subjectId: principal.accountId,
    };
    for (let n = 0; n < 150; n++) {
      await world.tx((tx) => recordEvents(tx, [{ ...event, data: { n, text } }]));
      await other.received(n + 1);
    }
    expect(numbersOf(other.events)).toEqual(range(0, 150));
    slow.goOnReading();
    await slow.end();
    expect(slow.events.length).toBeLessThan(150);
    const again = await follow(token, "", slow.lastEventId);
    await again.received(150 - slow.events.length);
    expect([...numbersOf(slow.events), ...numbersOf(again.events)]).toEqual(range(0, 150));
  }, 60_000);
});

describe("streams end", () => {
  const open = async (scopes: ("read" | "write")[] = ["read"]) => {
    const customer = await http.customer({ scopes });
    const stream = await follow(customer.token);
    await expect.poll(() => stream.lastEventId).not.toBe("");
    return { ...customer, stream };
  };

  it("when the token is revoked, and others of the account go on", async () => {
    const { principal, tokenId, stream } = await open();
    const other = await http.customer({ principal });
    const staying = await follow(other.token);
    await world.tx((tx) => revokeToken(tx, principal.accountId, tokenId));
    await stream.end();
    await happen(principal, 1);
    expect(numbersOf((await staying.received(1)).filter(({ data }) => data.type === "instance.progress"))).toEqual([1]);
    expect(staying.ended).toBe(false);
  });

  it("when the token expires", async () => {
    const { tokenId, stream } = await open();
    await sql`update tokens set expires_at = now() + interval '1 millisecond' where id = ${tokenId}`.execute(world.db);
    await stream.end();
  });

  it("when the account is switched off", async () => {
    const { principal, stream } = await open();
    await world.tx((tx) => changeAccount(tx, principal.accountId, { status: "inactive" }));
    await stream.end();
  });

  it("when the server stops, with a hint when to come back", async () => {
    const stopping = await startHttp(world);
    const { token } = await stopping.customer();
    const stream = await openStream(`${stopping.control}/events/stream`, token);
    await expect.poll(() => stream.lastEventId).not.toBe("");
    const began = performance.now();
    await stopping.close();
    expect(performance.now() - began).toBeLessThan(4000);
    await stream.end();
    expect(stream.text).toContain("retry: 1000\n: the server is shutting down\n\n");
  });
});

describe("streams are bounded", () => {
  it("for each token, with a refusal that says so; a place is free again when one ends", async () => {
    const { token } = await http.customer();
    const streams = await Promise.all(range(0, 8).map(() => follow(token)));
    const refused = await http.call("GET", `${http.control}/events/stream`, { token });
    expect([refused.status, codeOf(refused)]).toEqual([403, "global/quota-exceeded"]);
    expect(refused.text).toContain("Close an open stream");
    expect(refused.text).toContain("event streams");
    streams[0]?.cut();
    await expect
      .poll(async () => (await http.call("GET", `${http.control}/events/stream`, { token })).status)
      .toBe(200);
  });

  it("and hold no connection to the database each", async () => {
    const customers = await Promise.all(range(0, 5).map(() => http.customer()));
    const streams = await Promise.all(customers.flatMap(({ token }) => range(0, 8).map(() => follow(token))));
    await Promise.all(customers.map(({ principal }) => happen(principal, 1)));
    for (const stream of streams) await stream.received(1);
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and application_name like 'lessor%'`.execute(world.db);
    // The pool, and the one that listens.
    expect(rows[0]?.count).toBeLessThanOrEqual(9);
  });
});

it("a token that is made for it is all that it needs", async () => {
  const principal = await world.account();
  const order = { accountId: principal.accountId, name: "reader", scopes: ["read"] as const, expiresAt: null };
  const { token } = await world.tx((tx) => createToken(tx, order));
  expect((await follow(token)).status).toBe(200);
});
