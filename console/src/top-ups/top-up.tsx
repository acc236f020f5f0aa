// The button and the form that top up the balance: the amount here, the rest on the page of the payment provider, which
// leads back to the page of the balance (top-up-status.tsx).
//
// Invariant: an order counts once, also if its button is pressed twice, or its response is lost and the form was closed
// since: the attempt is kept as long as the page is open.

import { Button } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { type RefObject, useRef } from "react";
import { useLocation } from "wouter";
import type { Shape } from "../../../src/client/client.ts";
import { useChange } from "../api/queries.ts";
import { type Attempt, isFinal, nextAttempt, randomKey } from "../launch/attempt.ts";
import { FormDialog } from "../shared/form-dialog.tsx";
import { Icon } from "../shared/icon.tsx";
import { centsOf, numberOf, type Typed } from "../shared/number-inputs.tsx";
import { AmountInput } from "./amount-input.tsx";
import { paymentAmount } from "./status-words.ts";
import { topUpAddress } from "./top-up-status.tsx";

type Limits = NonNullable<Shape<"Balance">["top_ups"]>;

export function TopUp({ limits }: { readonly limits: Limits }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const attempt = useRef<Attempt | undefined>(undefined);
  return (
    <>
      <Button leftSection={<Icon name="plus" />} onClick={open}>
        Top up
      </Button>
      {isOpen && <TopUpDialog limits={limits} attempt={attempt} onClose={close} />}
    </>
  );
}

interface TopUpDialogProps {
  readonly limits: Limits;
  readonly attempt: RefObject<Attempt | undefined>;
  readonly onClose: () => void;
}

function TopUpDialog({ limits, attempt, onClose }: TopUpDialogProps) {
  const [, navigate] = useLocation();
  const { min_amount_cents: least, max_amount_cents: most, currency } = limits;
  const range = `from ${paymentAmount(least, currency)} to ${paymentAmount(most, currency)}`;
  const form = useForm({
    initialValues: { amount_cents: "" as Typed },
    validate: {
      amount_cents: (value) => {
        const cents = centsOf(value);
        return cents !== null && cents >= least && cents <= most ? null : `Enter an amount ${range}.`;
      },
    },
  });
  const order = useChange(
    async (client, values: typeof form.values) => {
      const body = { amount_cents: Math.round(numberOf(values.amount_cents) * 100) };
      const present = nextAttempt(attempt.current, JSON.stringify(body), randomKey);
      attempt.current = present;
      const answer = await client.POST("/top-ups", { params: { header: { "Idempotency-Key": present.key } }, body });
      attempt.current = { ...present, answered: isFinal(answer.response.status) };
      return answer;
    },
    ["top-ups"],
  );
  return (
    <FormDialog
      title="Top up balance"
      action="Continue to payment"
      form={form}
      change={order}
      onClose={onClose}
      onSaved={({ data }) => {
        onClose();
        // The page to which the browser's way back leads.
        navigate(topUpAddress(data.id), { replace: true });
        if (data.checkout_url !== null) window.location.assign(data.checkout_url);
      }}
    >
      <AmountInput
        label="Amount"
        description={`Pay ${range}. You pay on the page of the payment provider, which then brings you back here.`}
        currency={currency}
        {...form.getInputProps("amount_cents")}
        data-autofocus
      />
    </FormDialog>
  );
}
