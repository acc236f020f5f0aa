import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, idOf, startControl } from "../../../../test/support/control.ts";
import { begin, untilWaiting } from "../../../../test/support/interleave.ts";
import { createToken } from "../../../rental/accounts/token-store.ts";

let control: Control;
beforeAll(async () => {
  control = await startControl();
});
afterAll(() => control.close());

describe("an account about itself", () => {
  it("sees its quotas, its use, and what the token may do", async () => {
    const { principal, token, tokenId } = await control.customer(["read"]);
    expect(await control.data("GET", "/account", { token })).toEqual({
      person: null,
      id: principal.accountId,
      name: expect.any(String),
      status: "active",
      quotas: { instances: 10_000, gpus: 10_000, vcpus: 100_000, ssh_keys: 1000, file_systems: 1000 },
      used: { instances: 0, gpus: 0, vcpus: 0, ssh_keys: 0, file_systems: 0 },
      spend_limit_cents: null,
      spent_this_month_cents: null,
      max_lifetime_seconds: null,
      payment_terms: "postpaid",
      credit_line_cents: null,
      contact_email: null,
      held_since: null,
      disabled_emails: [],
      created_at: expect.any(String),
      token: { id: tokenId, scopes: ["read"], compatibility_version: null, operator_role: null },
    });
  });

  it("sees which version its token is pinned to", async () => {
    const { token } = await control.customer();
    const body = { name: "old client", scopes: ["read"], compatibility_version: "1.0.3" };
    const pinned = (await control.data("POST", "/tokens", { token, body })) as { id: string; token: string };
    expect(await control.data("GET", "/account", { token: pinned.token })).toMatchObject({
      token: { id: pinned.id, compatibility_version: "1.0.3" },
    });
  });
});

describe("an account's own tokens", () => {
  it("are made, listed page by page, used and revoked", async () => {
    const { token } = await control.customer();
    const body = { name: "second", scopes: ["write", "read"] };
    const second = (await control.data("POST", "/tokens", { token, body })) as { id: string; token: string };
    await control.data("POST", "/tokens", { token: second.token, body: { name: "third", scopes: ["read"] } });
    const all = (await control.data("GET", "/tokens", { token })) as { name: string; scopes: string[] }[];
    expect(all.map(({ name }) => name).slice(1)).toEqual(["second", "third"]);
    expect((await control.pages("/tokens", 1, { token })).flat()).toEqual(all);
    expect(await control.data("DELETE", `/tokens/${second.id}`, { token })).toEqual({});
    expect((await control.ask("GET", "/account", { token: second.token })).status).toBe(401);
  });

  it("may revoke themselves", async () => {
    const { token, tokenId } = await control.customer();
    expect(await control.data("DELETE", `/tokens/${tokenId}`, { token })).toEqual({});
    expect((await control.ask("GET", "/tokens", { token })).status).toBe(401);
  });

  it("revoke none that may do what they may not", async () => {
    const { principal, token } = await control.customer(["write"]);
    const made = {
      accountId: principal.accountId,
      name: "strong",
      scopes: ["write", "operator"],
      expiresAt: null,
    } as const;
    const strong = await control.world.tx((tx) => createToken(tx, made));
    const result = await control.ask("DELETE", `/tokens/${strong.id}`, { token });
    expect([result.status, codeOf(result)]).toEqual([403, "global/forbidden"]);
    expect((await control.ask("GET", "/accounts", { token: strong.token })).status).toBe(200);
  });

  it.each([
    [["read", "write"], ["operator"], "operator"],
    [["read", "write"], ["read", "operator"], "operator"],
    [["write"], ["read"], "read"],
  ] as const)("with scopes %j make none with %j", async (own, wanted, lacking) => {
    const { token } = await control.customer(own);
    const result = await control.ask("POST", "/tokens", { token, body: { name: "x", scopes: wanted } });
    expect([result.status, codeOf(result)]).toEqual([403, "global/forbidden"]);
    expect(result.text).toContain(lacking);
  });

  it("make one that is pinned to a version, and are not pinned by that", async () => {
    const { token, tokenId } = await control.customer();
    const body = { name: "strict", scopes: ["read"], compatibility_version: "1.0.3" };
    const made = await control.data("POST", "/tokens", { token, body });
    expect(made).toMatchObject({ compatibility_version: "1.0.3" });
    const listed = (await control.data("GET", "/tokens", { token })) as {
      id: string;
      compatibility_version: unknown;
    }[];
    const pins = listed.map(({ id, compatibility_version }) => [id, compatibility_version]);
    expect(pins).toEqual([
      [tokenId, null],
      [idOf(made), "1.0.3"],
    ]);
  });

  it("may hand the operator scope on when they have it", async () => {
    const body = { name: "deputy", scopes: ["operator"] };
    expect(await control.data("POST", "/tokens", { body })).toMatchObject({ scopes: ["operator"] });
  });

  it("are another account's business: 404", async () => {
    const [mine, yours] = [await control.customer(), await control.customer()];
    const result = await control.ask("DELETE", `/tokens/${yours.tokenId}`, { token: mine.token });
    expect([result.status, codeOf(result)]).toEqual([404, "global/object-does-not-exist"]);
    expect((await control.ask("DELETE", "/tokens/nonsense", { token: mine.token })).status).toBe(404);
    expect((await control.ask("GET", "/account", { token: yours.token })).status).toBe(200);
  });

  it.each([[{}], [{ name: "x", scopes: [] }], [{ name: 1, scopes: ["read"] }], [{ name: "x", scopes: ["root"] }]])(
    "are refused as %j",
    async (body) => {
      expect((await control.ask("POST", "/tokens", { body })).status).toBe(400);
    },
  );
});

describe("an account's file systems", () => {
  beforeAll(async () => {
    await control.data("PUT", "/regions/north", { body: {} });
  });
  const volume = { name: "models", region: "north", size_gb: 512 };

  it("are made, listed page by page, and deleted", async () => {
    const { token } = await control.customer();
    const made = await control.data("POST", "/file-systems", { token, body: volume });
    expect(made).toEqual({
      ...volume,
      id: expect.any(String),
      attached_to: null,
      instance_ids: [],
      multi_attach: false,
      bytes_used: null,
      lost_at: null,
      blocked: false,
      created_at: expect.any(String),
    });
    await control.data("POST", "/file-systems", { token, body: { ...volume, name: "more" } });
    const all = (await control.data("GET", "/file-systems", { token })) as object[];
    expect(all[0]).toEqual(made);
    expect((await control.pages("/file-systems", 1, { token })).flat()).toEqual(all);
    expect(await control.data("DELETE", `/file-systems/${idOf(made)}`, { token })).toEqual({});
    expect((await control.ask("DELETE", `/file-systems/${idOf(made)}`, { token })).status).toBe(404);
  });

  it("say what they are attached to, and are not deleted while they are", async () => {
    const { world } = control;
    const { token, principal } = await control.customer();
    await world.host({ region: "north" });
    await world.image();
    const product = await world.product({ gpus: 0 });
    const id = idOf(await control.data("POST", "/file-systems", { token, body: volume }));
    const instance = await world.launchOne(principal, { instanceType: product.name, fileSystemNames: ["models"] });
    expect(await control.data("GET", "/file-systems", { token })).toMatchObject([
      { id, attached_to: instance.id, instance_ids: [instance.id] },
    ]);
    const result = await control.ask("DELETE", `/file-systems/${id}`, { token });
    expect([result.status, codeOf(result)]).toEqual([409, "global/conflict"]);
  });

  it("are unique by name within an account, and another account's do not exist", async () => {
    const [mine, yours] = [await control.customer(), await control.customer()];
    const id = idOf(await control.data("POST", "/file-systems", { token: mine.token, body: volume }));
    expect((await control.ask("POST", "/file-systems", { token: mine.token, body: volume })).status).toBe(409);
    await control.data("POST", "/file-systems", { token: yours.token, body: volume });
    expect((await control.ask("DELETE", `/file-systems/${id}`, { token: yours.token })).status).toBe(404);
  });

  it("are refused in a region that is just being deleted", async () => {
    await control.data("PUT", "/regions/leaving", { body: {} });
    await using deleting = await begin(control.world.db);
    await deleting.tx.deleteFrom("regions").where("name", "=", "leaving").execute();
    const asked = control.ask("POST", "/file-systems", { body: { ...volume, region: "leaving" } });
    await untilWaiting(control.world.db);
    await deleting.commit();
    const result = await asked;
    expect([result.status, fieldsOf(result)]).toEqual([400, ["region"]]);
  });

  it.each([
    [{ ...volume, name: "../etc" }, "name"],
    [{ ...volume, name: "" }, "name"],
    [{ ...volume, name: 5 }, "name"],
    [{ ...volume, region: "nowhere" }, "region"],
    [{ ...volume, region: null }, "region"],
    [{ ...volume, size_gb: 0 }, "size_gb"],
    [{ ...volume, size_gb: 1_000_001 }, "size_gb"],
    [{ ...volume, size_gb: "512" }, "size_gb"],
    [{ name: "models", region: "north" }, "size_gb"],
  ])("are refused as %j", async (body, field) => {
    const result = await control.ask("POST", "/file-systems", { body });
    expect([result.status, fieldsOf(result)]).toEqual([400, [field]]);
  });
});
