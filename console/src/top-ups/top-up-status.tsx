// What became of the top-up that the address names: the payment provider leads back to it. Read again until it is decided,
// because a payment can arrive without an event here.

import { Alert, Button, Group, Skeleton } from "@mantine/core";
import { useSearchParams } from "wouter";
import type { Shape } from "../../../src/client/client.ts";
import { paymentStatusTable } from "../../../src/rules/payments.ts";
import { useRead } from "../api/queries.ts";
import { ErrorState } from "../shared/error-state.tsx";
import { failureWords, paymentLabels } from "../shared/payment-words.ts";
import { paymentAmount, statusWords } from "./status-words.ts";

/** Of the parameter that the service adds to the address (payments/stripe). */
const parameter = "top_up";

const pollMilliseconds = 5000;

export const topUpAddress = (id: string): string => `/balance?${parameter}=${encodeURIComponent(id)}`;

/** Nothing where the address names none. */
export function TopUpStatus() {
  const [search, setSearch] = useSearchParams();
  const id = search.get(parameter);
  if (id === null || id === "") return null;
  const close = () =>
    setSearch(
      (former) => {
        former.delete(parameter);
        return former;
      },
      { replace: true },
    );
  return <OneTopUp key={id} id={id} onClose={close} />;
}

function OneTopUp({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const read = useRead(["top-ups", "one", id], (client) => client.GET("/top-ups/{id}", { params: { path: { id } } }), {
    again: (answer) => (answer !== undefined && isOpen(answer.data) ? pollMilliseconds : false),
  });
  if (read.data === undefined && read.error !== null)
    return <ErrorState error={read.error} again={() => void read.refetch()} />;
  if (read.data === undefined) return <Skeleton height={118} mb="lg" />;
  const payment = read.data.data;
  const { about, text } = statusWords[payment.status];
  const { failure, checkout_url: url } = payment;
  return (
    <Alert
      color={paymentLabels[payment.status].color}
      title={about(paymentAmount(payment.amount_cents, payment.currency))}
      mb="lg"
      role="status"
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
    >
      {failure === null ? "" : `${failureWords(failure)} `}
      {text}
      {url !== null && (
        <Group mt="sm">
          <Button component="a" href={url}>
            Continue to payment
          </Button>
        </Group>
      )}
    </Alert>
  );
}

const isOpen = ({ status }: Shape<"Payment">): boolean => paymentStatusTable[status].isOpen;
