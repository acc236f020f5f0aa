// Who may do what: every operation of every interface with every kind of bad credential, and with the identifiers of
// another account. The operations come from the published documents; one that the table (operation-rules.ts) does not know fails.

import { beforeAll, describe, expect, it } from "vitest";
import type { InterfaceName } from "../../src/config/interfaces.ts";
import { examplePublicKey } from "../support/world.ts";
import { type Ask, at, codeOf, textAt } from "./client.ts";
import { changesNothing } from "./digest.ts";
import { type Rule, rules } from "./operation-rules.ts";
import { claim } from "./rows.ts";
import { type Customer, hosts, sceneOfFile, types } from "./scene.ts";
import { variants } from "./variants.ts";

const scene = sceneOfFile();
let ada: Customer;
let eve: Customer;
const tokens: Record<"expired" | "revoked" | "inactive", string> = { expired: "", revoked: "", inactive: "" };
const withScope = new Map<string, string>();
/** One of each, of Eve. */
const hers: Record<NonNullable<Rule["names"]>, string> = {
  instance: "",
  session: "",
  "ssh-key": "",
  "file-system": "",
  token: "",
  webhook: "",
  "firewall-ruleset": "",
  launch: "",
  "capacity-notice": "",
  reservation: "",
  "maintenance-window": "",
  invitation: "",
  member: "",
};

beforeAll(async () => {
  ada = await scene.customer();
  eve = await scene.customer();
  tokens.expired = (await scene.customer({ of: ada, expiresAt: "2099-01-01T00:00:00Z" })).token;
  await expire(ada);
  const revoked = await scene.customer({ of: ada });
  await scene.control("DELETE", `/accounts/${ada.accountId}/tokens/${revoked.tokenId}`);
  tokens.revoked = revoked.token;
  const off = await scene.customer({ scopes: ["read", "write", "operator"] });
  await scene.control("PATCH", `/accounts/${off.accountId}`, { status: "inactive" });
  tokens.inactive = off.token;
  for (const scope of ["read", "write", "operator"] as const) {
    withScope.set(scope, (await scene.customer({ of: ada, scopes: [scope] })).token);
  }
  hers.instance = await scene.active(eve);
  const key = await scene.client.need("reference", "POST", "/ssh-keys", {
    token: eve.token,
    body: { name: "hers", public_key: examplePublicKey },
  });
  hers["ssh-key"] = textAt(key, "data", 0, "id");
  const order = { name: "hers", region: "north", size_gb: 1 };
  hers["file-system"] = textAt(await scene.control("POST", "/file-systems", order, { token: eve.token }), "id");
  hers.token = eve.tokenId;
  const hook = { url: "https://example.com/hook", active: false };
  hers.webhook = textAt(await scene.control("POST", "/webhooks", hook, { token: eve.token }), "id");
  const set = { name: "hers", region: "north", rules: [] };
  const made = await scene.client.need("lambda", "POST", "/firewall-rulesets", { token: eve.token, body: set });
  hers["firewall-ruleset"] = textAt(made, "data", "id");
  const invited = { email: "hers@example.com", role: "viewer" };
  hers.invitation = textAt(await scene.control("POST", "/invitations", invited, { token: eve.token }), "id");
  hers.session = await scene.session(eve);
  hers.member = (await scene.person(eve, "member")).personId;
  hers.launch = await scene.waiting(eve);
  hers["capacity-notice"] = textAt(await scene.control("POST", "/capacity-notices", {}, { token: eve.token }), "id");
  hers.reservation = await scene.reserved(eve);
  const maintenance = {
    host: textAt(await scene.control("GET", `/instances/${hers.instance}`), "host"),
    from: new Date(Date.now() + 86_400_000).toISOString(),
    to: new Date(Date.now() + 90_000_000).toISOString(),
    reason: "Disk",
    mode: "nothing",
  };
  hers["maintenance-window"] = textAt(await scene.control("POST", "/maintenance-windows", maintenance), 0, "id");
  await scene.settled();
});

/** The token with an expiry expires: only the database can make that happen now. */
async function expire(customer: Customer): Promise<void> {
  await scene.db
    .updateTable("tokens")
    .set({ expires_at: new Date(0) })
    .where("account_id", "=", customer.accountId)
    .where("expires_at", "is not", null)
    .execute();
}

/** Paths with something in the place of each parameter. */
function pathWith(template: string, id: string): string {
  return template.replace(/\{[^}]+\}/g, id);
}

const someId = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";

function call(name: InterfaceName, operation: string, id: string, options: Ask) {
  const [method = "", template = ""] = operation.split(" ");
  return scene.client.ask(name, method, pathWith(template, id), options);
}

const names = ["marketplace", "direct", "reference", "lambda", "control"] as const;

describe("the table of operations", () => {
  it.each(names)("knows every operation of %s", (name) => {
    const published = scene.client.operations(name).map(([method, path]) => `${method} ${path}`);
    expect(Object.keys(rules[name]).toSorted()).toEqual(published.toSorted());
  });
});

const bad: Record<
  string,
  { readonly headers: () => Record<string, string>; readonly status: number; readonly code: string }
> = {
  "no token": { headers: () => ({}), status: 401, code: "global/invalid-api-key" },
  "an empty header": { headers: () => ({ authorization: "" }), status: 401, code: "global/invalid-api-key" },
  "another scheme": { headers: () => ({ authorization: "Basic YTpi" }), status: 401, code: "global/invalid-api-key" },
  "a scheme alone": { headers: () => ({ authorization: "Bearer" }), status: 401, code: "global/invalid-api-key" },
  "two tokens": {
    headers: () => ({ authorization: `Bearer ${ada.token} ${ada.token}` }),
    status: 401,
    code: "global/invalid-api-key",
  },
  "a token without its scheme": {
    headers: () => ({ authorization: ada.token }),
    status: 401,
    code: "global/invalid-api-key",
  },
  "an unknown token": {
    headers: () => ({ authorization: `Bearer ${ada.token}x` }),
    status: 401,
    code: "global/invalid-api-key",
  },
  "an expired token": {
    headers: () => ({ authorization: `Bearer ${tokens.expired}` }),
    status: 401,
    code: "global/invalid-api-key",
  },
  "a revoked token": {
    headers: () => ({ authorization: `Bearer ${tokens.revoked}` }),
    status: 401,
    code: "global/invalid-api-key",
  },
  "an inactive account's token": {
    headers: () => ({ authorization: `Bearer ${tokens.inactive}` }),
    status: 403,
    code: "global/account-inactive",
  },
};

describe.each(names)("every operation of %s", (name) => {
  it.each(Object.keys(bad))("refuses %s, before it looks at anything else", async (what) => {
    const { headers, status, code } = bad[what] ?? { headers: () => ({}), status: 0, code: "" };
    await changesNothing(scene, async () => {
      for (const [operation, { open = false }] of Object.entries(rules[name])) {
        if (open && !("authorization" in headers())) continue;
        const body = operation.startsWith("GET") ? undefined : "{ this is not JSON";
        const answer = await call(name, operation, someId, { headers: headers(), body });
        expect([answer.status, codeOf(answer)], operation).toEqual([status, code]);
        expect(answer.headers.get("www-authenticate"), operation).toBe(status === 401 ? "Bearer" : null);
      }
    });
  });

  it("refuses a token without the scope, before it looks at anything else", async () => {
    await changesNothing(scene, async () => {
      for (const [operation, { scopes }] of Object.entries(rules[name])) {
        for (const [scope, token] of withScope) {
          if (scopes.some((one) => one === scope)) continue;
          const body = operation.startsWith("GET") ? undefined : "{ this is not JSON";
          const answer = await call(name, operation, someId, { token, body });
          expect([answer.status, codeOf(answer)], `${operation} with ${scope}`).toEqual([403, "global/forbidden"]);
        }
      }
    });
  });

  it("lets a token with the scope in", async () => {
    for (const [operation, { scopes }] of Object.entries(rules[name])) {
      for (const scope of scopes) {
        // A body that means nothing gets past the gate, and no further.
        const body = operation.startsWith("GET") ? undefined : "[]";
        const answer = await call(name, operation, someId, { token: withScope.get(scope) ?? "", body });
        expect([401, 403], `${operation} with ${scope}`).not.toContain(answer.status);
      }
    }
  });

  it("takes another account's object for one that does not exist", async () => {
    await changesNothing(scene, async () => {
      for (const [operation, { names: what, ids, body: rest }] of Object.entries(rules[name])) {
        if (what === undefined) continue;
        const answered = async (id: string) => {
          const body = ids === undefined ? rest : { ...rest, [ids]: [id] };
          const answer = await call(name, operation, id, { token: ada.token, body });
          return { status: answer.status, text: answer.text.replaceAll(id, "ID").replace(/"request_id":"[^"]*"/, "") };
        };
        const others = await answered(hers[what]);
        expect(others, operation).toEqual(await answered(someId));
        expect(others.status, operation).toBe(name === "reference" && what === "ssh-key" ? 400 : 404);
        const isKeyOfLambda = name === "lambda" && what === "ssh-key";
        expect(others.text, operation).toContain(isKeyOfLambda ? "global/not-found" : "global/object-does-not-exist");
      }
    });
  });
});

claim("spec/authentication", {
  "1": async () => {
    for (const { name } of variants) {
      for (const operation of Object.keys(rules[name])) {
        expect((await call(name, operation, someId, {})).status, operation).toBe(401);
      }
    }
  },
  "2": async () => {
    for (const variant of variants) {
      for (const header of [`Bearer ${ada.token}`, `bearer ${ada.token}`, `BEARER   ${ada.token} `]) {
        const headers = { authorization: header };
        expect((await scene.client.ask(variant.name, "GET", variant.list.path, { headers })).status).toBe(200);
      }
    }
  },
  "3": async () => {
    const given = await scene.control("POST", `/accounts/${ada.accountId}/tokens`, { name: "given", scopes: ["read"] });
    const own = await scene.control("POST", "/tokens", { name: "own", scopes: ["read"] }, { token: ada.token });
    for (const token of [textAt(given, "token"), textAt(own, "token")]) {
      for (const variant of variants) await scene.client.need(variant.name, "GET", variant.list.path, { token });
    }
  },
  "4": () => {
    const { paths } = scene.client.documents.reference;
    for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["401", "403"]));
    }
  },
  "5": async () => {
    const order = { name: "short", scopes: ["read"], expires_at: "2099-01-01T00:00:00.000Z" };
    const made = await scene.control("POST", "/tokens", order, { token: ada.token });
    expect(made).toMatchObject({ scopes: ["read"], expires_at: "2099-01-01T00:00:00.000Z" });
    const token = textAt(made, "token");
    await scene.client.need("reference", "GET", "/instances", { token });
    await expire(ada);
    expect((await scene.client.ask("reference", "GET", "/instances", { token })).status).toBe(401);
    for (const scopes of [[], ["admin"], Array(17).fill("read"), "read"]) {
      const body = { name: "x", scopes };
      const answer = await scene.client.ask("control", "POST", "/tokens", { token: ada.token, body });
      expect(answer.status, JSON.stringify(scopes)).toBe(400);
    }
  },
});

describe("scopes", () => {
  it("cannot be widened by an account itself", async () => {
    const body = { name: "x", scopes: ["read", "operator"] };
    const answer = await scene.client.ask("control", "POST", "/tokens", { token: ada.token, body });
    expect([answer.status, codeOf(answer)]).toEqual([403, "global/forbidden"]);
  });

  it("do not include one another: an operator's token alone rents nothing", async () => {
    const token = withScope.get("operator") ?? "";
    const body = { instance_type_name: types.cpu, region_name: "any" };
    const answer = await scene.client.ask("reference", "POST", "/instance-operations/launch", { token, body });
    expect(answer.status).toBe(403);
    expect(at(await scene.client.need("control", "GET", `/hosts/${hosts.north}`, { token }), "data", "name")).toBe(
      "north-1",
    );
  });
});
