import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";
import { travel } from "../../../../test/support/time-travel.ts";
import { openSpans } from "../../../rental/billing/spans.ts";
import { postUsage } from "../../../rental/ledger/post-usage.ts";
import { wrongVouchersPerHour } from "../../../rules/ledger.ts";

let control: Control;
beforeAll(async () => {
  control = await startControl();
  await control.world.image();
  await control.world.host({ vcpus: 512, memoryGib: 4096, storageGb: 90_000 });
});
afterAll(() => control.close());

/** A customer without entries, and what operators and it itself ask. */
async function newCustomer() {
  const { principal, token } = await control.customer();
  const { accountId } = principal;
  const operator = (method: string, path: string, body?: object) =>
    control.ask(method, `/accounts/${accountId}${path}`, { body });
  const own = (method: string, path: string, body?: object) => control.ask(method, path, { token, body });
  const dataOf = async (asked: ReturnType<typeof own>) =>
    ((await asked).body as { data: Record<string, unknown> }).data;
  const balance = () => dataOf(own("GET", "/balance"));
  const ledger = async () => (await dataOf(own("GET", "/ledger"))) as unknown as Record<string, unknown>[];
  return { principal, token, accountId, operator, own, balance, ledger };
}

const payment = (reference: string, more: object = {}) => ({ amount_cents: 50_000, reference, ...more });

describe("a balance", () => {
  it("is zero at first, and what was paid less what was used as of now", async () => {
    const customer = await newCustomer();
    const nothing = { balance_micro_cents: "0", balance_cents: "0.000000", pending_micro_cents: "0" };
    expect(await customer.balance()).toMatchObject({ account_id: customer.accountId, ...nothing });
    expect((await customer.operator("POST", "/top-ups", payment("B-1"))).status).toBe(200);
    const product = await control.world.product({ gpus: 0, priceCentsPerHour: 3600 });
    const { id } = await control.world.launchOne(customer.principal, { instanceType: product.name });
    await control.world.tx((tx) => openSpans(tx, [id]));
    await travel(control.world.db, "1 hour");
    await sql`update billing_spans set ended_at = started_at + interval '1 hour' where instance_id = ${id}`.execute(
      control.world.db,
    );
    expect(await customer.balance()).toMatchObject({
      ...{ balance_micro_cents: "46400000000", balance_cents: "46400.000000" },
      ...{ pending_micro_cents: "3600000000", pending_cents: "3600.000000" },
    });
    await travel(control.world.db, "1 day");
    await postUsage(control.world.db);
    expect(await customer.balance()).toMatchObject({ balance_cents: "46400.000000", pending_cents: "0.000000" });
    const [usage] = await customer.ledger();
    expect(usage).toMatchObject({ kind: "usage", reference: null, reason: null, balance_cents: expect.any(String) });
    expect(usage?.month).toMatch(/^\d{4}-\d\d$/);
    expect(usage?.until).toMatch(/T00:00:00.000Z$/);
    expect((await customer.operator("GET", "/balance")).body).toMatchObject({
      data: { balance_cents: "46400.000000" },
    });
  });

  it("is one's own, and for operators that of any account there is", async () => {
    const [customer, other] = [await newCustomer(), await newCustomer()];
    await customer.operator("POST", "/top-ups", payment("B-2"));
    expect(await other.balance()).toMatchObject({ balance_cents: "0.000000" });
    expect(await other.ledger()).toEqual([]);
    for (const path of ["/balance", "/ledger"]) {
      expect((await other.own("GET", `/accounts/${customer.accountId}${path}`)).status).toBe(403);
      expect((await control.ask("GET", `/accounts/${crypto.randomUUID()}${path}`)).status).toBe(404);
    }
  });
});

describe("what an operator records", () => {
  it("is an entry that the account and operators read, newest first, page by page, and as CSV", async () => {
    const customer = await newCustomer();
    await customer.operator("POST", "/top-ups", payment("E-1"));
    await customer.operator("POST", "/refunds", { amount_cents: 20_000, reference: "E-2", reason: "Asked" });
    const adjusted = await customer.operator("POST", "/adjustments", { amount_cents: -1, reason: "Typo" });
    expect(adjusted.body).toMatchObject({
      data: {
        ...{
          account_id: customer.accountId,
          kind: "adjustment",
          reason: "Typo",
          reference: null,
          month: null,
          until: null,
        },
        ...{ amount_micro_cents: "-1000000", amount_cents: "-1.000000", balance_cents: "29999.000000" },
      },
    });
    const entries = await customer.ledger();
    expect(entries.map(({ kind, amount_cents: cents }) => [kind, cents])).toEqual([
      ["adjustment", "-1.000000"],
      ["refund", "-20000.000000"],
      ["top_up", "50000.000000"],
    ]);
    expect((await control.pages("/ledger", 1, { token: customer.token })).flat()).toEqual(entries);
    expect((await control.pages(`/accounts/${customer.accountId}/ledger`, 2)).flat()).toEqual(entries);
    const csv = await control.call("GET", `${control.url}/ledger?format=csv`, { token: customer.token });
    expect(csv.text.split("\r\n")[1]).toMatch(/^\d+,[0-9a-f-]+,adjustment,-1000000,-1\.000000,/);
  });

  it("counts once for a reference, and once for an Idempotency-Key", async () => {
    const [customer, other] = [await newCustomer(), await newCustomer()];
    await customer.operator("POST", "/top-ups", payment("O-1"));
    const again = await other.operator("POST", "/top-ups", payment("O-1"));
    expect([again.status, codeOf(again), fieldsOf(again)]).toEqual([409, "global/duplicate", ["reference"]]);
    const adjust = () =>
      control.ask("POST", `/accounts/${customer.accountId}/adjustments`, {
        body: { amount_cents: 100, reason: "Outage" },
        headers: { "idempotency-key": "adjusted-once" },
      });
    expect((await adjust()).body).toEqual((await adjust()).body);
    expect(await customer.balance()).toMatchObject({ balance_cents: "50100.000000" });
  });

  it("is no refund of more than there is", async () => {
    const customer = await newCustomer();
    await customer.operator("POST", "/top-ups", payment("F-1"));
    const refund = await customer.operator("POST", "/refunds", {
      amount_cents: 50_001,
      reference: "F-2",
      reason: "Asked",
    });
    expect([refund.status, codeOf(refund)]).toEqual([409, "global/conflict"]);
    expect(refund.text).toContain("At most 50000 cents can be paid back");
  });

  it.each([
    ["/top-ups", payment("X", { amount_cents: 0 }), "amount_cents"],
    ["/top-ups", payment("X", { amount_cents: 1.5 }), "amount_cents"],
    ["/top-ups", payment("X", { amount_cents: 1_000_000_001 }), "amount_cents"],
    ["/top-ups", payment(" X"), "reference"],
    ["/top-ups", payment(""), "reference"],
    ["/top-ups", { amount_cents: 1 }, "reference"],
    ["/refunds", payment("X"), "reason"],
    ["/adjustments", { amount_cents: 0, reason: "None" }, "amount_cents"],
    ["/adjustments", { amount_cents: 1, reason: " " }, "reason"],
    ["/adjustments", { amount_cents: 1 }, "reason"],
  ])("%s is refused with %j", async (path, body, field) => {
    const { operator } = await newCustomer();
    const result = await operator("POST", path, body);
    expect([result.status, fieldsOf(result)]).toEqual([400, [field]]);
  });

  it("is in the audit log of both, with its reason", async () => {
    const customer = await newCustomer();
    await customer.operator("POST", "/adjustments", { amount_cents: 1, reason: "Sorry for the outage" });
    const { body } = await customer.own("GET", "/audit-log");
    expect(body).toMatchObject({ data: [{ operation: "adjustBalance", reason: "Sorry for the outage" }] });
  });
});

describe("a voucher", () => {
  const create = async (more: object = {}) =>
    (await control.data("POST", "/vouchers", { body: { name: "Spring", amount_cents: 500, ...more } })) as {
      readonly id: string;
      readonly code: string;
    };

  it("has its code in the response to its creation only, and is worth its amount once", async () => {
    const customer = await newCustomer();
    const made = await create({ max_uses: 2 });
    expect(made).toMatchObject({ name: "Spring", amount_cents: 500, max_uses: 2, uses: 0, expires_at: null });
    const redeemed = await customer.own("POST", "/vouchers/redeem", { code: made.code });
    expect(redeemed.body).toMatchObject({ data: { kind: "voucher", amount_cents: "500.000000", reference: "Spring" } });
    const again = await customer.own("POST", "/vouchers/redeem", { code: made.code });
    expect([again.status, codeOf(again)]).toEqual([409, "global/conflict"]);
    const listed = await control.ask("GET", "/vouchers");
    const { code, ...rest } = made;
    expect(listed.body).toMatchObject({ data: [{ ...rest, uses: 1 }] });
    expect(listed.text).not.toContain(code);
    await control.data("DELETE", `/vouchers/${made.id}`);
    expect((await control.ask("DELETE", `/vouchers/${made.id}`)).status).toBe(404);
  });

  it("with an unknown code is a bad request that does not repeat it", async () => {
    const { own } = await newCustomer();
    const result = await own("POST", "/vouchers/redeem", { code: "MISTYPED-CODE" });
    expect([result.status, codeOf(result), fieldsOf(result)]).toEqual([400, "global/object-does-not-exist", ["code"]]);
    expect(result.text).not.toContain("MISTYPED");
  });

  it("cannot be found by trying codes: an account has so many tries an hour, and other accounts have theirs", async () => {
    const made = await create({ code: "SPRING-2026-GPU" });
    const [guessing, other] = [await newCustomer(), await newCustomer()];
    const redeem = ({ own }: typeof other, code: string) => own("POST", "/vouchers/redeem", { code });
    for (let n = 0; n < wrongVouchersPerHour; n++)
      expect((await redeem(guessing, `SPRING-2026-${n}`)).status).toBe(400);
    const refused = await redeem(guessing, made.code);
    expect([refused.status, codeOf(refused)]).toEqual([429, "global/rate-limited"]);
    expect((await redeem(other, made.code)).status).toBe(200);
  });

  it("can have a code of the operator's, which no other has", async () => {
    await create({ code: "WORKSHOP-2026", expires_at: "2030-01-01T00:00:00Z" });
    const result = await control.ask("POST", "/vouchers", {
      body: { name: "Other", amount_cents: 1, code: "workshop2026" },
    });
    expect([result.status, fieldsOf(result)]).toEqual([409, ["code"]]);
  });

  it("leaves its code nowhere in the database in plaintext", async () => {
    const customer = await newCustomer();
    const { code } = await create();
    await customer.own("POST", "/vouchers/redeem", { code });
    const { rows: tables } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables where table_schema = 'public'`.execute(control.world.db);
    for (const { name } of tables) {
      const { rows } = await sql`select from ${sql.table(name)} t where t::text like ${`%${code}%`}`.execute(
        control.world.db,
      );
      expect(rows, name).toEqual([]);
    }
  });

  it.each([
    [{ amount_cents: 0 }, "amount_cents"],
    [{ max_uses: 0 }, "max_uses"],
    [{ code: "short" }, "code"],
    [{ code: "with spaces 2026" }, "code"],
    [{ expires_at: "tomorrow" }, "expires_at"],
    [{ name: "" }, "name"],
  ])("is refused with %j", async (more, field) => {
    const result = await control.ask("POST", "/vouchers", { body: { name: "Spring", amount_cents: 500, ...more } });
    expect([result.status, fieldsOf(result)]).toEqual([400, [field]]);
  });
});
