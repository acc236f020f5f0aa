// The forms that record an entry by hand in the ledger of an account: a payment, a refund, a correction.
// Invariant: an entry counts once, also if its response is lost. Payments and refunds are told apart by their reference, a
// correction by the Idempotency-Key of its attempt.

import { SegmentedControl, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import type { Shape } from "../../../../src/client/client.ts";
import { useChange } from "../../api/queries.ts";
import { balanceSubjects } from "../../balance/use-balance.ts";
import { FormDialog } from "../../shared/form-dialog.tsx";
import { moneyOf } from "../../shared/format-money.ts";
import { DollarsInput, numberOf, type Typed } from "../../shared/number-inputs.tsx";
import { useAttempt } from "../use-attempt.ts";

export type KindByHand = "top_up" | "refund" | "adjustment";

const words: Readonly<Record<KindByHand, { readonly title: string; readonly action: string; readonly text: string }>> =
  {
    top_up: {
      title: "Record payment",
      action: "Record payment",
      text: "What arrived. Only record what your bank has confirmed.",
    },
    refund: {
      title: "Record refund",
      action: "Record refund",
      text: "What you pay back. Transfer the money yourself: the service does not.",
    },
    adjustment: {
      title: "Adjust balance",
      action: "Adjust balance",
      text: "An entry is never changed: correct it with the opposite one.",
    },
  };

const directions = [
  { value: "give", label: "Give" },
  { value: "take", label: "Take" },
];

interface EntryDialogProps {
  readonly account: Pick<Shape<"Account">, "id" | "name">;
  readonly kind: KindByHand;
  readonly onClose: () => void;
}

export function EntryDialog({ account: { id, name }, kind, onClose }: EntryDialogProps) {
  const { title, action, text } = words[kind];
  const attempt = useAttempt();
  const form = useForm({
    initialValues: { direction: "give", amount_cents: "" as Typed, reference: "", reason: "" },
  });
  const record = useChange(async (client, values: typeof form.values) => {
    const params = { path: { id } };
    const amount_cents = Math.round(numberOf(values.amount_cents) * 100);
    const [reference, reason] = [values.reference.trim(), values.reason.trim()];
    if (kind === "top_up") return client.POST("/accounts/{id}/top-ups", { params, body: { amount_cents, reference } });
    if (kind === "refund")
      return client.POST("/accounts/{id}/refunds", { params, body: { amount_cents, reference, reason } });
    const body = { amount_cents: values.direction === "take" ? -amount_cents : amount_cents, reason };
    return attempt(body, (header) =>
      client.POST("/accounts/{id}/adjustments", { params: { ...params, header }, body }),
    );
  }, balanceSubjects);
  return (
    <FormDialog
      title={`${title}: ${name}`}
      action={action}
      form={form}
      change={record}
      onClose={onClose}
      onSaved={({ data }) => {
        notifications.show({
          color: "green",
          message: `Recorded. The ledger of ${name} stands at ${moneyOf(data.balance_cents)}.`,
        });
        onClose();
      }}
    >
      {kind === "adjustment" && (
        <SegmentedControl aria-label="Direction" data={directions} {...form.getInputProps("direction")} />
      )}
      <DollarsInput label="Amount" description={text} min={0} {...form.getInputProps("amount_cents")} data-autofocus />
      {kind !== "adjustment" && (
        <TextInput
          label="Reference"
          description="That of the transfer. Each counts once in the whole installation."
          {...form.getInputProps("reference")}
          autoComplete="off"
          maxLength={140}
        />
      )}
      {kind !== "top_up" && (
        <TextInput
          label="Reason"
          description="The account reads it."
          {...form.getInputProps("reason")}
          autoComplete="off"
          maxLength={200}
        />
      )}
    </FormDialog>
  );
}
