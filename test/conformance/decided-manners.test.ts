// What holds for all three interfaces alike: request ids, unknown fields, tokens, paging, filters, ETags, idempotency.

import { beforeAll, describe, expect, it } from "vitest";
import type { InterfaceName } from "../../src/config/interfaces.ts";
import { untilKeyHolderWaits, withoutNewInstances } from "../support/interleave.ts";
import { examplePublicKey } from "../support/world.ts";
import { type Ask, at, codeOf, fieldsOf, listAt, textAt } from "./client.ts";
import { changesNothing } from "./digest.ts";
import { claim } from "./rows.ts";
import { type Customer, regions, sceneOfFile, types } from "./scene.ts";
import { instanceIn } from "./states.ts";
import { marketplace, reference, type VariantFacts, variants } from "./variants.ts";

const scene = sceneOfFile();
const names = ["marketplace", "direct", "reference", "lambda", "control"] as const;
const someId = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
let ada: Customer;

beforeAll(async () => {
  ada = await scene.customer();
});

const ask = (name: InterfaceName, method: string, path: string, options: Ask = {}) =>
  scene.client.ask(name, method, path, { token: ada.token, ...options });

const launch = (variant: VariantFacts, options: Ask = {}, more: object = {}) =>
  ask(variant.name, "POST", variant.launch.path, {
    body: { ...variant.launch.body({ type: types.cpu }), ...more },
    ...options,
  });

/** Every page of a list, by following its Link headers. */
async function pages(variant: VariantFacts, customer: Customer, query: string): Promise<unknown[][]> {
  const base = new URL(scene.client.bases[variant.name]);
  const found: unknown[][] = [];
  let path: string | undefined = `${variant.list.path}?${query}`;
  while (path !== undefined) {
    const answer = await scene.client.ask(variant.name, "GET", path, { token: customer.token });
    expect(answer.status, answer.text).toBe(200);
    found.push(variant.list.entries(answer.body).map((entry) => at(entry, variant.list.idField)));
    const next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get("link") ?? "")?.[1];
    path = next?.slice(base.pathname === "/" ? 0 : base.pathname.length);
    expect(found.length).toBeLessThan(50);
  }
  return found;
}

claim("decided/manners", {
  "request-id": async () => {
    for (const name of names) {
      // The client looks for the header in every answer; here it is also the one that was sent.
      const headers = { "x-request-id": "my.id-1" };
      const answer = await scene.client.stray(name, "GET", "/openapi.json", { headers });
      expect(answer.headers.get("x-request-id")).toBe("my.id-1");
      const lost = await scene.client.stray(name, "GET", "/nothing", { headers });
      expect(at(lost.body, "error", "request_id")).toBe("my.id-1");
      const odd = await scene.client.stray(name, "GET", "/nothing", { headers: { "x-request-id": "no good!" } });
      expect(at(odd.body, "error", "request_id")).toMatch(/^[0-9a-f-]{36}$/);
    }
  },
  "error-body": async () => {
    for (const { name } of variants) {
      const without = await scene.client.ask(name, "GET", "/ssh-keys", { token: "wrong" });
      expect(without.body).not.toHaveProperty("field_errors");
      const withFields = await ask(name, "POST", "/ssh-keys", { body: {} });
      expect(Object.keys(withFields.body as object)).toEqual(["error", "field_errors"]);
    }
  },
  indistinguishable: async () => {
    const eve = await scene.customer();
    const hers = await instanceIn(scene, eve, "active");
    for (const variant of variants) {
      const read = async (id: string) => {
        const { status, text } = await ask(variant.name, "GET", variant.read.path(id));
        return { status, text: text.replaceAll(id, "ID").replace(/"request_id":"[^"]*"/, "") };
      };
      expect(await read(hers)).toEqual(await read(someId));
    }
  },
  "unknown-fields": async () => {
    for (const variant of variants) {
      const answer = await launch(variant, {}, { unknown: { a: [1] }, another: null, constructor: "x" });
      expect(answer.status).toBe(variant.launch.status);
      const [type, region] = Object.keys(variant.launch.body({ type: types.cpu }));
      for (const wrong of [{ [type ?? ""]: 5 }, { [region ?? ""]: true }, { [type ?? ""]: [types.cpu] }]) {
        expect((await launch(variant, {}, wrong)).status).toBe(400);
      }
    }
    for (const quantity of ["1", "", true, null, [1], { a: 1 }]) {
      expect((await launch(marketplace, {}, { quantity })).status, JSON.stringify(quantity)).toBe(400);
      expect((await launch(reference, {}, { quantity })).status, JSON.stringify(quantity)).toBe(400);
    }
  },
  tokens: async () => {
    const made = await scene.control("POST", "/tokens", { name: "x", scopes: ["read"] }, { token: ada.token });
    const token = textAt(made, "token");
    expect(token).toMatch(/^lessor_[A-Za-z0-9_-]{43,}$/);
    const rows = await scene.db.selectFrom("tokens").selectAll().execute();
    expect(rows.map(({ hash }) => hash.length)).toEqual(rows.map(() => 32));
    expect(JSON.stringify(rows)).not.toContain(token);
    const list = await scene.control("GET", "/tokens", undefined, { token: ada.token });
    expect(JSON.stringify(list)).not.toContain(token);
    await scene.client.need("reference", "GET", "/instances", { token });
    await scene.control("DELETE", `/tokens/${textAt(made, "id")}`, undefined, { token: ada.token });
    for (const { name } of variants) {
      expect((await scene.client.ask(name, "GET", "/ssh-keys", { token })).status).toBe(401);
    }
  },
  idempotency: async () => {
    for (const variant of variants) {
      const key = scene.fresh("key");
      const first = await launch(variant, { headers: { "idempotency-key": key } });
      const before = await scene.db.selectFrom("instances").select("id").orderBy("id").execute();
      for (const written of [key, `"${key}"`]) {
        const again = await launch(variant, { headers: { "idempotency-key": written } });
        expect([again.status, again.text]).toEqual([first.status, first.text]);
        expect(again.headers.get("idempotency-replayed")).toBe("true");
      }
      expect(await scene.db.selectFrom("instances").select("id").orderBy("id").execute()).toEqual(before);
    }
    for (const name of names) {
      for (const [method, path] of scene.client.operations(name).filter(([verb]) => verb === "POST")) {
        const options = { headers: { "idempotency-key": "not a key" }, token: scene.operator, body: {} };
        const answer = await ask(name, method, path.replace(/\{[^}]+\}/g, someId), options);
        expect(answer.status, `${method} ${path} looks at its key`).toBe(400);
      }
    }
  },
  paging: async () => {
    const eve = await scene.customer();
    const ids: string[] = [];
    for (const region of [regions.north, regions.south, regions.north, regions.north, regions.south]) {
      ids.push(await scene.active(eve, { region }));
    }
    for (const variant of variants) {
      const all = (from: number, to?: number) => ids.slice(from, to);
      expect(await pages(variant, eve, "")).toEqual([ids]);
      expect(await pages(variant, eve, "limit=2")).toEqual([all(0, 2), all(2, 4), all(4)]);
      expect(await pages(variant, eve, "limit=5")).toEqual([ids]);
      const inSouth = [ids[1], ids[4]];
      expect(await pages(variant, eve, "region=south&limit=1")).toEqual([[ids[1]], [ids[4]]]);
      expect(await pages(variant, eve, "region=south")).toEqual([inSouth]);
      const word = String(at(variant.shows.active, "status"));
      expect(await pages(variant, eve, `status=${word}`)).toEqual([ids]);
      const odd = ["region=nowhere", `status[]=${word}`, "region[0]=south"];
      for (const bad of [
        "limit=0",
        "limit=1001",
        "limit=x",
        "cursor=x",
        "status=unheard-of",
        "limit=1&limit=2",
        ...odd,
      ]) {
        const answer = await ask(variant.name, "GET", `${variant.list.path}?${bad}`);
        expect([answer.status, fieldsOf(answer)], bad).toEqual([400, [bad.split("=")[0]]]);
      }
    }
  },
  conditional: async () => {
    const eve = await scene.customer();
    const id = await instanceIn(scene, eve, "active");
    const set = { name: "hers", region: "north", rules: [] };
    const made = await scene.client.need("lambda", "POST", "/firewall-rulesets", { token: eve.token, body: set });
    const ruleset = textAt(made, "data", "id");
    for (const { name } of variants) {
      for (const [, template] of scene.client.operations(name).filter(([method]) => method === "GET")) {
        const path = template.replace(/\{[^}]+\}/g, template.startsWith("/firewall-rulesets") ? ruleset : id);
        const first = await scene.client.ask(name, "GET", path, { token: eve.token });
        const etag = first.headers.get("etag") ?? "";
        expect(etag, path).toMatch(/^"[^"]+"$/);
        for (const match of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
          const headers = { "if-none-match": match };
          const again = await scene.client.ask(name, "GET", path, { token: eve.token, headers });
          expect([again.status, again.text, again.headers.get("etag")], path).toEqual([304, "", etag]);
        }
        const headers = { "if-none-match": '"other"' };
        const changed = await scene.client.ask(name, "GET", path, { token: eve.token, headers });
        expect([changed.status, changed.text]).toEqual([200, first.text]);
      }
    }
  },
});

describe("an Idempotency-Key", () => {
  const withKey = (key: string) => ({ headers: { "idempotency-key": key } });

  it.each(variants.map((variant) => [variant.name, variant] as const))(
    "of %s that is used for another body is refused, and nothing happens",
    async (_name, variant) => {
      const key = scene.fresh("key");
      await launch(variant, withKey(key));
      await scene.settled();
      const other = await changesNothing(scene, () => launch(variant, withKey(key), { unknown: 1 }));
      expect([other.status, codeOf(other)]).toEqual([422, "idempotency/key-reused"]);
    },
  );

  it.each(variants.map((variant) => [variant.name, variant] as const))(
    "of %s sent ten times at once has one effect; the others are told to come back, or get the same answer",
    async (_name, variant) => {
      const eve = await scene.customer();
      const options = { token: eve.token, ...withKey(scene.fresh("key")) };
      const answers = await Promise.all(Array.from({ length: 10 }, () => launch(variant, options)));
      const good = answers.filter(({ status }) => status === variant.launch.status);
      expect(answers.filter(({ status }) => status !== variant.launch.status && status !== 409)).toEqual([]);
      expect(new Set(good.map(({ text }) => text)).size).toBe(1);
      const made = await scene.db
        .selectFrom("instances")
        .select("id")
        .where("account_id", "=", eve.accountId)
        .execute();
      expect(made).toHaveLength(1);
    },
  );

  it("tells a second request to come back while the first is being worked on", async () => {
    const eve = await scene.customer();
    await using other = await withoutNewInstances(scene.db);
    const options = { token: eve.token, ...withKey("busy") };
    const first = launch(reference, options);
    await untilKeyHolderWaits(scene.db);
    const second = await launch(reference, options);
    expect([second.status, second.headers.get("retry-after")]).toEqual([409, "1"]);
    await other.commit();
    const answer = await first;
    expect(answer.status).toBe(200);
    expect((await launch(reference, options)).text).toBe(answer.text);
  });

  it("belongs to an account", async () => {
    const eve = await scene.customer();
    const key = scene.fresh("key");
    const mine = await launch(reference, withKey(key));
    const hers = await launch(reference, { token: eve.token, ...withKey(key) });
    expect([mine.status, hers.status, hers.text === mine.text]).toEqual([200, 200, false]);
  });

  it("is not used up by a failure", async () => {
    const eve = await scene.customer();
    const order = { ssh_key_names: ["later"] };
    const options = { token: eve.token, ...withKey("again") };
    expect((await launch(marketplace, options, order)).status).toBe(400);
    const body = { name: "later", public_key: examplePublicKey };
    await scene.client.need("marketplace", "POST", "/ssh-keys", { token: eve.token, body });
    expect((await launch(marketplace, options, order)).status).toBe(200);
  });

  it("gives a generated key pair's private half again to who lost the answer", async () => {
    const options = { ...withKey("pair"), body: { name: "pair" } };
    const first = await ask("reference", "POST", "/ssh-keys", options);
    const second = await ask("reference", "POST", "/ssh-keys", options);
    expect(listAt(first.body, "data")).toHaveLength(1);
    expect(second.text).toBe(first.text);
  });
});
