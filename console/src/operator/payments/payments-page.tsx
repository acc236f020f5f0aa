// The payments of all accounts through the payment provider, newest first, page by page. `?account=` filters by account.
// They are refunded here, and holds that disputes put on accounts are lifted.

import { Badge, Button } from "@mantine/core";
import { useState } from "react";
import { useSearchParams } from "wouter";
import type { Shape } from "../../../../src/client/client.ts";
import { creditedStatus, paymentStatusTable } from "../../../../src/rules/payments.ts";
import { usePages } from "../../api/pages-query.ts";
import { useSession } from "../../api/session-context.tsx";
import { amountIn } from "../../invoices/amount.ts";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { FilterSelect } from "../../shared/filter-select.tsx";
import { Page } from "../../shared/page.tsx";
import { failureWords, paymentLabels, statusChoices } from "../../shared/payment-words.ts";
import { Permitted } from "../../shared/permitted.tsx";
import { Time } from "../../shared/time.tsx";
import { AccountName, useAccountNames, useAccounts } from "../account-name.tsx";
import { AccountSelect } from "../account-select.tsx";
import { type HeldAccount, LiftHoldDialog, OnHold } from "../accounts/hold.tsx";
import classes from "../words.module.css";
import { RefundsDialog } from "./refunds-dialog.tsx";

type Payment = Shape<"Payment">;

/** Payments of a page. */
const limit = 100;

const disputes = [
  { value: "true", label: "Disputed" },
  { value: "false", label: "Never disputed" },
];

export function PaymentsPage() {
  const { lack } = useSession();
  const missing = lack("limits", "operator");
  const [search, setSearch] = useSearchParams();
  const account = search.get("account");
  const [status, setStatus] = useState<Payment["status"] | null>(null);
  const [disputed, setDisputed] = useState<string | null>(null);
  const [lifted, setLifted] = useState<HeldAccount>();
  const [refunded, setRefunded] = useState<Payment>();
  const pages = usePages<Payment>(["payments", "all", account, status, disputed], (client, cursor) =>
    client.GET("/payments", {
      params: {
        query: {
          limit,
          ...cursor,
          ...(account !== null && { account_id: account }),
          ...(status !== null && { status }),
          ...(disputed !== null && { disputed: disputed === "true" }),
        },
      },
    }),
  );
  const nameOf = useAccountNames();
  const accounts = useAccounts().data?.data ?? [];
  const heldOf = ({ account_id: id }: Payment) => accounts.find((one) => one.id === id && one.held_since !== null);
  const isAnyHeld = pages.rows?.some((payment) => heldOf(payment) !== undefined) ?? false;
  return (
    <Page
      title="Payments"
      description="What accounts pay through the payment provider. Refunds and disputes there change the ledger by themselves."
      actions={
        isAnyHeld ? (
          <Permitted to="lift holds" missing={missing}>
            {null}
          </Permitted>
        ) : undefined
      }
    >
      <DataTable
        label="Payments"
        columns={columnsOf(nameOf, heldOf)}
        rows={pages.rows}
        rowKey={({ id }) => id}
        error={pages.error}
        onRetry={pages.again}
        step={1000}
        tools={
          <>
            <AccountSelect value={account} onChange={(id) => setSearch(id === null ? {} : { account: id })} />
            <FilterSelect
              name="Status"
              none="Any status"
              choices={statusChoices}
              value={status}
              onChange={setStatus}
              width={150}
            />
            <FilterSelect
              name="Disputes"
              none="Disputed or not"
              choices={disputes}
              value={disputed}
              onChange={setDisputed}
              width={160}
            />
          </>
        }
        empty={
          <EmptyState icon="wallet" title="No payments">
            {account === null && status === null && disputed === null
              ? "Those that customers make through the payment provider appear here."
              : "No payments match these filters."}
          </EmptyState>
        }
        rowActions={(payment) => {
          const held = missing === undefined ? heldOf(payment) : undefined;
          return (
            <>
              {payment.status === creditedStatus && (
                <Button
                  variant="subtle"
                  size="xs"
                  aria-label={`Refunds of ${payment.provider_payment_id ?? payment.id}`}
                  onClick={() => setRefunded(payment)}
                >
                  Refunds
                </Button>
              )}
              {held !== undefined && (
                <Button
                  variant="subtle"
                  size="xs"
                  aria-label={`Lift hold of ${held.name}`}
                  onClick={() => setLifted(held)}
                >
                  Lift hold
                </Button>
              )}
            </>
          );
        }}
      />
      {pages.hasMore && (
        <Button variant="default" mt="sm" onClick={pages.readMore} loading={pages.isReadingMore}>
          Load older payments
        </Button>
      )}
      {refunded !== undefined && (
        <RefundsDialog payment={refunded} name={nameOf(refunded.account_id)} onClose={() => setRefunded(undefined)} />
      )}
      {lifted !== undefined && <LiftHoldDialog account={lifted} onClose={() => setLifted(undefined)} />}
    </Page>
  );
}

function columnsOf(
  nameOf: (id: string) => string,
  heldOf: (payment: Payment) => HeldAccount | undefined,
): readonly Column<Payment>[] {
  return [
    {
      key: "account",
      header: "Account",
      primary: true,
      cell: (payment) => (
        <div>
          <AccountName id={payment.account_id} /> <OnHold since={heldOf(payment)?.held_since ?? null} />
        </div>
      ),
      text: ({ account_id: id, id: payment }) => `${nameOf(id)} ${payment}`,
    },
    {
      key: "amount",
      header: "Amount",
      align: "right",
      cell: ({ amount_cents: cents, currency }) => amountIn(cents, currency.toUpperCase()),
      text: ({ amount_cents: cents, currency }) => amountIn(cents, currency.toUpperCase()),
    },
    {
      key: "status",
      header: "Status",
      cell: ({ status, failure, disputed }) => (
        <div>
          <Badge color={paymentLabels[status].color} title={paymentStatusTable[status].meaning}>
            {paymentLabels[status].label}
          </Badge>{" "}
          {disputed && <Badge color="red">Disputed</Badge>}
          {failure !== null && (
            <div className="soft" title={failure}>
              {failureWords(failure)}
            </div>
          )}
        </div>
      ),
      text: ({ status, failure, disputed }) =>
        [paymentLabels[status].label, failure, failure && failureWords(failure), disputed && "Disputed"].join(" "),
    },
    {
      key: "provider",
      header: "ID at the provider",
      cell: ({ provider_payment_id: id }) =>
        id === null ? <span className="soft">–</span> : <code className={classes.foreign}>{id}</code>,
      text: ({ provider_payment_id: id }) => id ?? "",
    },
    { key: "created", header: "Created", whole: true, cell: ({ created_at: at }) => <Time at={at} /> },
    { key: "paid", header: "Paid", whole: true, cell: ({ paid_at: at }) => (at === null ? "–" : <Time at={at} />) },
  ];
}
