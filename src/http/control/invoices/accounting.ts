// Control interface: the export of a closed month for accounting, for operators: all entries of the ledger and all invoices,
// as one CSV. Invariant: it is written as it is read, so that no month is too long for memory.

import { Readable } from "node:stream";
import { Type } from "typebox";
import type { Database } from "../../../database/connect.ts";
import {
  type AccountingEntry,
  accountingEntries,
  accountingInvoices,
  requireAccounted,
} from "../../../rental/invoices/accounting.ts";
import { csvHeader, csvRows } from "../../api/csv.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { parseMonth } from "../billing/calendar.ts";
import { ListedInvoice, listedView } from "./view.ts";

const ofEntries = ["record", "account_name", "ledger_account", "amount_micro_cents", "reference"];
const columns = [...ofEntries, ...Object.keys(ListedInvoice.properties)];

export function accountingRoutes(api: Api): void {
  api.stream(
    "/accounting/:month",
    {
      id: "exportAccounting",
      tag: "Invoices",
      summary: "Export a month for accounting",
      description:
        "CSV of all accounts: the entries of the ledger (`record` is `entry`), then the invoices (`invoice`). A month that is not " +
        "closed, or whose invoices are still being issued, is rejected (409).",
      scope: "operator",
      right: "money",
      params: Type.Object({ month: Type.String({ ...limit.month, description: "In UTC.", examples: ["2026-03"] }) }),
      media: "text/csv",
      errors: ["conflict"],
    },
    async ({ db, params, reply }) => {
      const month = parseMonth("month", params.month).name;
      await requireAccounted(db, month);
      reply.header("content-disposition", `attachment; filename="accounting-${month}.csv"`);
      reply.header("cache-control", "no-store").type("text/csv; charset=utf-8; header=present");
      reply.send(Readable.from(written(db, month)));
    },
  );
}

async function* written(db: Database, month: string): AsyncGenerator<string> {
  yield csvHeader(columns);
  for await (const entries of accountingEntries(db, month))
    yield csvRows(
      columns,
      entries.map((one) => entryRow(one, month)),
    );
  for await (const invoices of accountingInvoices(db, month)) {
    yield csvRows(
      columns,
      invoices.map((one) => ({ record: "invoice", ...listedView(one) })),
    );
  }
}

function entryRow(entry: AccountingEntry, month: string) {
  return {
    ...{ record: "entry", id: String(entry.id), account_id: entry.accountId, account_name: entry.accountName },
    ...{ kind: entry.kind, ledger_account: entry.against, amount_micro_cents: entry.amountMicroCents, month },
    ...{ reference: entry.reference, reason: entry.reason, issued_at: entry.createdAt.toISOString() },
  };
}
