// The form that turns on auto top-up, or changes it.

import { Select } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import type { Shape } from "../../../src/client/client.ts";
import { useChange } from "../api/queries.ts";
import { methodName } from "../payment-methods/method-words.ts";
import { FormDialog } from "../shared/form-dialog.tsx";
import { centsOf, dollarsOf, numberOf, type Typed } from "../shared/number-inputs.tsx";
import { AmountInput } from "./amount-input.tsx";
import { paymentAmount } from "./status-words.ts";

interface AutoTopUpDialogProps {
  /** Null: it is not on. */
  readonly present: Shape<"AutoTopUp"> | null;
  /** Those that can be charged. */
  readonly methods: readonly Shape<"PaymentMethod">[];
  readonly limits: NonNullable<Shape<"Balance">["top_ups"]>;
  readonly onClose: () => void;
}

/** In the place of an id: that of the account at the time of the charge. */
const byDefault = "default";

const inCents = (value: Typed): number => Math.round(numberOf(value) * 100);

export function AutoTopUpDialog({ present, methods, limits, onClose }: AutoTopUpDialogProps) {
  const { min_amount_cents: least, max_amount_cents: most, currency } = limits;
  const range = `from ${paymentAmount(least, currency)} to ${paymentAmount(most, currency)}`;
  // As it was opened.
  const [isOn] = useState(present !== null && present.turned_off_at === null);
  const form = useForm({
    initialValues: {
      threshold_cents: dollarsOf(present?.threshold_cents ?? null),
      amount_cents: dollarsOf(present?.amount_cents ?? null),
      monthly_cap_cents: dollarsOf(present?.monthly_cap_cents ?? null),
      payment_method_id: methods.find(({ id }) => id === present?.payment_method_id)?.id ?? byDefault,
    },
    validate: {
      threshold_cents: (value) => (centsOf(value) === null ? "Enter an amount." : null),
      amount_cents: (value) => {
        const cents = centsOf(value);
        return cents !== null && cents >= least && cents <= most ? null : `Enter an amount ${range}.`;
      },
      monthly_cap_cents: (value, { amount_cents: amount }) => {
        const cents = centsOf(value);
        return cents !== null && cents >= (centsOf(amount) ?? 0) ? null : "Enter at least the amount of one charge.";
      },
    },
  });
  const turnOn = useChange(
    (client, { payment_method_id: method, ...values }: typeof form.values) =>
      client.PUT("/auto-top-up", {
        body: {
          threshold_cents: inCents(values.threshold_cents),
          amount_cents: inCents(values.amount_cents),
          monthly_cap_cents: inCents(values.monthly_cap_cents),
          ...(method !== byDefault && { payment_method_id: method }),
        },
      }),
    ["auto-top-up"],
  );
  const standard = methods.find((one) => one.is_default);
  return (
    <FormDialog
      title={isOn ? "Change auto top-up" : "Turn on auto top-up"}
      action={isOn ? "Save" : "Turn on"}
      form={form}
      change={turnOn}
      onClose={onClose}
    >
      <AmountInput
        label="When the balance is below"
        currency={currency}
        {...form.getInputProps("threshold_cents")}
        data-autofocus
      />
      <AmountInput
        label="Charge"
        description={`Each time, ${range}.`}
        currency={currency}
        {...form.getInputProps("amount_cents")}
      />
      <AmountInput
        label="Monthly cap"
        description="No more than this is charged in a calendar month (UTC)."
        currency={currency}
        {...form.getInputProps("monthly_cap_cents")}
      />
      <Select
        label="Payment method"
        description="It is charged without asking you each time."
        data={[
          { value: byDefault, label: `The default${standard === undefined ? "" : `, now ${methodName(standard)}`}` },
          ...methods.map((one) => ({ value: one.id, label: methodName(one) })),
        ]}
        allowDeselect={false}
        {...form.getInputProps("payment_method_id")}
      />
    </FormDialog>
  );
}
