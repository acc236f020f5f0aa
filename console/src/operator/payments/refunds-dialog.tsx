// What was paid back of a payment, and the form that pays back more through the payment provider, at most what is left.
// Invariant: one refund for each attempt (use-attempt.ts).

import { Badge, Modal, NumberInput, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import type { Shape } from "../../../../src/client/client.ts";
import { failedRefundStatus } from "../../../../src/rules/payments.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { useSession } from "../../api/session-context.tsx";
import { balanceSubjects } from "../../balance/use-balance.ts";
import { amountIn } from "../../invoices/amount.ts";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { FormDialog } from "../../shared/form-dialog.tsx";
import type { Typed } from "../../shared/number-inputs.tsx";
import { failureWords, refundLabels } from "../../shared/payment-words.ts";
import { Permitted } from "../../shared/permitted.tsx";
import { Time } from "../../shared/time.tsx";
import { useAttempt } from "../use-attempt.ts";

type Payment = Shape<"Payment">;
type Refund = Shape<"Refund">;

interface RefundsProps {
  readonly payment: Payment;
  /** Of its account. */
  readonly name: string;
  readonly onClose: () => void;
}

export function RefundsDialog({ payment, name, onClose }: RefundsProps) {
  const { lack } = useSession();
  const missing = lack("money", "operator");
  const { id } = payment;
  const read = useRead(["payments", "refunds", id], (client) =>
    client.GET("/payments/{id}/refunds", { params: { path: { id } } }),
  );
  const title = `Refunds of ${amountIn(payment.amount_cents, payment.currency.toUpperCase())} by ${name}`;
  const list = (
    <DataTable
      label="Refunds"
      columns={columnsIn(payment.currency.toUpperCase())}
      rows={read.data?.data}
      rowKey={({ id: ours, provider_refund_id: theirs }) => ours ?? theirs ?? ""}
      error={read.error}
      onRetry={() => void read.refetch()}
      filter={false}
      empty={<p className="soft">Nothing was paid back.</p>}
    />
  );
  if (missing === undefined)
    return <RefundForm {...{ payment, name, title, onClose, list }} refunds={read.data?.data} />;
  return (
    <Modal opened onClose={onClose} title={title} size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      {list}
      <p>
        <Permitted to="refund payments" missing={missing}>
          {null}
        </Permitted>
      </p>
    </Modal>
  );
}

interface RefundFormProps extends RefundsProps {
  readonly title: string;
  readonly list: React.ReactNode;
  /** Undefined: not known yet. */
  readonly refunds: readonly Refund[] | undefined;
}

function RefundForm({ payment, name, title, list, refunds, onClose }: RefundFormProps) {
  const { id, amount_cents: paid } = payment;
  const currency = payment.currency.toUpperCase();
  const attempt = useAttempt();
  const form = useForm({
    initialValues: { amount_cents: "" as Typed, reason: "" },
    validate: { reason: isNotEmpty("Enter a reason.") },
  });
  const left = refunds === undefined ? undefined : leftOf(paid, refunds);
  const refund = useChange(
    (client, { amount_cents: amount, reason }: typeof form.values) => {
      const body = {
        reason: reason.trim(),
        ...(amount !== "" && { amount_cents: Math.round(Number(amount) * 100) }),
      };
      return attempt(body, (header) =>
        client.POST("/payments/{id}/refunds", { params: { path: { id }, header }, body }),
      );
    },
    ["payments", ...balanceSubjects],
  );
  return (
    <FormDialog
      size="lg"
      title={title}
      action="Refund"
      form={form}
      change={refund}
      disabled={left === undefined || left === 0}
      onClose={onClose}
      onSaved={({ data }) => {
        notifications.show({
          color: "green",
          message: `Ordered a refund of ${amountIn(data.amount_cents, currency)} to ${name}.`,
        });
        onClose();
      }}
    >
      {list}
      <NumberInput
        label="Amount"
        description={
          left === 0
            ? "Nothing is left."
            : `${left === undefined ? "" : `At most ${amountIn(left, currency)}. `}Empty: all that is left.`
        }
        suffix={` ${currency}`}
        decimalScale={2}
        thousandSeparator=","
        min={0}
        {...(left !== undefined && { max: left / 100 })}
        hideControls
        disabled={left === 0}
        {...form.getInputProps("amount_cents")}
        data-autofocus
      />
      <TextInput
        label="Reason"
        description="The account reads it."
        {...form.getInputProps("reason")}
        autoComplete="off"
        maxLength={200}
      />
    </FormDialog>
  );
}

/** In cents. What is disputed is not known here: the service rejects more than is left. */
function leftOf(paid: number, refunds: readonly Refund[]): number {
  const back = refunds.filter(({ status }) => status !== failedRefundStatus);
  return Math.max(
    0,
    back.reduce((left, { amount_cents: cents }) => left - cents, paid),
  );
}

const columnsIn = (currency: string): readonly Column<Refund>[] => [
  {
    key: "amount",
    header: "Amount",
    primary: true,
    cell: ({ amount_cents: cents }) => amountIn(cents, currency),
  },
  {
    key: "status",
    header: "Status",
    cell: ({ status, failure }) => (
      <div>
        <Badge color={refundLabels[status].color}>{refundLabels[status].label}</Badge>
        {failure !== null && (
          <div className="soft" title={failure}>
            {failureWords(failure)}
          </div>
        )}
      </div>
    ),
  },
  { key: "reason", header: "Reason", cell: ({ reason }) => reason ?? <span className="soft">at the provider</span> },
  { key: "created", header: "Ordered", whole: true, cell: ({ created_at: at }) => <Time at={at} /> },
];
