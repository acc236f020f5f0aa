// The form for a credit note: takes back all that is left of an invoice, or amounts of its lines. It changes no balance.
// Invariant: one credit note for each attempt (use-attempt.ts).

import { NumberInput, SegmentedControl, Skeleton, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import type { Shape } from "../../../../src/client/client.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { amountIn } from "../../invoices/amount.ts";
import { ErrorNote } from "../../shared/error-state.tsx";
import { FormDialog } from "../../shared/form-dialog.tsx";
import { numberOf, type Typed } from "../../shared/number-inputs.tsx";
import { useAttempt } from "../use-attempt.ts";

interface CreditNoteProps {
  readonly invoice: Pick<Shape<"ListedInvoice">, "id" | "number" | "total_cents" | "currency">;
  readonly onClose: () => void;
}

const extents = [
  { value: "all", label: "All that is left" },
  { value: "part", label: "Parts of lines" },
];

export function CreditNoteDialog({ invoice, onClose }: CreditNoteProps) {
  const { id, number, total_cents: total, currency } = invoice;
  const attempt = useAttempt();
  const params = { path: { id } };
  const form = useForm({
    initialValues: { reason: "", extent: "all", amounts: {} as Readonly<Record<string, Typed>> },
    validate: { reason: isNotEmpty("Enter a reason.") },
  });
  const isPart = form.values.extent === "part";
  const read = useRead(
    ["invoices", id],
    (client) => client.GET("/invoices/{id}", { params: { ...params, query: {} } }),
    {
      enabled: isPart,
    },
  );
  const issue = useChange(
    (client, { reason, amounts }: typeof form.values) => {
      const body = { reason: reason.trim(), ...(isPart && { lines: linesOf(amounts) }) };
      return attempt(body, (header) =>
        client.POST("/invoices/{id}/credit-notes", { params: { ...params, header }, body }),
      );
    },
    ["invoices"],
  );
  // JSON was requested; the document also has CSV, which is text.
  const lines = read.data?.data.lines;
  return (
    <FormDialog
      title={`Credit note for ${number}`}
      action="Issue credit note"
      form={form}
      change={issue}
      disabled={isPart && linesOf(form.values.amounts).length === 0}
      onClose={onClose}
      onSaved={({ data }) => {
        notifications.show({
          color: "green",
          message: `Issued ${data.number} of ${amountIn(data.total_cents, data.currency)}.`,
        });
        onClose();
      }}
    >
      <p className="soft">
        It takes back at most what is left of the invoice, {amountIn(total, currency)} with tax before any credit note.
        It never changes, and changes no balance: adjust that, or pay back.
      </p>
      <SegmentedControl aria-label="How much" data={extents} {...form.getInputProps("extent")} />
      {isPart &&
        lines === undefined &&
        (read.error === null ? <Skeleton height={60} /> : <ErrorNote error={read.error} />)}
      {isPart &&
        lines?.map(({ text, total_cents: cents }, index) => (
          <NumberInput
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of an invoice never change, and have no other id
            key={index}
            label={`${index + 1}. ${text}`}
            description={`${amountIn(cents, currency)} on the invoice. Empty: nothing of it.`}
            suffix={` ${currency}`}
            decimalScale={2}
            thousandSeparator=","
            min={0}
            hideControls
            {...form.getInputProps(`amounts.${index + 1}`)}
            value={form.values.amounts[index + 1] ?? ""}
          />
        ))}
      <TextInput
        label="Reason"
        description="It is on the credit note."
        {...form.getInputProps("reason")}
        autoComplete="off"
        maxLength={200}
        data-autofocus
      />
    </FormDialog>
  );
}

/** What is taken back of each line, counted from 1. */
function linesOf(amounts: Readonly<Record<string, Typed>>) {
  return Object.entries(amounts)
    .filter(([, amount]) => amount !== "" && Number(amount) !== 0)
    .map(([line, amount]) => ({ line: Number(line), amount_cents: Math.round(numberOf(amount) * 100) }));
}
