import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, idOf, startControl } from "../../../../test/support/control.ts";

interface Entry {
  readonly id: string;
  readonly at: string;
  readonly account_id: string;
  readonly token_id: string;
  readonly operation: string;
  readonly objects: readonly string[];
  readonly result: string;
  readonly address: string | null;
  readonly changed_account_id: string | null;
}

let control: Control;
beforeAll(async () => {
  control = await startControl();
});
afterAll(() => control.close());

const read = async (token: string | undefined, query = "") =>
  (await control.data("GET", `/audit-log${query}`, token === undefined ? {} : { token })) as Entry[];

/** A customer who made these tokens, one after the other, and was refused one more. */
async function busyCustomer(...names: string[]) {
  const customer = await control.customer();
  const ids: string[] = [];
  for (const name of names) {
    const made = await control.data("POST", "/tokens", { token: customer.token, body: { name, scopes: ["read"] } });
    ids.push((made as { id: string }).id);
  }
  const body = { name: "refused", scopes: ["operator"] };
  expect((await control.ask("POST", "/tokens", { token: customer.token, body })).status).toBe(403);
  return { ...customer, ids };
}

describe("the audit log of an account", () => {
  it("tells what its tokens changed and were refused, newest first, and nothing of others", async () => {
    const [ada] = [await busyCustomer("one", "two"), await busyCustomer("other")];
    const entries = await read(ada.token);
    expect(entries.map(({ result, objects }) => [result, objects[0]])).toEqual([
      ["refused", "refused"],
      ["done", "two"],
      ["done", "one"],
    ]);
    expect(
      entries.every((entry) => entry.account_id === ada.principal.accountId && entry.token_id === ada.tokenId),
    ).toBe(true);
    expect(entries[1]).toMatchObject({ operation: "createToken", interface: "control", method: "POST", status: 200 });
    expect(entries[1]?.objects).toContain(ada.ids[1]);
  });

  it("comes page by page, and ends", async () => {
    const ada = await busyCustomer("a", "b", "c", "d");
    const pages = await control.pages("/audit-log", 2, { token: ada.token });
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(await read(ada.token));
  });

  it("comes a hundred at a time unless told", async () => {
    const ada = await control.customer();
    for (let n = 0; n < 101; n++) {
      await control.ask("POST", "/tokens", { token: ada.token, body: { name: 5 } });
    }
    const first = await control.ask("GET", "/audit-log", { token: ada.token });
    expect((first.body as { data: unknown[] }).data).toHaveLength(100);
    expect(first.headers.get("link")).toMatch(/rel="next"/);
    const all = await control.ask("GET", "/audit-log?limit=101", { token: ada.token });
    expect((all.body as { data: unknown[] }).data).toHaveLength(101);
    expect(all.headers.get("link")).toBeNull();
  });

  it("keeps of a refused request a little of what it named, and of a done one what was made", async () => {
    const ada = await control.customer();
    const names = Array.from({ length: 2_000 }, (_, index) => `${index}`.padEnd(64, "x"));
    const body = { instance_type: "x", ssh_key_names: names };
    expect((await control.ask("POST", "/instances", { token: ada.token, body })).status).toBe(400);
    const [refused] = await read(ada.token);
    expect(refused).toMatchObject({ result: "refused", operation: "launchInstances" });
    expect(refused?.objects.length).toBeGreaterThan(5);
    expect(refused?.objects.join("").length).toBeLessThanOrEqual(1024);
    const tokens = { name: "one", scopes: ["read"], ssh_key_names: names };
    const made = await control.data("POST", "/tokens", { token: ada.token, body: tokens });
    const [done] = await read(ada.token);
    expect(done?.objects).toContain((made as { id: string }).id);
    expect(done?.objects.join("").length).toBeLessThanOrEqual(40_960);
  });

  it("is narrowed by token, operation, object, result and time", async () => {
    const ada = await busyCustomer("one", "two");
    const [refused, two, one] = await read(ada.token);
    if (refused === undefined || two === undefined || one === undefined) throw new Error("three were expected");
    await control.ask("DELETE", `/tokens/${ada.ids[0]}`, { token: ada.token });
    const ids = async (query: string) => (await read(ada.token, `?${query}`)).map(({ id }) => id);
    expect(await ids("result=refused")).toEqual([refused.id]);
    expect(await ids("operation=createToken")).toEqual([refused.id, two.id, one.id]);
    expect(await ids("operation=revokeToken")).toHaveLength(1);
    expect(await ids(`object=${ada.ids[1]}`)).toEqual([two.id]);
    expect(await ids(`object=${ada.ids[1]?.replaceAll("-", "").toUpperCase()}`)).toEqual([two.id]);
    expect(await ids(`object=${ada.ids[0]}`)).toHaveLength(2);
    expect(await ids("object=two")).toEqual([two.id]);
    expect(await ids("object=nothing")).toEqual([]);
    expect(await ids(`token_id=${ada.tokenId}`)).toHaveLength(4);
    expect(await ids(`token_id=${ada.ids[1]}`)).toEqual([]);
    expect(await ids(`from=${two.at}&to=${refused.at}&operation=createToken`)).toEqual(
      [two, one].filter(({ at }) => at >= two.at && at < refused.at).map(({ id }) => id),
    );
    expect(await ids("to=2020-01-01T00:00:00Z")).toEqual([]);
    expect(await ids("from=2099-01-01T00:00:00Z")).toEqual([]);
  });

  it.each([
    ["limit=0", "limit"],
    ["limit=201", "limit"],
    ["cursor=x", "cursor"],
    ["cursor=", "cursor"],
    ["result=good", "result"],
    ["operation=nonsense", "operation"],
    ["operation=listTokens", "operation"],
    ["operation=", "operation"],
    ["token_id=deploy", "token_id"],
    ["from=yesterday", "from"],
    ["to=2026-02-30T00:00:00Z", "to"],
  ])("refuses ?%s", async (query, field) => {
    const answer = await control.ask("GET", `/audit-log?${query}`);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });

  it("says which operation may have been meant, and takes those of every interface", async () => {
    const typo = await control.ask("GET", "/audit-log?operation=stopInstancs");
    expect(typo.text).toContain("Did you mean stopInstances");
    expect((await control.ask("GET", "/audit-log?operation=nonsense")).text).toContain("operationId");
    for (const operation of ["stopInstances", "launchInstance", "rotateWebhookSecret"]) {
      expect(await read(undefined, `?operation=${operation}&object=nothing`)).toEqual([]);
    }
  });

  it("is no other account's to read", async () => {
    const [ada, eve] = [await busyCustomer("one"), await control.customer()];
    const answer = await control.ask("GET", `/audit-log?account_id=${ada.principal.accountId}`, { token: eve.token });
    expect([answer.status, codeOf(answer)]).toEqual([403, "global/forbidden"]);
    expect(await read(ada.token, `?account_id=${ada.principal.accountId}`)).toHaveLength(2);
    expect(await read(eve.token, `?token_id=${ada.tokenId}`)).toEqual([]);
  });
});

describe("the audit log for operators", () => {
  it("tells of all accounts, or of what one of them sees", async () => {
    const [ada, eve] = [await busyCustomer("one"), await busyCustomer("two")];
    const accounts = new Set((await read(undefined, "?limit=200")).map(({ account_id }) => account_id));
    expect(accounts).toContain(ada.principal.accountId);
    expect(accounts).toContain(eve.principal.accountId);
    expect(await read(undefined, `?account_id=${ada.principal.accountId}`)).toEqual(await read(ada.token));
  });
});

describe("what an operator changes of an account", () => {
  it("is seen by it with who, and without from where; the operator sees both", async () => {
    const ada = await control.customer();
    const path = `/accounts/${ada.principal.accountId}`;
    await control.data("PATCH", path, { body: { quotas: { gpus: 3 } } });
    const [seen, ...others] = await read(ada.token);
    expect(others).toEqual([]);
    expect(seen).toMatchObject({
      operation: "changeAccount",
      account_id: control.operator.principal.accountId,
      token_id: control.operator.tokenId,
      changed_account_id: ada.principal.accountId,
      address: null,
      objects: [ada.principal.accountId],
    });
    const [own] = await read(undefined, `?operation=changeAccount&object=${ada.principal.accountId}`);
    expect(own).toEqual({ ...seen, address: "127.0.0.1" });
  });

  it("begins with the making of it, also where that is answered again", async () => {
    const options = { body: { name: "made by an operator" }, headers: { "idempotency-key": "made" } };
    const made = idOf(await control.data("POST", "/accounts", options));
    await control.data("POST", "/accounts", options);
    const order = { body: { name: "first", scopes: ["read"] } };
    const { token } = (await control.data("POST", `/accounts/${made}/tokens`, order)) as { token: string };
    const seen = await read(token);
    expect(seen.map(({ operation, result }) => [operation, result])).toEqual([
      ["createAccountToken", "done"],
      ["createAccount", "replayed"],
      ["createAccount", "done"],
    ]);
    expect(seen[2]).toMatchObject({
      account_id: control.operator.principal.accountId,
      token_id: control.operator.tokenId,
      changed_account_id: made,
      address: null,
      objects: ["made by an operator", made],
    });
  });

  it("and is refused is the operator's affair alone, and so is what others try", async () => {
    const [ada, eve] = [await control.customer(), await control.customer()];
    const path = `/accounts/${ada.principal.accountId}`;
    await control.ask("PATCH", path, { body: { quotas: { gpus: -3 } } });
    expect((await control.ask("PATCH", path, { token: eve.token, body: {} })).status).toBe(403);
    expect(await read(ada.token)).toEqual([]);
    expect(await read(eve.token)).toMatchObject([{ operation: "changeAccount", result: "refused" }]);
  });
});
