// Usage by day and month, statements, and CSV of all of them, over HTTP. The numbers themselves: rental/billing.

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";
import { closeMonths } from "../../../rental/billing/close-months.ts";
import type { Principal } from "../../../rental/service.ts";

interface Line {
  readonly cost_micro_cents: string;
  readonly [field: string]: unknown;
}
interface Lines {
  readonly data: Line[];
  readonly total: Line;
}

let control: Control;
let mine: Awaited<ReturnType<Control["customer"]>>;
let yours: Awaited<ReturnType<Control["customer"]>>;
let running: string;
beforeAll(async () => {
  control = await startControl();
  const { world } = control;
  mine = await control.customer();
  yours = await control.customer();
  await world.host({ region: "north", vcpus: 400, memoryGib: 4000, storageGb: 40_000 });
  await world.image();
  await world.product({ name: "cpu", gpus: 0 });
  await used(mine.principal, "=cmd()", "2024-01-31T22:00:00Z", "2024-02-01T02:00:00Z");
  await used(mine.principal, 'a "b", c', "2024-02-10T00:00:00Z", "2024-02-10T01:00:00Z");
  await used(yours.principal, "theirs", "2024-02-29T23:00:00Z", "2024-03-01T01:00:00Z");
  running = await used(mine.principal, "running", "2024-03-01T00:00:00Z", "2024-03-01T00:00:01Z");
});
afterAll(() => control.close());

/** An instance used so, at 3600 cents an hour less a third (3333 basis points). */
async function used(principal: Principal, name: string, started: string, ended: string): Promise<string> {
  const { id } = await control.world.launchOne(principal, { instanceType: "cpu", name });
  await sql`insert into billing_spans
      (instance_id, account_id, started_at, ended_at, price_cents_per_hour, discount_basis_points, coupon_code)
    values (${id}, ${principal.accountId}, ${started}, ${ended}, 3600, 3333, 'THIRD')`.execute(control.world.db);
  return id;
}

async function lines(path: string, token = mine.token): Promise<Lines> {
  const result = await control.ask("GET", path, { token });
  expect(result.status, result.text).toBe(200);
  return result.body as Lines;
}
const sum = (some: readonly Line[]) => String(some.reduce((total, line) => total + BigInt(line.cost_micro_cents), 0n));
const csv = (path: string, token = mine.token) => control.call("GET", `${control.url}${path}`, { token });
/** 3600 cents an hour less 3333 basis points are 666 700 micro-cents a second. */
const cost = (seconds: number) => String(666_700n * BigInt(seconds));

describe("usage by day and by month", () => {
  it("is an account's own, in UTC, both ends included", async () => {
    const { data, total } = await lines("/usage/days?from=2024-01-31&to=2024-02-10");
    const ofAll = { instance_id: null, instance_name: null, instance_type: null, token_id: null };
    const undelivered = { downtime_seconds: 0, credit_micro_cents: "0", reservation_id: null };
    const shared = { account_id: mine.principal.accountId, ...ofAll, instances: 1, ...undelivered };
    expect(data).toEqual([
      { day: "2024-01-31", ...shared, seconds: 7200, cost_micro_cents: cost(7200), cost_cents: "4800.240000" },
      { day: "2024-02-01", ...shared, seconds: 7200, cost_micro_cents: cost(7200), cost_cents: "4800.240000" },
      { day: "2024-02-10", ...shared, seconds: 3600, cost_micro_cents: cost(3600), cost_cents: "2400.120000" },
    ]);
    expect(total.cost_micro_cents).toBe(sum(data));
    const months = await lines("/usage/months?from=2024-01&to=2024-03");
    expect(months.data.map(({ month, seconds }) => [month, seconds])).toEqual([
      ["2024-01", 7200],
      ["2024-02", 10_800],
      ["2024-03", 1],
    ]);
    expect(months.total).toEqual((await lines("/usage")).total);
  });

  it("is for each instance where that is asked for, or of one", async () => {
    const { data } = await lines("/usage/months?from=2024-01&to=2024-03&per=instance");
    expect(data.map(({ month, instance_name }) => [month, instance_name])).toEqual([
      ["2024-01", "=cmd()"],
      ["2024-02", "=cmd()"],
      ["2024-02", 'a "b", c'],
      ["2024-03", "running"],
    ]);
    const one = await lines(`/usage/days?from=2024-03-01&to=2024-03-01&instance_id=${running}`);
    expect(one.data.map(({ seconds }) => seconds)).toEqual([1]);
    expect(one.total.cost_micro_cents).toBe(cost(1));
  });

  it("is that of all accounts for operators, or of the one asked for", async () => {
    const operator = control.operator.token;
    const all = await lines("/usage/months?from=2024-01&to=2024-03", operator);
    expect(all.data).toHaveLength(5);
    expect(all.total.cost_micro_cents).toBe(sum(all.data));
    const one = await lines(`/usage/months?from=2024-01&to=2024-03&account_id=${yours.principal.accountId}`, operator);
    expect(one.data.map(({ seconds }) => seconds)).toEqual([3600, 3600]);
    const refused = await control.ask("GET", `/usage/days?account_id=${yours.principal.accountId}`, {
      token: mine.token,
    });
    expect([refused.status, codeOf(refused)]).toEqual([403, "global/forbidden"]);
  });

  it("is of this month, or of twelve of them, where no time is named", async () => {
    expect((await lines("/usage/days")).data).toEqual([]);
    expect((await lines("/usage/months")).data).toEqual([]);
  });

  it("comes page by page", async () => {
    const pages = await control.pages("/usage/days?from=2024-01-01&to=2024-12-31&per=instance", 2, {
      token: mine.token,
    });
    expect(pages.map((page) => page.length)).toEqual([2, 2]);
  });

  it.each([
    ["/usage/days?from=2024-02-30", "from"],
    ["/usage/days?from=2024-02", "from"],
    ["/usage/days?to=yesterday", "to"],
    ["/usage/days?from=2024-02-02&to=2024-02-01", "to"],
    ["/usage/days?from=1990-01-01", "from"],
    ["/usage/months?from=2024-13", "from"],
    ["/usage/months?from=2024-01-01", "from"],
    ["/usage/months?per=planet", "per"],
    ["/usage?from=24-1-1", "from"],
    ["/usage?format=xml", "format"],
    ["/usage?instance_id=training", "instance_id"],
    ["/usage/months?instance_id=training", "instance_id"],
    ["/usage/days?cursor=x&limit=1", "cursor"],
  ])("refuses %s, naming %s", async (path, field) => {
    const result = await control.ask("GET", path, { token: mine.token });
    expect([result.status, fieldsOf(result)]).toEqual([400, [field]]);
  });

  it.each([
    ["/usage", "2024-01", "as YYYY-MM-DD, such as 2026-03-01"],
    ["/usage/days", "2024-01", "as YYYY-MM-DD, such as 2026-03-01"],
    ["/usage/months", "2024-01-01", "as YYYY-MM, such as 2026-03."],
  ])("says of %s, where %s was given, that it takes %s", async (path, given, form) => {
    for (const field of ["from", "to"]) {
      expect((await control.ask("GET", `${path}?${field}=${given}`, { token: mine.token })).text).toContain(form);
    }
  });
});

describe("usage of a time", () => {
  it("counts what lies within it, and of one instance where that is asked for", async () => {
    const { data, total } = await lines("/usage?from=2024-02-01&to=2024-02-29");
    expect(data.map(({ instance_name, seconds }) => [instance_name, seconds])).toEqual([
      ["=cmd()", 7200],
      ['a "b", c', 3600],
    ]);
    expect(total.cost_micro_cents).toBe(cost(10_800));
    expect((await lines(`/usage?instance_id=${running}`)).data).toHaveLength(1);
  });
});

describe("statements", () => {
  it("are closed once their month is over, and have a line for each instance", async () => {
    const before = (await lines("/statements/2024-02")).data as unknown as { closed_at: null; lines: Line[] };
    expect(before.closed_at).toBeNull();
    await closeMonths(control.world.db);
    const { data } = await lines("/statements");
    expect(data).toEqual([
      expect.objectContaining({ month: "2024-01", instances: 1, seconds: 7200, cost_micro_cents: cost(7200) }),
      expect.objectContaining({ month: "2024-02", instances: 2, seconds: 10_800, cost_micro_cents: cost(10_800) }),
      expect.objectContaining({ month: "2024-03", instances: 1, seconds: 1, cost_micro_cents: cost(1) }),
    ]);
    const february = await control.data("GET", "/statements/2024-02", { token: mine.token });
    expect(february).toEqual({ ...before, closed_at: expect.any(String) });
    expect(february).toMatchObject({
      account_id: mine.principal.accountId,
      month: "2024-02",
      instances: 2,
      cost_micro_cents: sum(before.lines),
      lines: [
        {
          instance_name: "=cmd()",
          instance_type: "cpu",
          region: "north",
          seconds: 7200,
          price_cents_per_hour: 3600,
          discount_percent: 33.33,
          coupon: "THIRD",
        },
        { instance_name: 'a "b", c', seconds: 3600 },
      ],
    });
  });

  it("are those of all accounts for operators", async () => {
    expect(await control.data("GET", "/statements")).toHaveLength(5);
    expect(await control.data("GET", "/statements/2024-02")).toMatchObject({ account_id: null, instances: 3 });
    const one = `/statements/2024-02?account_id=${yours.principal.accountId}`;
    expect(await control.data("GET", one)).toMatchObject({ account_id: yours.principal.accountId, instances: 1 });
    expect((await control.ask("GET", one, { token: mine.token })).status).toBe(403);
  });

  it("come page by page, and a statement's lines too, with the whole sum", async () => {
    expect((await control.pages("/statements", 2)).map((page) => page.length)).toEqual([2, 2, 1]);
    const first = await control.ask("GET", "/statements/2024-02?limit=2");
    expect(first.body).toMatchObject({ data: { instances: 3, lines: [{}, {}] } });
    expect(first.headers.get("link")).toContain("cursor=");
  });

  it("are 404 where nothing was used, and 400 for what is no month", async () => {
    const statusOf = async (path: string) => (await control.ask("GET", path, { token: mine.token })).status;
    expect(await statusOf("/statements/2023-12")).toBe(404);
    expect(await statusOf("/statements/9999-12")).toBe(404);
    expect(await statusOf("/statements/2024-2")).toBe(400);
    expect(await statusOf("/statements/nonsense")).toBe(400);
  });
});

describe("CSV", () => {
  it("has the fields of the lines, and runs no formula in a spreadsheet", async () => {
    const { status, headers, text } = await csv("/statements/2024-02?format=csv");
    expect([status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8; header=present"]);
    const [header, first, second, ...rest] = text.split("\r\n");
    expect(header).toBe(
      "account_id,month,instance_id,instance_name,instance_type,region,seconds,price_cents_per_hour,discount_percent,coupon," +
        "cost_micro_cents,cost_cents,downtime_seconds,credit_micro_cents,reservation_id,quantity,no_cost_reason",
    );
    expect(first).toMatch(/,'=cmd\(\),cpu,north,7200,3600,33\.33,THIRD,4800240000,4800\.240000,0,0,,1,$/);
    expect(second).toContain(',"a ""b"", c",cpu,');
    expect(rest).toEqual([""]);
  });

  it.each(["/usage", "/usage/days?from=2024-01-01&to=2024-12-31", "/usage/months?from=2024-01", "/statements"])(
    "of %s has a row for each line, and its own ETag",
    async (path) => {
      const asked = path === "/usage/months?from=2024-01" ? `${path}&to=2024-12` : path;
      const { data } = await lines(asked);
      const url = `${asked}${asked.includes("?") ? "&" : "?"}format=csv`;
      const { text, headers } = await csv(url);
      expect(text.split("\r\n").length - 2).toBe(data.length);
      expect(data.length).toBeGreaterThan(2);
      const etag = headers.get("etag") ?? "";
      const again = await control.call("GET", `${control.url}${url}`, {
        token: mine.token,
        headers: { "if-none-match": etag },
      });
      expect([again.status, again.text]).toEqual([304, ""]);
      const json = await control.call("GET", `${control.url}${asked}`, {
        token: mine.token,
        headers: { "if-none-match": etag },
      });
      expect(json.status).toBe(200);
    },
  );

  it("is documented beside JSON", () => {
    const document = control.document as unknown as {
      paths: Record<string, { get: { responses: Record<string, { content: object }> } }>;
    };
    for (const path of ["/usage", "/usage/days", "/usage/months", "/statements", "/statements/{month}"]) {
      const content = document.paths[path]?.get.responses["200"]?.content ?? {};
      expect(Object.keys(content), path).toEqual(["application/json", "text/csv"]);
    }
  });
});
