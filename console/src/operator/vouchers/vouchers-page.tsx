// The vouchers: create and delete them, and how many accounts have redeemed each. Which ones did, their ledgers say.

import { Badge, Button } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { useSession } from "../../api/session-context.tsx";
import { ConfirmTyped } from "../../shared/confirm-typed.tsx";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { moneyOf } from "../../shared/format-money.ts";
import { formatNumber } from "../../shared/format-number.ts";
import { Icon } from "../../shared/icon.tsx";
import { Money } from "../../shared/money.tsx";
import { Page } from "../../shared/page.tsx";
import { Permitted } from "../../shared/permitted.tsx";
import { SecretOnce } from "../../shared/secret-once.tsx";
import { Time } from "../../shared/time.tsx";
import { VoucherDialog } from "./voucher-dialog.tsx";
import { voucherState } from "./voucher-state.ts";

type Voucher = Shape<"Voucher">;

export function VouchersPage() {
  const { lack } = useSession();
  const missing = lack("money", "operator");
  const read = useRead(["vouchers"], (client) => client.GET("/vouchers"));
  const [isNew, setNew] = useState(false);
  const [made, setMade] = useState<Shape<"MadeVoucher">>();
  const [deleted, setDeleted] = useState<Voucher>();
  return (
    <Page
      title="Vouchers"
      description="Codes that are worth money to each account that redeems them."
      actions={
        <Permitted to="create vouchers" missing={missing}>
          <Button leftSection={<Icon name="plus" />} onClick={() => setNew(true)}>
            New voucher
          </Button>
        </Permitted>
      }
    >
      <DataTable
        label="Vouchers"
        columns={columns}
        rows={read.data?.data}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        initialSort={{ key: "created", descending: true }}
        empty={
          <EmptyState icon="coupon" title="No vouchers">
            Create one to give customers credit.
          </EmptyState>
        }
        rowActions={
          missing === undefined
            ? (voucher) => (
                <Button
                  variant="subtle"
                  color="red"
                  size="xs"
                  aria-label={`Delete ${voucher.name}`}
                  onClick={() => setDeleted(voucher)}
                >
                  Delete
                </Button>
              )
            : undefined
        }
      />
      {isNew && <VoucherDialog onClose={() => setNew(false)} onMade={setMade} />}
      {deleted !== undefined && <DeleteVoucher voucher={deleted} onClose={() => setDeleted(undefined)} />}
      {made !== undefined && (
        <SecretOnce title={`Voucher ${made.name}`} secret={made.code} label="code" onClose={() => setMade(undefined)}>
          <p>
            Worth {moneyOf(made.amount_cents)} to each of {formatNumber(made.max_uses)}{" "}
            {made.max_uses === 1 ? "account" : "accounts"}, on the page Balance or with{" "}
            <code>lessor vouchers redeem</code>.
          </p>
        </SecretOnce>
      )}
    </Page>
  );
}

const colors = { Active: "green", "Used up": "gray", Expired: "amber" } as const;
const stateOf = (voucher: Voucher) => voucherState(voucher, Date.now());

const columns: readonly Column<Voucher>[] = [
  {
    key: "name",
    header: "Name",
    primary: true,
    cell: ({ name }) => name,
    sort: ({ name }) => name,
    text: ({ name, id }) => `${name} ${id}`,
  },
  {
    key: "amount",
    header: "Amount",
    align: "right",
    cell: ({ amount_cents: cents }) => <Money cents={cents} />,
    sort: ({ amount_cents: cents }) => cents,
  },
  {
    key: "uses",
    header: "Redeemed",
    align: "right",
    cell: ({ uses, max_uses: most }) => (
      <span>
        {formatNumber(uses)} <span className="soft">of {formatNumber(most)}</span>
      </span>
    ),
    sort: ({ uses }) => uses,
  },
  {
    key: "expires",
    header: "Expires",
    whole: true,
    cell: ({ expires_at: at }) => <Time at={at} />,
    sort: ({ expires_at: at }) => at,
  },
  {
    key: "state",
    header: "State",
    whole: true,
    cell: (voucher) => <Badge color={colors[stateOf(voucher)]}>{stateOf(voucher)}</Badge>,
    sort: stateOf,
    text: stateOf,
  },
  {
    key: "created",
    header: "Created",
    whole: true,
    cell: ({ created_at: at }) => <Time at={at} />,
    sort: ({ created_at: at }) => at,
  },
];

function DeleteVoucher({
  voucher: { id, name },
  onClose,
}: {
  readonly voucher: Voucher;
  readonly onClose: () => void;
}) {
  const remove = useChange<undefined, unknown>(
    (client) => client.DELETE("/vouchers/{id}", { params: { path: { id } } }),
    ["vouchers"],
  );
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`Delete ${name}?`}
      action="Delete"
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      pending={remove.isPending}
      error={remove.error}
    >
      <p>It can no longer be redeemed. What was redeemed stays.</p>
    </ConfirmTyped>
  );
}
