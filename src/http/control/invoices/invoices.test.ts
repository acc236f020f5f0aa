import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";
import { closedMonth, invoiceSettings } from "../../../../test/support/invoices.ts";
import { textOfPdf } from "../../../../test/support/pdf-text.ts";
import { issueInvoices, keepInvoicing } from "../../../rental/invoices/issue.ts";

const settings = invoiceSettings();
const cent = 1_000_000n;
let control: Control;
let months = 0;
beforeAll(async () => {
  control = await startControl({ invoices: settings });
  await keepInvoicing(control.world.db, settings);
});
afterAll(() => control.close());

interface Shown {
  readonly id: string;
  readonly number: string;
  readonly [field: string]: unknown;
}

/** A month that no test has had. */
const nextMonth = () => `20${String(10 + Math.floor(months / 12))}-${String((months++ % 12) + 1).padStart(2, "0")}`;

/** A customer with these names, and what it and operators ask. */
async function newCustomer() {
  const { principal, token } = await control.customer();
  const { accountId } = principal;
  const own = (method: string, path: string, body?: object) => control.ask(method, path, { token, body });
  const operator = (method: string, path: string, body?: object) =>
    control.ask(method, `/accounts/${accountId}${path}`, { body });
  const invoices = async (query = "") => ((await own("GET", `/invoices${query}`)).body as { data: Shown[] }).data;
  const used = async (cost: bigint, type = "h100-1") => {
    const month = nextMonth();
    await closedMonth(control.world.db, month, [{ account: accountId, cost, type }]);
    await issueInvoices(control.world.db, settings);
    return month;
  };
  return { accountId, token, own, operator, invoices, used };
}

describe("invoices", () => {
  it("are listed newest first, page by page, by month and kind, and read one by one", async () => {
    const customer = await newCustomer();
    const first = await customer.used(100n * cent);
    const second = await customer.used(250n * cent);
    await customer.operator("POST", "/top-ups", { amount_cents: 700, reference: "L-1" });
    await issueInvoices(control.world.db, settings);
    const all = await customer.invoices();
    expect(all.map(({ kind, total_cents: cents }) => [kind, cents])).toEqual([
      ["top_up", 700],
      ["usage", 250],
      ["usage", 100],
    ]);
    expect((await control.pages("/invoices", 1, { token: customer.token })).flat()).toEqual(all);
    expect((await control.pages(`/accounts/${customer.accountId}/invoices`, 2)).flat()).toEqual(all);
    expect(await customer.invoices(`?month=${second}`)).toEqual([all[1]]);
    expect(await customer.invoices(`?month=${first}&kind=top_up`)).toEqual([]);
    expect(await customer.invoices("?kind=usage")).toEqual(all.slice(1));
    const one = await customer.own("GET", `/invoices/${all[2]?.id}`);
    expect(one.body).toMatchObject({
      data: { ...all[2], lines: [{ text: "h100-1 in north", total_cents: 100 }], seller: { name: "Acme Cloud GmbH" } },
    });
  });

  it("of other accounts are not found, but by operators", async () => {
    const [customer, other] = [await newCustomer(), await newCustomer()];
    await customer.used(100n * cent);
    const [{ id } = { id: "" }] = await customer.invoices();
    for (const path of [`/invoices/${id}`, `/invoices/${id}/pdf`]) {
      expect((await other.own("GET", path)).status, path).toBe(404);
      expect((await control.call("GET", `${control.url}${path}`, { token: control.operator.token })).status).toBe(200);
    }
    expect(await other.invoices()).toEqual([]);
    expect((await other.own("GET", "/invoices?all=true")).status).toBe(403);
    const listed = async (query: string) =>
      ((await control.ask("GET", `/invoices${query}`)).body as { data: Shown[] }).data;
    expect((await listed("?all=true")).find((one) => one.id === id)).toMatchObject({ account_id: customer.accountId });
    expect(await listed("")).toEqual([]);
    expect((await other.own("GET", `/accounts/${customer.accountId}/invoices`)).status).toBe(403);
    expect((await control.ask("GET", `/accounts/${crypto.randomUUID()}/invoices`)).status).toBe(404);
  });

  it("are downloaded as PDF, named by their number, with the same bytes and no cached copy for others", async () => {
    const customer = await newCustomer();
    await customer.used(100n * cent);
    const [{ id, number } = { id: "", number: "" }] = await customer.invoices();
    const get = () =>
      fetch(`${control.url}/invoices/${id}/pdf`, { headers: { authorization: `Bearer ${customer.token}` } });
    const [first, second] = [await get(), await get()];
    expect(first.headers.get("content-type")).toBe("application/pdf");
    expect(first.headers.get("content-disposition")).toBe(`attachment; filename="${number}.pdf"`);
    expect(first.headers.get("cache-control")).toContain("private");
    const [bytes, again] = [Buffer.from(await first.arrayBuffer()), Buffer.from(await second.arrayBuffer())];
    expect(bytes.equals(again)).toBe(true);
    expect(textOfPdf(bytes)[0]?.join("\n")).toContain(number);
  });

  it("are CSV without formulas, and so are their lines", async () => {
    const customer = await newCustomer();
    await customer.own("PATCH", "/account/billing-details", { legal_name: '=HYPERLINK("x","y")' });
    await customer.used(100n * cent, "@type");
    const csv = async (path: string) =>
      (await control.call("GET", `${control.url}${path}`, { token: customer.token })).text;
    const [head, row] = (await csv("/invoices?format=csv")).split("\r\n");
    expect(head).toMatch(/^id,number,kind,account_id,month,issued_at,due_on,currency,total_cents,net_cents,tax_cents,/);
    expect(row).toContain(`"'=HYPERLINK(""x"",""y"")"`);
    const [{ id, number } = { id: "", number: "" }] = await customer.invoices();
    expect((await csv(`/invoices/${id}?format=csv`)).split("\r\n")[1]).toBe(
      `${number},'@type in north,3600,3600,0,100000000,100,83,17,`,
    );
  });
});

describe("billing details", () => {
  it("are empty at first, changed field by field, and on the next invoice", async () => {
    const customer = await newCustomer();
    const nothing = { legal_name: null, address: [], country: null, tax_id: null, invoice_email: null };
    expect((await customer.own("GET", "/account/billing-details")).body).toEqual({ data: nothing });
    await customer.own("PATCH", "/account/billing-details", { legal_name: "Initech GmbH", country: "AT" });
    const changed = await customer.operator("PATCH", "/billing-details", { tax_id: "ATU12345678" });
    expect(changed.body).toEqual({
      data: { ...nothing, legal_name: "Initech GmbH", country: "AT", tax_id: "ATU12345678" },
    });
    expect((await customer.operator("GET", "/billing-details")).body).toEqual(changed.body);
    await customer.used(100n * cent);
    expect(await customer.invoices()).toMatchObject([
      {
        ...{ customer_name: "Initech GmbH", customer_country: "AT", customer_tax_id: "ATU12345678" },
        ...{ tax_basis_points: 0, tax_cents: 0, net_cents: 100, tax_note: expect.stringContaining("Reverse charge") },
      },
    ]);
  });

  it.each([
    [{ tax_id: "12345", country: "DE" }, "tax_id"],
    [{ country: "Germany" }, "country"],
    [{ legal_name: "two\nlines" }, "legal_name"],
    [{ legal_name: "" }, "legal_name"],
    [{ address: Array.from({ length: 7 }, () => "x") }, "address"],
    [{ invoice_email: "nowhere" }, "invoice_email"],
  ])("%j are refused", async (body, field) => {
    const { own } = await newCustomer();
    const result = await own("PATCH", "/account/billing-details", body);
    expect([result.status, fieldsOf(result)]).toEqual([400, [expect.stringContaining(field)]]);
  });
});

describe("a credit note", () => {
  const issueFor = (id: string, body: object) => control.ask("POST", `/invoices/${id}/credit-notes`, { body });

  it("is issued by operators, in the list and the audit log of the account, and for no more than is left", async () => {
    const customer = await newCustomer();
    await customer.used(1000n * cent);
    const [{ id, number } = { id: "", number: "" }] = await customer.invoices();
    const note = await issueFor(id, { reason: "Outage", lines: [{ line: 1, amount_cents: 400 }] });
    expect(note.body).toMatchObject({
      data: {
        ...{ kind: "credit_note", account_id: customer.accountId, corrects_id: id, corrects_number: number },
        ...{ total_cents: -400, reason: "Outage", lines: [{ corrects_line: 1, total_cents: -400 }] },
      },
    });
    const more = await issueFor(id, { reason: "Outage", lines: [{ line: 1, amount_cents: 601 }] });
    expect([more.status, codeOf(more)]).toEqual([409, "global/conflict"]);
    expect((await issueFor(id, { reason: "All" })).body).toMatchObject({ data: { total_cents: -600 } });
    expect((await issueFor(id, { reason: "All" })).status).toBe(409);
    expect((await issueFor(crypto.randomUUID(), { reason: "All" })).status).toBe(404);
    expect(await customer.invoices("?kind=credit_note")).toHaveLength(2);
    const { body } = await customer.own("GET", "/audit-log");
    expect(body).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ operation: "issueCreditNote", reason: "Outage" })]),
    });
    const own = await customer.own("POST", `/invoices/${id}/credit-notes`, { reason: "Mine" });
    expect(own.status).toBe(403);
  });

  it("is issued once for an Idempotency-Key", async () => {
    const customer = await newCustomer();
    await customer.used(1000n * cent);
    const [{ id } = { id: "" }] = await customer.invoices();
    const issue = () =>
      control.ask("POST", `/invoices/${id}/credit-notes`, {
        body: { reason: "Outage", lines: [{ line: 1, amount_cents: 1 }] },
        headers: { "idempotency-key": `credit-${id}` },
      });
    expect((await issue()).body).toEqual((await issue()).body);
    expect(await customer.invoices("?kind=credit_note")).toHaveLength(1);
  });

  it("needs settings of invoices", async () => {
    const without = await startControl();
    const result = await without.ask("POST", `/invoices/${crypto.randomUUID()}/credit-notes`, {
      body: { reason: "x" },
    });
    expect([result.status, codeOf(result)]).toEqual([409, "global/conflict"]);
    await without.close();
  });
});

describe("the export for accounting", () => {
  const csv = (month: string, token = control.operator.token) =>
    control.call("GET", `${control.url}/accounting/${month}`, { token });

  it("has each entry of the ledger and each invoice of a closed month, of all accounts", async () => {
    const [customer, other] = [await newCustomer(), await newCustomer()];
    const month = nextMonth();
    await closedMonth(control.world.db, month, [
      { account: customer.accountId, cost: 300n * cent },
      { account: other.accountId, cost: 500n * cent, credit: 100n * cent },
    ]);
    await sql`
      with entry as (
        insert into ledger_entries (account_id, kind, cause, month, until)
        values (${customer.accountId}, 'usage', ${`test/${month}`}, ${`${month}-01`}::date, now()) returning id, account_id, kind)
      insert into ledger_lines select id, account_id, kind, side.* from entry, (values ('balance', -300000000), ('revenue', 300000000)) side`.execute(
      control.world.db,
    );
    const early = await csv(month);
    expect([early.status, codeOf(early)]).toEqual([409, "global/conflict"]);
    await issueInvoices(control.world.db, settings);
    const { status, text } = await csv(month);
    expect(status).toBe(200);
    const [head = "", ...rows] = text.trimEnd().split("\r\n");
    const columns = head.split(",");
    const cells = rows.map((row) => Object.fromEntries(row.split(",").map((cell, index) => [columns[index], cell])));
    expect(cells).toMatchObject([
      { record: "entry", kind: "usage", ledger_account: "revenue", amount_micro_cents: "-300000000", month },
      { record: "invoice", kind: "usage", account_id: customer.accountId, total_cents: "300", month },
      { record: "invoice", kind: "usage", account_id: other.accountId, total_cents: "400", month },
    ]);
    expect((await csv(month)).text).toBe(text);
  });

  it("is of closed months only, for operators only", async () => {
    const open = await csv("2999-01");
    expect([open.status, codeOf(open)]).toEqual([409, "global/conflict"]);
    expect((await csv("2026-13")).status).toBe(400);
    expect((await csv("2999-01", (await newCustomer()).token)).status).toBe(403);
  });
});
