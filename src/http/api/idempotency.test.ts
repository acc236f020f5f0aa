import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import type { Principal } from "../../rental/service.ts";
import { fingerprint, parseIdempotencyKey } from "./idempotency.ts";

let world: World;
let http: RunningHttp;
let token: string;
let accountId: string;
let principal: Principal;

beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world);
  const customer = await http.customer();
  token = customer.token;
  principal = customer.principal;
  accountId = principal.accountId;
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

/** Generates a key pair in R: an effect that can be counted, and an answer that is shown only once. */
async function generate(key: string, name: string, base = http.reference, as = token) {
  const result = await http.call("POST", `${base}/ssh-keys`, {
    token: as,
    body: { name },
    headers: { "idempotency-key": key },
  });
  return { ...result, replayed: result.headers.get("idempotency-replayed") };
}

async function names(): Promise<string[]> {
  const { body } = await http.call("GET", `${http.reference}/ssh-keys`, { token });
  return (body as { data: { name: string }[] }).data.map(({ name }) => name);
}

describe("the same request with the same key", () => {
  it("gets the first answer byte for byte, and has no second effect", async () => {
    const first = await generate("key-1", "one");
    expect([first.status, first.replayed]).toEqual([200, null]);
    expect(first.text).toContain("OPENSSH PRIVATE KEY");
    const second = await generate('"key-1"', "one");
    expect([second.status, second.replayed, second.text]).toEqual([200, "true", first.text]);
    expect((await names()).filter((name) => name === "one")).toHaveLength(1);
  });

  it("is the same whatever its spacing and order of keys", async () => {
    const options = (body: string) => ({ token, body, headers: { "idempotency-key": "key-2" } });
    const first = await http.call("POST", `${http.reference}/ssh-keys`, options('{"name":"two","x":1}'));
    const second = await http.call("POST", `${http.reference}/ssh-keys`, options('{ "x": 1, "name": "two" }'));
    expect(second.text).toBe(first.text);
  });

  it("is nobody else's: another account's key is another key", async () => {
    const other = (await http.customer()).token;
    expect((await generate("key-1", "one", http.reference, other)).replayed).toBeNull();
  });

  it("counts again after 24 hours", async () => {
    await generate("key-old", "old");
    await sql`update idempotency_keys set created_at = now() - interval '24 hours 1 second' where key = 'key-old'`.execute(
      world.db,
    );
    const late = await generate("key-old", "older");
    expect([late.status, late.replayed]).toEqual([200, null]);
    expect((await generate("key-old", "older")).replayed).toBe("true");
  });

  it("is one request through every place where the interface is served", async () => {
    const first = await generate("key-places", "places");
    const second = await generate("key-places", "places", `${http.main}/reference`);
    expect([second.status, second.replayed, second.text]).toEqual([200, "true", first.text]);
  });

  it("is answered to another token of the account that may do as much, and to none that may do less", async () => {
    const operator = (await http.customer({ principal, scopes: ["write", "operator"] })).token;
    const writer = (await http.customer({ principal, scopes: ["write"] })).token;
    const order = { body: { name: "key-scopes", scopes: ["operator"] }, headers: { "idempotency-key": "key-scopes" } };
    const ask = (as: string) => http.call("POST", `${http.control}/tokens`, { ...order, token: as });
    const first = await ask(operator);
    expect(first.status).toBe(200);
    expect(await ask(writer)).toMatchObject({ status: 403, body: { error: { code: "global/forbidden" } } });
    const rotated = (await http.customer({ principal, scopes: ["read", "write", "operator"] })).token;
    expect((await ask(rotated)).text).toBe(first.text);
  });

  it("gives a token with a spend limit no token that another made, and the other what it made", async () => {
    const big = await http.customer({ principal });
    const limited = await http.customer({ principal });
    const order = { name: "big", scopes: ["read", "write"] };
    const ask = (as: string, key?: string) => {
      const headers = key === undefined ? {} : { "idempotency-key": key };
      return http.call("POST", `${http.control}/tokens`, { body: order, headers, token: as });
    };
    // Its own answers it gets again, also those of before it had a limit.
    const own = await ask(limited.token, "key-own");
    await world.db
      .updateTable("tokens")
      .set({ spend_limit_cents: 100 })
      .where("id", "=", limited.principal.tokenId)
      .execute();
    expect((await ask(limited.token, "key-own")).text).toBe(own.text);

    const first = await ask(big.token, "key-big");
    expect(first.status).toBe(200);
    expect((await ask(limited.token)).status).toBe(409);
    const stolen = await ask(limited.token, "key-big");
    expect(stolen).toMatchObject({ status: 422, body: { error: { code: "idempotency/key-reused" } } });
    expect(stolen.text).toContain("by another token");
    expect(stolen.text).not.toContain("lessor_");
    expect((await ask(big.token, "key-big")).text).toBe(first.text);
  });

  it("gives one that expires no answer to one that never does", async () => {
    const order = { body: { name: "ever", scopes: ["read"] }, headers: { "idempotency-key": "key-ever" } };
    const ask = (as: string) => http.call("POST", `${http.control}/tokens`, { ...order, token: as });
    expect((await ask(token)).status).toBe(200);
    const expiring = await http.customer({ principal });
    const expires_at = new Date("2099-01-01T00:00:00.000Z");
    await world.db.updateTable("tokens").set({ expires_at }).where("id", "=", expiring.principal.tokenId).execute();
    expect((await ask(expiring.token)).status).toBe(422);
  });

  it("keeps no hash that would let a reader of the database guess a body", async () => {
    await generate("key-hash", "hash");
    const row = await world.db.selectFrom("idempotency_keys").selectAll().where("key", "=", "key-hash").execute();
    const known = fingerprint("reference addSshKey", {}, { name: "hash" });
    expect(JSON.stringify(row)).not.toContain(known);
    expect(Object.keys(row[0] ?? {}).sort()).toEqual([
      "account_id",
      "answer_sealed",
      "created_at",
      "key",
      "scopes",
      "token_id",
    ]);
  });

  it("keeps answers sealed", async () => {
    await generate("key-sealed", "sealed");
    const rows = await world.db.selectFrom("idempotency_keys").select("answer_sealed").execute();
    expect(JSON.stringify(rows)).not.toContain("PRIVATE");
  });
});

describe("a key", () => {
  it("that was used for another body or path is 422", async () => {
    await generate("key-3", "three");
    const body = await generate("key-3", "other");
    expect(body).toMatchObject({ status: 422, body: { error: { code: "idempotency/key-reused" } } });
    const path = await http.call("POST", `${http.marketplace}/ssh-keys`, {
      token,
      body: { name: "three", public_key: "x" },
      headers: { "idempotency-key": "key-3" },
    });
    expect(path.status).toBe(422);
  });

  it("of a refused request may be used again, for the refusal had no effect", async () => {
    expect((await generate("key-4", "not/allowed")).status).toBe(400);
    expect((await generate("key-4", "four")).status).toBe(200);
  });

  it.each(["", "with space", "é", "x".repeat(256)])("%j is refused", async (key) => {
    expect(() => parseIdempotencyKey(key)).toThrow();
  });

  it("may be quoted, with quotes inside", () => {
    expect(parseIdempotencyKey('"a\\"b"')).toBe('a"b');
    expect(parseIdempotencyKey("a")).toBe(parseIdempotencyKey('"a"'));
  });

  it("of a request that is being worked on is 409 with Retry-After", async () => {
    await world.db.transaction().execute(async (tx) => {
      const { createHash } = await import("node:crypto");
      const digest = createHash("sha256").update(`idempotency ${accountId} key-5`).digest();
      await sql`select pg_advisory_xact_lock(${digest.readBigInt64BE().toString()}::bigint)`.execute(tx);
      const busy = await generate("key-5", "five");
      expect(busy).toMatchObject({ status: 409, body: { error: { code: "idempotency/in-progress" } } });
      expect(busy.headers.get("retry-after")).toBe("1");
    });
    expect((await generate("key-5", "five")).status).toBe(200);
  });

  it("sent twenty times at once has one effect", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => generate("key-6", "six")));
    expect([...new Set(all.map(({ status }) => status))].filter((status) => status !== 409)).toEqual([200]);
    expect((await names()).filter((name) => name === "six")).toHaveLength(1);
  });
});

describe("fingerprints", () => {
  it("tell a list of pairs from an object, and look at every level", () => {
    const of = (body: unknown) => fingerprint("POST", "/x", body);
    expect(of({ a: 1 })).not.toBe(of([["a", 1]]));
    expect(of({ a: { b: 1, c: 2 } })).toBe(of({ a: { c: 2, b: 1 } }));
    expect(of({ a: { b: 1 } })).not.toBe(of({ a: { b: 2 } }));
    expect(of(undefined)).not.toBe(of({}));
  });
});
