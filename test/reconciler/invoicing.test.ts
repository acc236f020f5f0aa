// Replicas issue what is missing by themselves: each invoice once, and none where that is not configured.

import { sql } from "kysely";
import { expect, it } from "vitest";
import { startInvoicing } from "../../src/reconciler/maintenance/invoicing.ts";
import { type ReconcilerSettings, withDefaults } from "../../src/reconciler/settings.ts";
import { listInvoices } from "../../src/rental/invoices/invoice-store.ts";
import { closedMonth, invoiceSettings } from "../support/invoices.ts";
import { quiet, stageOfFile } from "../support/stage.ts";
import { afterTest } from "../support/when-over.ts";

const stage = stageOfFile();

async function replica(more: Partial<ReconcilerSettings>): Promise<void> {
  const job = startInvoicing(stage.db, withDefaults({ ...quiet, choreSeconds: 0.01, ...more }), stage.log);
  afterTest(() => job.stop());
  await job.poke();
}

const invoices = () => listInvoices(stage.db, { accountId: undefined }, {});

it("issues each invoice once, by two replicas at once", async () => {
  await Promise.all([1, 2].map(() => replica({ invoices: invoiceSettings() })));
  const customers = await Promise.all([1, 2, 3].map(() => stage.world.account()));
  const lines = customers.map(({ accountId }) => ({ account: accountId, cost: 5_000_000n }));
  await closedMonth(stage.db, "2026-03", lines);
  await expect.poll(async () => (await invoices()).length).toBe(3);
  await closedMonth(stage.db, "2026-04", lines);
  await expect.poll(async () => (await invoices()).length).toBe(6);
  expect(new Set((await invoices()).map(({ number }) => number.slice(-6))).size).toBe(6);
});

it("issues none without settings, and forgets since when it did", async () => {
  await replica({ invoices: invoiceSettings() });
  expect((await sql`select from invoicing`.execute(stage.db)).rows).toHaveLength(1);
  await replica({});
  expect((await sql`select from invoicing`.execute(stage.db)).rows).toHaveLength(0);
});
