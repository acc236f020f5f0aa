import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, idOf, startControl } from "../../../../test/support/control.ts";

const unknown = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
const defaultQuotas = { instances: 1000, gpus: 1000, vcpus: 20_000, ssh_keys: 100, file_systems: 100 };
const nothingUsed = { instances: 0, gpus: 0, vcpus: 0, ssh_keys: 0, file_systems: 0 };

let control: Control;
beforeAll(async () => {
  control = await startControl();
});
afterAll(() => control.close());

async function made(body: object): Promise<string> {
  return idOf(await control.data("POST", "/accounts", { body }));
}

describe("creating an account", () => {
  it("needs a name, and takes the configured defaults for the rest", async () => {
    expect(await control.data("POST", "/accounts", { body: { name: "least" } })).toEqual({
      id: expect.any(String),
      name: "least",
      status: "active",
      quotas: defaultQuotas,
      used: nothingUsed,
      spend_limit_cents: null,
      spent_this_month_cents: null,
      max_lifetime_seconds: null,
      payment_terms: "postpaid",
      credit_line_cents: null,
      contact_email: null,
      held_since: null,
      disabled_emails: [],
      created_at: expect.stringMatching(/Z$/),
    });
  });

  it("takes everything there is to say", async () => {
    const body = {
      name: "Ünternehmen & Söhne 漢字",
      status: "inactive",
      quotas: { gpus: 0, vcpus: 12 },
      spend_limit_cents: 1_000_000_000_000,
      max_lifetime_seconds: 60,
      credit_line_cents: 10_000_000_000,
    };
    const quotas = { ...defaultQuotas, gpus: 0, vcpus: 12 };
    expect(await control.data("POST", "/accounts", { body })).toMatchObject({ ...body, quotas });
  });

  it("is refused for a name that is taken", async () => {
    await made({ name: "taken" });
    const result = await control.ask("POST", "/accounts", { body: { name: "taken" } });
    expect([result.status, codeOf(result), fieldsOf(result)]).toEqual([409, "global/duplicate", ["name"]]);
  });

  it("happens once when it is repeated with its Idempotency-Key", async () => {
    const options = { body: { name: "once" }, headers: { "idempotency-key": "account-once" } };
    const first = await control.data("POST", "/accounts", options);
    expect(await control.data("POST", "/accounts", options)).toEqual(first);
  });

  it.each([
    [{}, "name"],
    [{ name: "" }, "name"],
    [{ name: " a" }, "name"],
    [{ name: "a\n" }, "name"],
    [{ name: "a\u0000" }, "name"],
    [{ name: "a\tb\u0007" }, "name"],
    [{ name: "x".repeat(65) }, "name"],
    [{ name: 5 }, "name"],
    [{ name: "bad", status: "closed" }, "status"],
    [{ name: "bad", quotas: [] }, "quotas"],
    [{ name: "bad", quotas: { gpus: -1 } }, "quotas.gpus"],
    [{ name: "bad", quotas: { gpus: 1.5 } }, "quotas.gpus"],
    [{ name: "bad", quotas: { vcpus: 2 ** 31 } }, "quotas.vcpus"],
    [{ name: "bad", quotas: { instances: "many" } }, "quotas.instances"],
    [{ name: "bad", quotas: { ssh_keys: null } }, "quotas.ssh_keys"],
    [{ name: "bad", spend_limit_cents: -1 }, "spend_limit_cents"],
    [{ name: "bad", spend_limit_cents: 1e15 }, "spend_limit_cents"],
    [{ name: "bad", spend_limit_cents: "100" }, "spend_limit_cents"],
    [{ name: "bad", payment_terms: "later" }, "payment_terms"],
    [{ name: "bad", credit_line_cents: -1 }, "credit_line_cents"],
    [{ name: "bad", payment_terms: "prepaid", credit_line_cents: 1 }, "credit_line_cents"],
  ])("refuses %j", async (body, field) => {
    const result = await control.ask("POST", "/accounts", { body });
    expect([result.status, codeOf(result), fieldsOf(result)]).toEqual([400, "global/invalid-parameters", [field]]);
  });
});

describe("reading accounts", () => {
  it("is oldest first, page by page", async () => {
    const all = await control.data("GET", "/accounts");
    expect((await control.pages("/accounts", 2)).flat()).toEqual(all);
  });

  it("finds one by its identifier, with or without dashes, in either case", async () => {
    const id = await made({ name: "found" });
    for (const written of [id, id.replaceAll("-", ""), id.toUpperCase()]) {
      expect(await control.data("GET", `/accounts/${written}`)).toMatchObject({ id, name: "found" });
    }
  });

  it.each([[unknown], ["no-uuid"], ["%27%3B--"]])("answers 404 for %s", async (id) => {
    const result = await control.ask("GET", `/accounts/${id}`);
    expect([result.status, codeOf(result)]).toEqual([404, "global/object-does-not-exist"]);
  });

  it("shows what is in use", async () => {
    const { principal, token } = await control.customer();
    await control.world.sshKey(principal);
    await control.data("PUT", "/regions/r", { body: {} });
    await control.data("POST", "/file-systems", { token, body: { name: "v", region: "r", size_gb: 1 } });
    expect(await control.data("GET", `/accounts/${principal.accountId}`)).toMatchObject({
      used: { ...nothingUsed, ssh_keys: 1, file_systems: 1 },
    });
  });
});

describe("changing an account", () => {
  it("changes what is given and leaves the rest", async () => {
    const id = await made({ name: "before", quotas: { gpus: 3 }, spend_limit_cents: 5 });
    const change = { name: "after", quotas: { vcpus: 7 } };
    expect(await control.data("PATCH", `/accounts/${id}`, { body: change })).toMatchObject({
      name: "after",
      quotas: { ...defaultQuotas, gpus: 3, vcpus: 7 },
      spend_limit_cents: 5,
    });
    expect(await control.data("PATCH", `/accounts/${id}`, { body: {} })).toMatchObject({ name: "after" });
    expect(await control.data("PATCH", `/accounts/${id}`, { body: { spend_limit_cents: null } })).toMatchObject({
      spend_limit_cents: null,
    });
  });

  it("to inactive shuts its tokens out at once, and back lets them in", async () => {
    const { principal, token } = await control.customer();
    const path = `/accounts/${principal.accountId}`;
    await control.data("PATCH", path, { body: { status: "inactive" } });
    const result = await control.ask("GET", "/account", { token });
    expect([result.status, codeOf(result)]).toEqual([403, "global/account-inactive"]);
    await control.data("PATCH", path, { body: { status: "active" } });
    expect(await control.data("GET", "/account", { token })).toMatchObject({ status: "active" });
  });

  it("cannot switch off the account that asks, for nobody might be left to switch it on", async () => {
    const self = (await control.data("GET", "/account")) as { id: string };
    const result = await control.ask("PATCH", `/accounts/${self.id}`, { body: { status: "inactive" } });
    expect([result.status, codeOf(result)]).toEqual([409, "global/conflict"]);
    expect(await control.data("GET", "/account")).toMatchObject({ status: "active" });
  });

  it("may set a quota below what is in use, which only stops new things", async () => {
    const { principal, token } = await control.customer();
    await control.world.sshKey(principal);
    await control.data("PATCH", `/accounts/${principal.accountId}`, {
      body: { quotas: { ssh_keys: 0, file_systems: 0 } },
    });
    await control.data("PUT", "/regions/quota", { body: {} });
    const body = { name: "v", region: "quota", size_gb: 1 };
    const result = await control.ask("POST", "/file-systems", { token, body });
    expect([result.status, codeOf(result)]).toEqual([403, "global/quota-exceeded"]);
  });

  it("is refused for a name that is taken, an unknown account and wrong types", async () => {
    const id = await made({ name: "mine" });
    await made({ name: "yours" });
    expect((await control.ask("PATCH", `/accounts/${id}`, { body: { name: "yours" } })).status).toBe(409);
    expect((await control.ask("PATCH", `/accounts/${unknown}`, { body: { name: "x" } })).status).toBe(404);
    expect((await control.ask("PATCH", `/accounts/${id}`, { body: { name: null } })).status).toBe(400);
    expect((await control.ask("PATCH", `/accounts/${id}`, { body: { quotas: { gpus: null } } })).status).toBe(400);
    expect((await control.ask("PATCH", `/accounts/${id}`, { body: [] })).status).toBe(400);
  });
});
