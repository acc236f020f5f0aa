// The account's payments through the payment provider, newest first, page by page, each with its status. Those that wait to
// be paid lead to the page of the provider.

import { Badge, Button } from "@mantine/core";
import type { Shape } from "../../../src/client/client.ts";
import { paymentStatusTable } from "../../../src/rules/payments.ts";
import { usePages } from "../api/pages-query.ts";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { Page } from "../shared/page.tsx";
import { failureWords, paymentLabels } from "../shared/payment-words.ts";
import { Time } from "../shared/time.tsx";
import { paymentAmount } from "./status-words.ts";

type Payment = Shape<"Payment">;

/** Top-ups of a page. */
const limit = 100;

export function TopUpsPage() {
  const pages = usePages(["top-ups", "own"], (client, cursor) =>
    client.GET("/top-ups", { params: { query: { limit, ...cursor } } }),
  );
  return (
    <Page
      title="Top-ups"
      back={{ href: "/balance", title: "Balance" }}
      description="Your payments through the payment provider. The ledger has those that were paid, and all others."
    >
      <DataTable
        label="Top-ups"
        columns={columns}
        rows={pages.rows}
        rowKey={({ id }) => id}
        error={pages.error}
        onRetry={pages.again}
        step={1000}
        empty={
          <EmptyState icon="wallet" title="No top-ups">
            Those that you make on the page Balance appear here.
          </EmptyState>
        }
        rowActions={({ checkout_url: url, amount_cents: cents, currency }) =>
          url !== null && (
            <Button component="a" href={url} variant="default" aria-label={`Pay ${paymentAmount(cents, currency)}`}>
              Pay
            </Button>
          )
        }
      />
      {pages.hasMore && (
        <Button variant="default" mt="sm" onClick={pages.readMore} loading={pages.isReadingMore}>
          Load older top-ups
        </Button>
      )}
    </Page>
  );
}

const amountOf = ({ amount_cents: cents, currency }: Payment) => paymentAmount(cents, currency);

const columns: readonly Column<Payment>[] = [
  {
    key: "at",
    header: "When",
    primary: true,
    cell: ({ created_at: at, provider_payment_id: reference }) => (
      <div>
        <Time at={at} />
        {reference !== null && <div className="soft">{reference}</div>}
      </div>
    ),
    text: ({ id, provider_payment_id: reference }) => [reference, id].join(" "),
  },
  {
    key: "amount",
    header: "Amount",
    align: "right",
    cell: (payment) => (
      <div>
        {amountOf(payment)}
        {payment.payment_method_id !== null && <div className="soft">Auto top-up</div>}
      </div>
    ),
    text: amountOf,
  },
  {
    key: "status",
    header: "Status",
    whole: true,
    cell: ({ status, failure }) => (
      <div>
        <Badge color={paymentLabels[status].color} title={paymentStatusTable[status].meaning}>
          {paymentLabels[status].label}
        </Badge>
        {failure !== null && <div className="soft">{failureWords(failure)}</div>}
      </div>
    ),
    text: ({ status, failure }) =>
      [paymentLabels[status].label, failure === null ? "" : failureWords(failure)].join(" "),
  },
  {
    key: "paid",
    header: "Paid",
    whole: true,
    cell: ({ paid_at: at }) => (at === null ? "–" : <Time at={at} />),
  },
];
