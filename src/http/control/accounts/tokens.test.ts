import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, idOf, startControl } from "../../../../test/support/control.ts";

const unknown = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";

let control: Control;
let account: string;
beforeAll(async () => {
  control = await startControl();
  account = idOf(await control.data("POST", "/accounts", { body: { name: "acme" } }));
});
afterAll(() => control.close());

const make = (body: object, id = account) =>
  control.data("POST", `/accounts/${id}/tokens`, { body }) as Promise<{ id: string; token: string }>;

describe("creating a token for an account", () => {
  it("shows it once, and never again", async () => {
    const made = await make({ name: "ci", scopes: ["read", "write"] });
    expect(made).toEqual({
      id: expect.any(String),
      person_id: null,
      operator_role: null,
      name: "ci",
      scopes: ["read", "write"],
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      spend_limit_cents: null,
      spent_this_month_cents: null,
      compatibility_version: null,
      created_at: expect.any(String),
      token: expect.stringMatching(/^lessor_[A-Za-z0-9_-]{43}$/),
    });
    const { token, ...rest } = made;
    const list = await control.ask("GET", `/accounts/${account}/tokens`);
    expect((list.body as { data: unknown[] }).data).toContainEqual(rest);
    expect(list.text).not.toContain(token);
  });

  it("may pin it to a version of the reference interface, which is shown ever after", async () => {
    const made = await make({ name: "pinned", scopes: ["read"], compatibility_version: "1.0.3" });
    expect(made).toMatchObject({ compatibility_version: "1.0.3" });
    const { body } = await control.ask("GET", `/accounts/${account}/tokens`);
    expect((body as { data: object[] }).data).toContainEqual(
      expect.objectContaining({ id: made.id, compatibility_version: "1.0.3" }),
    );
    expect(await make({ name: "not", scopes: ["read"], compatibility_version: null })).toMatchObject({
      compatibility_version: null,
    });
    expect(await make({ name: "vendor", scopes: ["read"], compatibility_version: "vendor-1.0" })).toMatchObject({
      compatibility_version: "vendor-1.0",
    });
    for (const compatibility_version of ["1.0.2", "", 1.0]) {
      const body = { name: "x", scopes: ["read"], compatibility_version };
      const result = await control.ask("POST", `/accounts/${account}/tokens`, { body });
      expect([result.status, fieldsOf(result)]).toEqual([400, ["compatibility_version"]]);
    }
  });

  it("takes a scope that is named twice once", async () => {
    expect(await make({ name: "twice", scopes: ["write", "write"] })).toMatchObject({ scopes: ["write"] });
  });

  it("gives one that is that account's, with those scopes", async () => {
    const { id, token } = await make({ name: "reader", scopes: ["read"] });
    expect(await control.data("GET", "/account", { token })).toMatchObject({
      id: account,
      token: { id, scopes: ["read"] },
    });
    expect((await control.ask("POST", "/tokens", { token, body: { name: "x", scopes: ["read"] } })).status).toBe(403);
  });

  it("may make an operator", async () => {
    const { token } = await make({ name: "op", scopes: ["operator"] });
    expect((await control.ask("GET", "/accounts", { token })).status).toBe(200);
  });

  it("may make one that expires", async () => {
    const made = await make({ name: "short", scopes: ["read"], expires_at: "2099-01-01T00:00:00+01:00" });
    expect(made).toMatchObject({ expires_at: "2098-12-31T23:00:00.000Z" });
    expect(await make({ name: "long", scopes: ["read"], expires_at: null })).toMatchObject({ expires_at: null });
  });

  it("makes one that expires no later than the token that asks, and as late unless told", async () => {
    const until = "2098-12-31T23:00:00.000Z";
    const { token } = await make({ name: "short op", scopes: ["operator"], expires_at: until });
    const ask = (expiry: object) =>
      control.ask("POST", `/accounts/${account}/tokens`, { token, body: { name: "x", scopes: ["read"], ...expiry } });
    expect((await ask({})).body).toMatchObject({ data: { expires_at: until } });
    for (const expires_at of [null, "2099-01-01T00:00:00Z"]) {
      const result = await ask({ expires_at });
      expect([result.status, fieldsOf(result)]).toEqual([400, ["expires_at"]]);
      expect(result.text).toContain(`expires at ${until}`);
    }
  });

  it("does not let a token with a limit make one with which it would lift that", async () => {
    const { id, token } = await make({ name: "limited op", scopes: ["operator", "write"], spend_limit_cents: 100 });
    const other = idOf(await control.data("POST", "/accounts", { body: { name: "another" } }));
    for (const path of [`/accounts/${account}/tokens`, `/accounts/${other}/tokens`, "/tokens"]) {
      const result = await control.ask("POST", path, { token, body: { name: "free", scopes: ["operator"] } });
      expect([result.status, codeOf(result)]).toEqual([409, "global/conflict"]);
    }
    await control.data("PATCH", `/accounts/${account}`, { body: { spend_limit_cents: 1000 } });
    for (const path of [`/accounts/${account}`, `/accounts/${account}/tokens/${id}`]) {
      const result = await control.ask("PATCH", path, { token, body: { spend_limit_cents: null } });
      expect([result.status, codeOf(result)]).toEqual([409, "global/conflict"]);
    }
    await control.data("PATCH", `/accounts/${account}`, { body: { spend_limit_cents: null } });
    await control.data("PATCH", `/accounts/${account}`, { body: { payment_terms: "prepaid" } });
    for (const body of [{ payment_terms: "postpaid" }, { payment_terms: "postpaid", credit_line_cents: 1 }]) {
      const result = await control.ask("PATCH", `/accounts/${account}`, { token, body });
      expect([result.status, codeOf(result)]).toEqual([409, "global/conflict"]);
    }
    await control.data("PATCH", `/accounts/${account}`, { body: { payment_terms: "postpaid" } });
  });

  it("does not let a token with a limit revoke one without", async () => {
    const { token } = await make({ name: "limited", scopes: ["read", "write", "operator"], spend_limit_cents: 100 });
    const { id: free } = await make({ name: "unlimited", scopes: ["read"] });
    for (const path of [`/accounts/${account}/tokens/${free}`, `/tokens/${free}`]) {
      const result = await control.ask("DELETE", path, { token });
      expect([result.status, codeOf(result)]).toEqual([409, "global/conflict"]);
    }
    const listed = await control.data("GET", `/accounts/${account}/tokens`);
    expect(listed).toEqual(expect.arrayContaining([expect.objectContaining({ id: free, revoked_at: null })]));
  });

  it("repeated with its Idempotency-Key gives the same token", async () => {
    const options = { body: { name: "k", scopes: ["read"] }, headers: { "idempotency-key": "token" } };
    const first = await control.data("POST", `/accounts/${account}/tokens`, options);
    expect(await control.data("POST", `/accounts/${account}/tokens`, options)).toEqual(first);
  });

  it.each([
    [{ scopes: ["read"] }, "name"],
    [{ name: "", scopes: ["read"] }, "name"],
    [{ name: "x" }, "scopes"],
    [{ name: "x", scopes: [] }, "scopes"],
    [{ name: "x", scopes: "read" }, "scopes"],
    [{ name: "x", scopes: ["admin"] }, "scopes.0"],
    [{ name: "x", scopes: Array(17).fill("read") }, "scopes"],
    [{ name: "x", scopes: ["read"], expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
    [{ name: "x", scopes: ["read"], expires_at: "soon" }, "expires_at"],
    [{ name: "x", scopes: ["read"], expires_at: 5 }, "expires_at"],
  ])("refuses %j", async (body, field) => {
    const result = await control.ask("POST", `/accounts/${account}/tokens`, { body });
    expect([result.status, codeOf(result), fieldsOf(result)]).toEqual([400, "global/invalid-parameters", [field]]);
  });
});

describe("revoking an account's token", () => {
  it("ends it at once, keeps it on the list, and may be repeated", async () => {
    const { id, token } = await make({ name: "leaked", scopes: ["read"] });
    expect((await control.ask("GET", "/account", { token })).status).toBe(200);
    for (const _ of [1, 2]) expect(await control.data("DELETE", `/accounts/${account}/tokens/${id}`)).toEqual({});
    const result = await control.ask("GET", "/account", { token });
    expect([result.status, codeOf(result)]).toEqual([401, "global/invalid-api-key"]);
    const list = (await control.data("GET", `/accounts/${account}/tokens`)) as object[];
    expect(list).toContainEqual(expect.objectContaining({ id, revoked_at: expect.any(String) }));
  });

  it("does not find another account's", async () => {
    const { id } = await make({ name: "kept", scopes: ["read"] });
    const other = idOf(await control.data("POST", "/accounts", { body: { name: "other" } }));
    const result = await control.ask("DELETE", `/accounts/${other}/tokens/${id}`);
    expect([result.status, codeOf(result)]).toEqual([404, "global/object-does-not-exist"]);
  });
});

describe("tokens of an account", () => {
  it("are listed oldest first, page by page", async () => {
    const path = `/accounts/${account}/tokens`;
    // When one was used last is written beside the requests.
    const ids = (tokens: unknown) => (tokens as { id: string }[]).map(({ id }) => id);
    const all = ids(await control.data("GET", path));
    expect(ids((await control.pages(path, 2)).flat())).toEqual(all);
  });

  it.each([[unknown], ["nonsense"]])("are not found for the account %s", async (id) => {
    const body = { name: "x", scopes: ["read"] };
    expect((await control.ask("GET", `/accounts/${id}/tokens`)).status).toBe(404);
    expect((await control.ask("POST", `/accounts/${id}/tokens`, { body })).status).toBe(404);
    expect((await control.ask("DELETE", `/accounts/${id}/tokens/${unknown}`)).status).toBe(404);
    expect((await control.ask("DELETE", `/accounts/${account}/tokens/${id}`)).status).toBe(404);
  });
});
