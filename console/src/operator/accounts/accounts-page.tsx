// All accounts: their use of their quotas, and whether they are active.

import { Badge, Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { Shape } from "../../../../src/client/client.ts";
import { useSession } from "../../api/session-context.tsx";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { formatNumber } from "../../shared/format-number.ts";
import { Icon } from "../../shared/icon.tsx";
import { Money } from "../../shared/money.tsx";
import { Page } from "../../shared/page.tsx";
import { Permitted } from "../../shared/permitted.tsx";
import { Time } from "../../shared/time.tsx";
import { useAccounts } from "../account-name.tsx";
import { OnHold } from "./hold.tsx";
import { NewAccountDialog } from "./new-account-dialog.tsx";

type Account = Shape<"Account">;

const columns: readonly Column<Account>[] = [
  {
    key: "name",
    header: "Account",
    primary: true,
    cell: ({ id, name }) => <Link href={`/operator/accounts/${id}`}>{name}</Link>,
    sort: ({ name }) => name,
    text: ({ id, name }) => `${name} ${id}`,
  },
  {
    key: "status",
    header: "Status",
    cell: ({ status, held_since: since }) => (
      <>
        <AccountStatus status={status} /> <OnHold since={since} />
      </>
    ),
    sort: ({ status }) => status,
    text: ({ status, held_since: since }) => `${status} ${since === null ? "" : "on hold"}`,
  },
  used("instances", "Instances"),
  used("gpus", "GPUs"),
  used("vcpus", "vCPUs"),
  {
    key: "spent",
    header: "Spent this month",
    align: "right",
    cell: ({ spend_limit_cents, spent_this_month_cents }) =>
      spend_limit_cents === null ? (
        <span className="soft">no limit</span>
      ) : (
        <div>
          <Money cents={spent_this_month_cents ?? 0} /> <span className="soft">of</span>{" "}
          <Money cents={spend_limit_cents} />
        </div>
      ),
    sort: ({ spent_this_month_cents }) => (spent_this_month_cents === null ? null : Number(spent_this_month_cents)),
  },
  {
    key: "created",
    header: "Created",
    align: "right",
    cell: ({ created_at }) => <Time at={created_at} />,
    sort: ({ created_at }) => Date.parse(created_at),
  },
];

export function AccountsPage() {
  const read = useAccounts();
  const { lack } = useSession();
  const missing = lack("members", "operator");
  const [isNew, setNew] = useState(false);
  return (
    <Page
      title="Accounts"
      description="Customers and their quotas, newest first."
      actions={
        <Permitted to="create accounts" missing={missing}>
          <Button leftSection={<Icon name="plus" />} onClick={() => setNew(true)}>
            New account
          </Button>
        </Permitted>
      }
    >
      <DataTable
        label="Accounts"
        columns={columns}
        rows={read.data?.data}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        initialSort={{ key: "created", descending: true }}
        empty={
          <EmptyState icon="people" title="No accounts">
            Create one for each customer.
          </EmptyState>
        }
      />
      {isNew && <NewAccountDialog onClose={() => setNew(false)} />}
    </Page>
  );
}

export function AccountStatus({ status }: { readonly status: Account["status"] }) {
  return status === "active" ? <Badge color="green">Active</Badge> : <Badge color="gray">Inactive</Badge>;
}

/** The used part of a quota. */
function used(of: "instances" | "gpus" | "vcpus", header: string): Column<Account> {
  return {
    key: of,
    header,
    align: "right",
    cell: ({ used: now, quotas }) => (
      <div>
        {formatNumber(now[of])} <span className="soft">of {formatNumber(quotas[of])}</span>
      </div>
    ),
    sort: ({ used: now }) => now[of],
  };
}
