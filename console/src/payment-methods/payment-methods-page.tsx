// The account's saved payment methods: they are entered on a page of the payment provider, which leads back here, and removed
// here.
//
// Invariant: a button that is pressed twice, or whose response is lost, begins one method: its attempt keeps its key.

import { Badge, Button } from "@mantine/core";
import { useRef, useState } from "react";
import { useLocation } from "wouter";
import type { Shape } from "../../../src/client/client.ts";
import { methodStatusTable } from "../../../src/rules/payment-methods.ts";
import { useChange, useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { type Attempt, isFinal, nextAttempt, randomKey } from "../launch/attempt.ts";
import { ConfirmTyped } from "../shared/confirm-typed.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { ErrorNote } from "../shared/error-state.tsx";
import { Icon } from "../shared/icon.tsx";
import { Page } from "../shared/page.tsx";
import { Permitted } from "../shared/permitted.tsx";
import { Time } from "../shared/time.tsx";
import { MethodStatus, methodAddress } from "./method-status.tsx";
import { expiryText, methodName, methodWords } from "./method-words.ts";

type Method = Shape<"PaymentMethod">;

export function PaymentMethodsPage() {
  const { lack } = useSession();
  const missing = lack("money");
  const [, navigate] = useLocation();
  const [removed, setRemoved] = useState<Method>();
  const read = useRead(["payment-methods", "own"], (client) => client.GET("/payment-methods"));
  const attempt = useRef<Attempt | undefined>(undefined);
  const add = useChange<undefined, { readonly data: Method }>(
    async (client) => {
      const present = nextAttempt(attempt.current, "", randomKey);
      attempt.current = present;
      const answer = await client.POST("/payment-methods", { params: { header: { "Idempotency-Key": present.key } } });
      attempt.current = { ...present, answered: isFinal(answer.response.status) };
      return answer;
    },
    ["payment-methods"],
  );
  const begin = () =>
    add.mutate(undefined, {
      onSuccess: ({ data }) => {
        // The page to which the browser's way back leads.
        navigate(methodAddress(data.id), { replace: true });
        if (data.checkout_url !== null) window.location.assign(data.checkout_url);
      },
    });
  return (
    <Page
      title="Payment methods"
      back={{ href: "/balance", title: "Balance" }}
      description="Cards and bank accounts that the payment provider keeps for you. The default is the one that was saved last."
      actions={
        <Permitted to="add or remove payment methods" missing={missing}>
          <Button leftSection={<Icon name="plus" />} loading={add.isPending} onClick={begin}>
            Add payment method
          </Button>
        </Permitted>
      }
    >
      <MethodStatus />
      <ErrorNote error={add.error} />
      <DataTable
        label="Payment methods"
        columns={columns}
        rows={read.data?.data}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        filter={false}
        empty={
          <EmptyState icon="wallet" title="No payment methods">
            You enter them on the page of the payment provider: no card data reaches this service.
          </EmptyState>
        }
        rowActions={
          missing === undefined
            ? (method) => <Actions method={method} onRemove={() => setRemoved(method)} />
            : undefined
        }
      />
      {removed !== undefined && <Remove method={removed} onClose={() => setRemoved(undefined)} />}
    </Page>
  );
}

function Actions({ method, onRemove }: { readonly method: Method; readonly onRemove: () => void }) {
  return (
    <>
      {method.checkout_url !== null && (
        <Button component="a" href={method.checkout_url} variant="default" size="compact-sm">
          Enter<span className="hidden"> {methodName(method)}</span>
        </Button>
      )}
      <Button size="compact-sm" variant="subtle" color="red" onClick={onRemove}>
        Remove<span className="hidden"> {methodName(method)}</span>
      </Button>
    </>
  );
}

function Remove({ method, onClose }: { readonly method: Method; readonly onClose: () => void }) {
  const remove = useChange<undefined, unknown>(
    (client) => client.DELETE("/payment-methods/{id}", { params: { path: { id: method.id } } }),
    ["payment-methods"],
  );
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`Remove ${methodName(method)}?`}
      action="Remove"
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      pending={remove.isPending}
      error={remove.error}
    >
      <p>It can't be charged any more. Payments that were made with it stay.</p>
    </ConfirmTyped>
  );
}

const columns: readonly Column<Method>[] = [
  {
    key: "method",
    header: "Payment method",
    primary: true,
    cell: (method) => (
      <>
        {methodName(method)} {method.is_default && <Badge color="blue">Default</Badge>}
      </>
    ),
  },
  {
    key: "status",
    header: "Status",
    whole: true,
    cell: ({ status }) => (
      <Badge color={methodWords[status].color} title={methodStatusTable[status].meaning}>
        {methodWords[status].label}
      </Badge>
    ),
  },
  {
    key: "expires",
    header: "Expires",
    whole: true,
    cell: ({ exp_month: month, exp_year: year }) => expiryText(month, year),
  },
  { key: "added", header: "Added", whole: true, cell: ({ created_at: at }) => <Time at={at} /> },
];
