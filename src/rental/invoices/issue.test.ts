// Invoices: one for each statement of a closed month and each payment, once, also when servers are interrupted or several issue
// them at once; their numbers have no gaps, their sums are the statements, and the database keeps them as they are.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { closedMonth, invoiceSettings } from "../../../test/support/invoices.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { connect } from "../../database/connect.ts";
import { centsOf, inCents, netOf } from "../../rules/invoices.ts";
import { namedMonth, statementSum } from "../billing/statements.ts";
import { readBalance } from "../ledger/balance.ts";
import { postByHand } from "../ledger/by-hand.ts";
import type { Principal } from "../service.ts";
import { changeBillingDetails } from "./billing-details.ts";
import { issueCreditNote } from "./credit-notes.ts";
import { type Invoice, listInvoices, writeInvoice } from "./invoice-store.ts";
import { isIssuing, issueInvoices, keepInvoicing } from "./issue.ts";

const world = worldOfFile();
const settings = invoiceSettings();
const cent = 1_000_000n;
const nothingOf = { seconds: null, price_cents_per_hour: null, discount_basis_points: null } as const;
let customer: Principal;
beforeEach(async () => {
  customer = await world.account();
  await keepInvoicing(world.db, settings);
});

const issue = (more = {}) => issueInvoices(world.db, { ...settings, ...more });
const all = (accountId?: string) => listInvoices(world.db, { accountId }, { descending: false });
const pay = (cents: number, reference: string, by = customer) =>
  world.tx((tx) => postByHand(tx, by, { accountId: by.accountId, kind: "top_up", cents, reference }));
const credit = (invoice: Invoice, lines?: readonly { line: number; amountCents: number }[]) =>
  world.tx((tx) => issueCreditNote(tx, settings, { invoiceId: invoice.id, reason: "Outage", lines }));
async function only(accountId?: string): Promise<Invoice> {
  const found = await all(accountId);
  expect(found).toHaveLength(1);
  return found[0] ?? expect.fail("it was counted");
}
const thisYear = async () =>
  (await sql<{ year: string }>`select extract(year from now() at time zone 'UTC')::text as year`.execute(world.db))
    .rows[0]?.year ?? "";
/** The numbers of each series, in order. */
async function serials(): Promise<Record<string, number[]>> {
  const { rows } = await sql<{ series: string; serials: number[] }>`
    select series, array_agg(serial order by serial) as serials from invoices group by 1`.execute(world.db);
  return Object.fromEntries(rows.map((row) => [row.series, row.serials]));
}
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe("an invoice of a closed month", () => {
  it("has what was used by type, region and price, less credits, with tax, operator and customer", async () => {
    await world.tx((tx) =>
      changeBillingDetails(tx, customer.accountId, {
        ...{ name: "Initech GmbH", address: ["Ring 2", "80331 München"], country: "DE", taxId: "DE 999999999" },
      }),
    );
    const account = customer.accountId;
    await closedMonth(world.db, "2026-03", [
      { account, cost: 3600n * cent },
      { account, cost: 3600n * cent },
      { account, cost: 100n * cent, type: "a100-1", region: "south", price: 100 },
      { account, cost: 0n, credit: 0n },
      { account, cost: 3600n * cent, credit: 600n * cent },
    ]);
    expect(await issue()).toBe(1);
    const invoice = await only();
    expect(invoice).toMatchObject({
      ...{
        accountId: account,
        kind: "usage",
        number: `INV-${await thisYear()}-000001`,
        month: "2026-03",
        entryId: null,
      },
      ...{ currency: "EUR", corrects: null, reason: null, seller: settings.seller },
      customer: { name: "Initech GmbH", address: ["Ring 2", "80331 München"], country: "DE", tax_id: "DE 999999999" },
      tax: { basis_points: 1900, label: "VAT", note: null },
      sums: { totalCents: 10_300, netCents: netOf(10_300, 1900), taxCents: 10_300 - netOf(10_300, 1900) },
    });
    expect(invoice.lines.map(({ text, seconds, total_cents: cents }) => [text, seconds, cents])).toEqual([
      ["a100-1 in south", 3600, 100],
      ["h100-1 in north", 10_800, 10_800],
      ["Credits", null, -600],
    ]);
    const { rows } = await sql<{ days: number }>`
      select due_on - (issued_at at time zone 'UTC')::date as days from invoices`.execute(world.db);
    expect(rows).toEqual([{ days: 14 }]);
  });

  it("has the name of the account where it states no other, and stays so when that changes", async () => {
    await closedMonth(world.db, "2026-03", [{ account: customer.accountId, cost: cent }]);
    await issue();
    const before = await only();
    expect(before.customer).toMatchObject({ country: null, tax_id: null, address: [] });
    await world.tx((tx) => changeBillingDetails(tx, customer.accountId, { name: "Other", country: "AT" }));
    await issue({ currency: "USD" });
    expect(await only()).toEqual(before);
  });

  it("is issued only where something is to pay or to get back", async () => {
    const [idle, tiny, got, free] = await Promise.all([1, 2, 3, 4].map(() => world.account()));
    const id = (of: Principal | undefined) => of?.accountId ?? "";
    await closedMonth(world.db, "2026-03", [
      { account: id(tiny), cost: 499_999n },
      { account: id(got), cost: cent, credit: 5n * cent },
      { account: id(free), cost: 7n * cent, credit: 7n * cent },
    ]);
    expect(await issue()).toBe(1);
    expect(await only()).toMatchObject({ sums: { totalCents: -4 }, dueOn: null });
    for (const of of [idle, tiny, free]) expect(await all(id(of))).toEqual([]);
  });

  it("adds up with all others to the statements, to a cent for each, and changes no balance", async () => {
    const customers = await Promise.all(Array.from({ length: 12 }, () => world.account()));
    const amounts = customers.map((_, index) => 123_456_789n * BigInt(index + 1) ** 3n + BigInt(index * 77_777));
    await closedMonth(
      world.db,
      "2026-03",
      customers.flatMap(({ accountId: account }, index) => [
        { account, cost: amounts[index] ?? 0n, type: `type-${index % 3}` },
        { account, cost: 333_333n, type: "other", credit: 111_111n },
      ]),
    );
    const before = await readBalance(world.db, customer.accountId);
    expect(await issue()).toBe(12);
    const invoices = await all();
    const month = namedMonth("2026-03");
    for (const { accountId, sums, lines } of invoices) {
      const { costMicroCents, creditMicroCents } = await statementSum(world.db, month, accountId);
      expect(sums.microCents).toBe(costMicroCents - creditMicroCents);
      expect(sums.totalCents).toBe(centsOf(costMicroCents - creditMicroCents));
      expect(lines.reduce((sum, line) => sum + line.total_cents, 0)).toBe(sums.totalCents);
      expect(lines.reduce((sum, line) => sum + line.net_cents, 0)).toBe(sums.netCents);
    }
    const total = await statementSum(world.db, month, undefined);
    const exact = invoices.reduce((sum, { sums }) => sum + sums.microCents, 0n);
    expect(exact).toBe(total.costMicroCents - total.creditMicroCents);
    expect((await readBalance(world.db, customer.accountId)).microCents).toBe(before.microCents);
  });

  it("is an event of its account", async () => {
    await closedMonth(world.db, "2026-03", [{ account: customer.accountId, cost: 250n * cent }]);
    await issue();
    const { id, number, dueOn } = await only();
    const { rows } = await sql`select account_id, subject_id, data from events where type = 'invoice.issued'`.execute(
      world.db,
    );
    const { accountId } = customer;
    expect(rows).toEqual([
      {
        ...{ account_id: accountId, subject_id: id },
        data: {
          ...{ invoice_id: id, account_id: accountId, number, kind: "usage", month: "2026-03" },
          ...{ total_cents: 250, currency: "EUR", due_on: dueOn },
        },
      },
    ]);
  });
});

describe("a receipt", () => {
  it("is of one payment, and states no tax where the invoices of usage do", async () => {
    const { id } = await pay(50_000, "RF18");
    await issue();
    expect(await only()).toMatchObject({
      ...{ kind: "top_up", entryId: id, dueOn: null },
      sums: { totalCents: 50_000, netCents: 50_000, taxCents: 0, microCents: 50_000n * cent },
      tax: { basis_points: 0, note: expect.stringContaining("state the tax") },
      lines: [{ text: "Payment RF18", total_cents: 50_000 }],
    });
  });

  it("states the tax where it is on payments, and then the invoice of the usage does not", async () => {
    await pay(12_000, "RF19");
    await closedMonth(world.db, "2026-03", [{ account: customer.accountId, cost: 6000n * cent }]);
    await issue({ taxOn: "top_ups" });
    expect((await all()).map(({ kind, sums }) => [kind, sums.netCents, sums.taxCents])).toEqual([
      ["usage", 6000, 0],
      ["top_up", 10_000, 2000],
    ]);
  });
});

describe("issuing", () => {
  it("begins when the service is first configured for it, and again when it is once more", async () => {
    await keepInvoicing(world.db, undefined);
    await closedMonth(world.db, "2026-01", [{ account: customer.accountId, cost: cent }]);
    await pay(100, "before");
    expect(await issue()).toBe(0);
    await keepInvoicing(world.db, settings);
    expect(await issue()).toBe(0);
    await pay(100, "since");
    await closedMonth(world.db, "2026-02", [{ account: customer.accountId, cost: cent }]);
    expect(await isIssuing(world.db, "2026-02-01")).toBe(true);
    await keepInvoicing(world.db, settings);
    expect(await issue()).toBe(2);
    expect(await isIssuing(world.db, "2026-02-01")).toBe(false);
    await keepInvoicing(world.db, undefined);
    await pay(100, "between");
    await keepInvoicing(world.db, settings);
    expect(await issue()).toBe(0);
    expect(await all()).toHaveLength(2);
  });

  it("gives each cause one invoice, and numbers without gaps, by many at once of which some are cut off", async () => {
    const customers = await Promise.all(Array.from({ length: 8 }, () => world.account()));
    for (const month of ["2026-01", "2026-02"]) {
      await closedMonth(
        world.db,
        month,
        customers.map(({ accountId: account }) => ({ account, cost: 10n * cent })),
      );
    }
    for (const [index, one] of customers.entries()) await pay(100, `P-${index}`, one);
    const pools = Array.from({ length: 4 }, () => connect({ ...world.config, log: () => {}, maxConnections: 2 }));
    const killing = (async () => {
      for (let round = 0; round < 6; round += 1) {
        await sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and query ~ 'invoice' and state <> 'idle'
          order by random() limit 1`.execute(world.db);
      }
    })();
    const outcomes = await Promise.allSettled(pools.map((db) => issueInvoices(db, settings)));
    await killing;
    const again = await issue();
    const given = outcomes.reduce((sum, one) => sum + (one.status === "fulfilled" ? one.value : 0), again);
    expect(given).toBeLessThanOrEqual(24);
    await Promise.all(pools.map((db) => db.destroy()));
    const invoices = await all();
    expect(invoices).toHaveLength(24);
    expect(await serials()).toEqual({ [`INV-${await thisYear()}-`]: upTo(24) });
    expect(await issue()).toBe(0);
  });

  it("gives back the number of an invoice that was not written", async () => {
    await pay(100, "first");
    await closedMonth(world.db, "2026-03", [{ account: customer.accountId, cost: 10n * cent }]);
    await using interrupted = await begin(world.db);
    const series = `INV-${await thisYear()}-`;
    const { lines, sums } = inCents([{ ...nothingOf, text: "Lost", microCents: cent }], 0);
    const { seller, currency } = settings;
    const tax = { basis_points: 0, label: "Tax", note: null };
    const parties = { seller, customer: { name: "x", address: [], country: null, tax_id: null } };
    const lost = {
      accountId: customer.accountId,
      kind: "usage",
      cause: "lost",
      series,
      currency,
      tax,
      lines,
      sums,
    } as const;
    expect(await writeInvoice(interrupted.tx, { ...lost, ...parties })).toMatchObject({ number: `${series}000001` });
    const waiting = issue();
    await untilWaiting(world.db);
    await interrupted.rollback();
    expect(await waiting).toBe(2);
    expect(await serials()).toEqual({ [series]: [1, 2] });
  });

  it("counts on forever or each year, as configured", async () => {
    await pay(100, "one");
    await issue({ isYearly: false });
    expect((await only()).number).toBe("INV-000001");
    await pay(100, "two");
    await issue();
    expect((await all()).at(-1)?.number).toBe(`INV-${await thisYear()}-000001`);
  });
});

describe("the database", () => {
  const copy = (changes: string) =>
    sql
      .raw(`insert into invoices (id, account_id, kind, cause, series, serial, number, month, corrects, reason, currency,
        total_cents, net_cents, tax_cents, micro_cents, tax, seller, customer, lines)
      select (r).id, (r).account_id, (r).kind, (r).cause, (r).series, (r).serial, (r).number, (r).month, (r).corrects, (r).reason, (r).currency,
        (r).total_cents, (r).net_cents, (r).tax_cents, (r).micro_cents, (r).tax, (r).seller, (r).customer, (r).lines
      from (select jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(), 'cause', 'x', 'serial', serial + 1,
        'number', series || lpad((serial + 1)::text, 6, '0')) || '${changes}'::jsonb) as r from invoices i where serial = 1 and kind = 'usage') copied`)
      .execute(world.db);
  let invoice: Invoice;
  beforeEach(async () => {
    await closedMonth(world.db, "2026-03", [{ account: customer.accountId, cost: 1000n * cent }]);
    await issue();
    invoice = await only();
    await sql`insert into invoice_series (name, last) values ('GAP-', 1)`.execute(world.db);
  });

  it("takes a further one with the next number", async () => {
    await copy("{}");
    expect(await all()).toHaveLength(2);
  });

  it.each([
    ["a gap", '{"series": "GAP-", "serial": 2, "number": "GAP-000002"}', /invoices_without_gaps/],
    ["a number that is not its series and serial", '{"number": "INV-1"}', /invoices_number/],
    ["a number twice", '{"serial": 1}', /one_invoice_per_number|series_serial|invoices_number/],
    ["another sum", '{"total_cents": 999}', /invoices_add_up/],
    ["another tax", '{"tax_cents": 0}', /invoices_add_up/],
    ["another exact amount", '{"micro_cents": 1000600000}', /invoices_add_up/],
    ["a credit note above zero", '{"kind": "credit_note"}', /invoices_credit_notes/],
  ])("refuses %s", async (_, changes, refusal) => {
    await expect(copy(changes)).rejects.toThrow(refusal);
  });

  it("refuses to change or delete one, also for the owner of the database", async () => {
    for (const statement of [
      sql`update invoices set total_cents = 1`,
      sql`update invoices set customer = '{}'`,
      sql`delete from invoices`,
      sql`truncate invoices`,
    ]) {
      await expect(statement.execute(world.db)).rejects.toThrow(/never change/);
    }
    expect(await only()).toEqual(invoice);
  });

  it("refuses a credit note of more than its invoice", async () => {
    await credit(invoice, [{ line: 1, amountCents: 900 }]);
    const note = {
      kind: "credit_note",
      corrects: invoice.id,
      reason: "x",
      total_cents: -101,
      net_cents: -101,
      tax_cents: 0,
    };
    const lines = [{ total_cents: -101, net_cents: -101, tax_cents: 0 }];
    await expect(copy(JSON.stringify({ ...note, lines, micro_cents: -101_000_000 }))).rejects.toThrow(
      /no more than its invoice/,
    );
  });
});

describe("a credit note", () => {
  const kinds = { a: 1000n * cent, b: 500n * cent } as const;
  let invoice: Invoice;
  beforeEach(async () => {
    const account = customer.accountId;
    await closedMonth(world.db, "2026-03", [
      { account, cost: kinds.a, type: "a" },
      { account, cost: kinds.b, type: "b", credit: 300n * cent },
    ]);
    await issue();
    invoice = await only();
  });

  it("takes back the whole invoice, with a number of its own, and nothing is left", async () => {
    const note = await credit(invoice);
    expect(note).toMatchObject({
      ...{ kind: "credit_note", number: `CN-${await thisYear()}-000001`, reason: "Outage", dueOn: null },
      ...{ corrects: { id: invoice.id, number: invoice.number }, tax: invoice.tax, customer: invoice.customer },
      sums: { totalCents: -1200, netCents: -invoice.sums.netCents, taxCents: -invoice.sums.taxCents },
    });
    await expect(credit(invoice)).rejects.toMatchObject({ kind: "conflict" });
    await expect(credit(note)).rejects.toMatchObject({ kind: "conflict" });
  });

  it("takes back a part, and later exactly the rest, to the last cent of tax", async () => {
    await credit(invoice, [{ line: 1, amountCents: 333 }]);
    await credit(invoice, [
      { line: 1, amountCents: 111 },
      { line: 2, amountCents: 7 },
    ]);
    await credit(invoice);
    const notes = (await all()).filter(({ kind }) => kind === "credit_note");
    const sum = (field: "totalCents" | "netCents" | "taxCents") =>
      notes.reduce((rest, { sums }) => rest + sums[field], 0);
    expect([sum("totalCents"), sum("netCents"), sum("taxCents")]).toEqual([
      -1200,
      -invoice.sums.netCents,
      -invoice.sums.taxCents,
    ]);
    expect(await serials()).toMatchObject({ [`CN-${await thisYear()}-`]: [1, 2, 3] });
  });

  it("takes back no more than a line, nor than the invoice, also when many are asked for at once", async () => {
    await expect(credit(invoice, [{ line: 1, amountCents: 1001 }])).rejects.toMatchObject({ kind: "conflict" });
    await expect(credit(invoice, [{ line: 4, amountCents: 1 }])).rejects.toMatchObject({ kind: "invalid-parameters" });
    const twice = [1, 1].map((line) => ({ line, amountCents: 1 }));
    await expect(credit(invoice, twice)).rejects.toMatchObject({ kind: "invalid-parameters" });
    // Of the invoice only 1200 are left, because of the credits.
    const both = [
      { line: 1, amountCents: 1000 },
      { line: 2, amountCents: 201 },
    ];
    await expect(credit(invoice, both)).rejects.toMatchObject({ kind: "conflict" });
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => credit(invoice, [{ line: 1, amountCents: 400 }])));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  });

  it("changes no balance", async () => {
    const before = await readBalance(world.db, customer.accountId);
    await credit(invoice);
    expect((await readBalance(world.db, customer.accountId)).microCents).toBe(before.microCents);
  });
});

describe("billing details", () => {
  it("have a tax id that can be one of the country", async () => {
    const change = (details: object) => world.tx((tx) => changeBillingDetails(tx, customer.accountId, details));
    await expect(change({ taxId: "12345", country: "DE" })).rejects.toMatchObject({ kind: "invalid-parameters" });
    await change({ taxId: "DE123456789", country: "DE" });
    await expect(change({ country: "AT" })).rejects.toMatchObject({ kind: "invalid-parameters" });
    expect(await change({ country: "AT", taxId: null })).toMatchObject({ country: "AT", taxId: null });
  });
});
