import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";
import { travel } from "../../../../test/support/time-travel.ts";
import { closeSpans, openSpans } from "../../../rental/billing/spans.ts";

interface Usage {
  data: { instance_id: string; account_id: string; cost_micro_cents: string; ended_at: string | null }[];
  total: { cost_micro_cents: string; cost_cents: string };
}

let control: Control;
let mine: Awaited<ReturnType<Control["customer"]>>;
let yours: Awaited<ReturnType<Control["customer"]>>;
beforeAll(async () => {
  control = await startControl();
  const { world } = control;
  mine = await control.customer();
  yours = await control.customer();
  await world.host({ region: "north", vcpus: 400, memoryGib: 4000, storageGb: 40_000 });
  await world.image();
  await world.product({ name: "cpu", gpus: 0, priceCentsPerHour: 16 });
  await world.coupon({ code: "THIRD", discountBasisPoints: 3333 });
  for (const [principal, coupon] of [
    [mine.principal, "THIRD"],
    [mine.principal, undefined],
    [yours.principal, undefined],
  ] as const) {
    const { id } = await world.launchOne(principal, { instanceType: "cpu", coupon });
    await world.tx((tx) => openSpans(tx, [id]));
    await travel(world.db, "1 hour");
    if (coupon !== undefined) await world.tx((tx) => closeSpans(tx, [id]));
  }
  // Never active, so never billed.
  await world.launchOne(mine.principal, { instanceType: "cpu" });
});
afterAll(() => control.close());

async function usage(path: string, token?: string): Promise<Usage> {
  const result = await control.ask("GET", path, token === undefined ? {} : { token });
  expect(result.status, result.text).toBe(200);
  return result.body as Usage;
}

const idOfInstance = (line: { instance_id: string }) => line.instance_id;
const sum = ({ data }: Usage) => String(data.reduce((total, line) => total + BigInt(line.cost_micro_cents), 0n));

describe("an account's usage", () => {
  it("has a line for each of its instances that was ever active, oldest first", async () => {
    const { data } = await usage("/usage", mine.token);
    expect(data).toHaveLength(2);
    expect(data[0]).toEqual({
      account_id: mine.principal.accountId,
      instance_id: expect.any(String),
      instance_name: expect.stringContaining("cpu"),
      instance_type: "cpu",
      region: "north",
      started_at: expect.any(String),
      ended_at: expect.any(String),
      seconds: expect.any(Number),
      price_cents_per_hour: 16,
      discount_percent: 33.33,
      coupon: "THIRD",
      cost_micro_cents: expect.stringMatching(/^\d+$/),
      cost_cents: expect.stringMatching(/^\d+\.\d{6}$/),
      token_id: mine.tokenId,
      downtime_seconds: 0,
      credit_micro_cents: "0",
      reservation_id: null,
      quantity: 1,
      no_cost_reason: null,
    });
    expect(data[1]).toMatchObject({ ended_at: null, coupon: null, discount_percent: 0 });
  });

  it("adds up, also over pages", async () => {
    const all = await usage("/usage", mine.token);
    expect(all.total.cost_micro_cents).toBe(sum(all));
    expect((await control.pages("/usage", 1, { token: mine.token })).map((page) => page.length)).toEqual([1, 1]);
    const page = await usage("/usage?limit=1", mine.token);
    expect(BigInt(page.total.cost_micro_cents)).toBeGreaterThan(BigInt(sum(page)));
  });

  it("may be asked for by its own identifier, and not by another", async () => {
    const id = mine.principal.accountId;
    for (const written of [id, id.replaceAll("-", ""), id.toUpperCase()]) {
      expect((await usage(`/usage?account_id=${written}`, mine.token)).data).toHaveLength(2);
    }
    const result = await control.ask("GET", `/usage?account_id=${yours.principal.accountId}`, { token: mine.token });
    expect([result.status, codeOf(result)]).toEqual([403, "global/forbidden"]);
  });
});

describe("usage of a token", () => {
  it("is that of what it launched: its lines, its days, its months and their total", async () => {
    const all = await usage("/usage", mine.token);
    for (const path of ["/usage", "/usage/days?from=2020-01-01&", "/usage/months"]) {
      const query = (id: string) => `${path}${path.includes("?") ? "" : "?"}token_id=${id}`;
      const own = await usage(query(mine.tokenId.toUpperCase()), mine.token);
      expect(own.data.length).toBeGreaterThan(0);
      expect(own.total.cost_micro_cents).toBe(sum(own));
      if (path === "/usage") expect(own.data.map(idOfInstance)).toEqual(all.data.map(idOfInstance));
      const none = { data: [], total: { cost_micro_cents: "0", cost_cents: "0.000000", credit_micro_cents: "0" } };
      expect(await usage(query(yours.tokenId), mine.token)).toEqual(none);
      expect((await usage(query(yours.tokenId))).data.length).toBeGreaterThan(0);
    }
  });

  it("is refused for what can be no token", async () => {
    for (const path of ["/usage", "/usage/days", "/usage/months"]) {
      const result = await control.ask("GET", `${path}?token_id=nonsense`, { token: mine.token });
      expect([result.status, fieldsOf(result)]).toEqual([400, ["token_id"]]);
    }
  });
});

describe("an operator's usage", () => {
  it("is that of all accounts, or of the one asked for", async () => {
    const all = await usage("/usage");
    expect(all.data.map((line) => line.account_id)).toEqual([
      mine.principal.accountId,
      mine.principal.accountId,
      yours.principal.accountId,
    ]);
    expect(all.total.cost_micro_cents).toBe(sum(all));
    const one = await usage(`/usage?account_id=${yours.principal.accountId.toUpperCase()}`);
    expect(one.data).toHaveLength(1);
    expect(one.total.cost_micro_cents).toBe(sum(one));
  });

  it("is nothing for an account that does not exist", async () => {
    expect(await usage("/usage?account_id=0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d")).toEqual({
      data: [],
      total: { cost_micro_cents: "0", cost_cents: "0.000000", credit_micro_cents: "0" },
    });
  });

  it("is refused for what can be no account, for it would look like a bill of nothing", async () => {
    for (const path of ["/usage", "/usage/days", "/usage/months", "/statements"]) {
      expect((await control.ask("GET", `${path}?account_id=nonsense`)).status).toBe(400);
    }
  });

  it("needs no other scope than that", async () => {
    const { token } = await control.customer(["operator"]);
    expect((await usage("/usage", token)).data).toHaveLength(3);
  });

  it.each(["0", "x", "1.5", "99999999999999999999"])("refuses the cursor of %s", async (key) => {
    const cursor = Buffer.from(key).toString("base64url");
    expect((await control.ask("GET", `/usage?limit=1&cursor=${cursor}`)).status).toBe(400);
  });
});

describe("usage by day of what is rented, and of who rents it", () => {
  interface Days {
    data: { day: string; instance_id: string | null; instance_type: string | null; token_id: string | null }[];
    total: { cost_micro_cents: string };
  }
  const days = async (query: string, token: string) => {
    const answer = await control.ask("GET", `/usage/days?from=2020-01-01&${query}`, { token });
    return [answer, answer.body as Days] as const;
  };

  it("names the product, the token or the instance that a line is of, and nothing else", async () => {
    const named = { instance_id: null, instance_type: null, token_id: null };
    const lines = async (per: string) => (await days(`per=${per}`, mine.token))[1].data;
    for (const line of await lines("account")) expect(line).toMatchObject({ ...named, instances: expect.any(Number) });
    for (const line of await lines("instance_type")) expect(line).toMatchObject({ ...named, instance_type: "cpu" });
    for (const line of await lines("token")) expect(line).toMatchObject({ ...named, token_id: mine.tokenId });
    for (const line of await lines("instance")) {
      expect(line).toMatchObject({ ...named, instance_id: expect.any(String) });
    }
    for (const per of ["account", "instance_type", "token", "instance"]) expect(await lines(per)).not.toEqual([]);
  });

  it.each(["instance_type", "token"])("comes in pages and as CSV too, per %s", async (per) => {
    const pages = await control.pages(`/usage/days?from=2020-01-01&per=${per}`, 1);
    const [, { data }] = await days(`per=${per}`, control.operator.token);
    expect(pages.flat().map((line) => (line as { day: string }).day)).toEqual(data.map(({ day }) => day));
    expect(pages.length).toBeGreaterThan(1);
    const url = `${control.url}/usage/days?from=2020-01-01&per=${per}&format=csv`;
    const { text } = await control.call("GET", url, { token: mine.token });
    expect(text.split("\r\n")[0]).toMatch(
      /,cost_cents,instance_type,token_id,instances,downtime_seconds,credit_micro_cents,reservation_id$/,
    );
    expect(text).toContain(per === "token" ? mine.tokenId : ",cpu,");
  });

  it("knows no other way", async () => {
    const [answer] = await days("per=region", mine.token);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ["per"]]);
  });
});
