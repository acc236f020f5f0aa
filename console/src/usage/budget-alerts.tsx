// The account's budget alerts, and which of them this month's usage has reached. On the page of usage.

import { Badge, Button } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import type { Shape } from "../../../src/client/client.ts";
import { mostBudgetAlerts, mostSpendLimitCents } from "../../../src/rules/account-limits.ts";
import { useChange, useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { ErrorNote } from "../shared/error-state.tsx";
import { FormDialog } from "../shared/form-dialog.tsx";
import { moneyOf } from "../shared/format-money.ts";
import { dayOf } from "../shared/format-time.ts";
import { Icon } from "../shared/icon.tsx";
import { centsOf, DollarsInput, type Typed } from "../shared/number-inputs.tsx";
import { Section } from "../shared/page.tsx";
import { Permitted } from "../shared/permitted.tsx";

type Alert = Shape<"BudgetAlert">;

const subject = "budget-alerts";

export function BudgetAlerts() {
  const { lack } = useSession();
  const missing = lack("limits");
  const [isOpen, { open, close }] = useDisclosure(false);
  const read = useRead([subject], (client) => client.GET("/budget-alerts"));
  const remove = useChange(
    (client, id: string) => client.DELETE("/budget-alerts/{id}", { params: { path: { id } } }),
    [subject],
  );
  return (
    <Section
      title="Budget alerts"
      actions={
        <Permitted to="change budget alerts" missing={missing}>
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name="plus" />}
            onClick={open}
            disabled={(read.data?.data.length ?? 0) >= mostBudgetAlerts}
          >
            New budget alert
          </Button>
        </Permitted>
      }
    >
      <ErrorNote error={remove.error} />
      <DataTable
        label="Budget alerts"
        columns={columns}
        rows={read.data?.data}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        filter={false}
        empty={
          <EmptyState icon="chart" title="No budget alerts">
            An alert tells your account, by event and email, when its usage of a month reaches an amount.
          </EmptyState>
        }
        rowActions={
          missing === undefined
            ? ({ id, amount_cents: cents }) => (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  loading={remove.isPending && remove.variables === id}
                  onClick={() => remove.mutate(id)}
                >
                  Delete<span className="hidden"> {moneyOf(cents)}</span>
                </Button>
              )
            : undefined
        }
      />
      {isOpen && <NewAlert onClose={close} />}
    </Section>
  );
}

function NewAlert({ onClose }: { readonly onClose: () => void }) {
  const form = useForm({
    initialValues: { amount_cents: "" as Typed },
    validate: {
      amount_cents: (value) => {
        const cents = centsOf(value);
        return cents !== null && cents > 0 && cents <= mostSpendLimitCents ? null : "Enter an amount.";
      },
    },
  });
  const create = useChange(
    (client, { amount_cents: typed }: typeof form.values) =>
      client.POST("/budget-alerts", { body: { amount_cents: centsOf(typed) ?? Number.NaN } }),
    [subject],
  );
  return (
    <FormDialog title="New budget alert" action="Create alert" form={form} change={create} onClose={onClose}>
      <DollarsInput
        label="Amount"
        description="You are told once in each month (UTC) in which the usage reaches it. Nothing is stopped."
        min={0}
        {...form.getInputProps("amount_cents")}
        data-autofocus
      />
    </FormDialog>
  );
}

const columns: readonly Column<Alert>[] = [
  { key: "amount", header: "Monthly usage", primary: true, cell: ({ amount_cents: cents }) => moneyOf(cents) },
  {
    key: "status",
    header: "This month",
    whole: true,
    cell: ({ reached_at: at }) =>
      at === null ? (
        <span className="soft">Not reached</span>
      ) : (
        <Badge color="amber">Reached on {dayOf(at.slice(0, 10))}</Badge>
      ),
  },
];
