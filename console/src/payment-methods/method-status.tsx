// What became of the payment method that the address names: the payment provider leads back to it. Read again until it is
// decided, because it can be saved without an event here.

import { Alert, Button, Group, Skeleton } from "@mantine/core";
import { Redirect, useSearchParams } from "wouter";
import type { ShownMethodStatus } from "../../../src/rules/payment-methods.ts";
import { useRead } from "../api/queries.ts";
import { ErrorState } from "../shared/error-state.tsx";
import { methodName, methodWords } from "./method-words.ts";

/** Of the parameter that the service adds to the address of the balance (payments/stripe). */
const parameter = "payment_method";

const pollMilliseconds = 5000;

export const methodAddress = (id: string): string => `/payment-methods?${parameter}=${encodeURIComponent(id)}`;

/** On the page to which the provider leads back: goes on to that of payment methods, if it is about one. */
export function MethodReturn() {
  const id = useSearchParams()[0].get(parameter);
  return id === null || id === "" ? null : <Redirect to={methodAddress(id)} replace />;
}

/** Nothing where the address names none. */
export function MethodStatus() {
  const [search, setSearch] = useSearchParams();
  const id = search.get(parameter);
  if (id === null || id === "") return null;
  return <OneMethod key={id} id={id} onClose={() => setSearch({}, { replace: true })} />;
}

/** Whether more is to happen. */
const isOpen: Readonly<Record<ShownMethodStatus, boolean>> = {
  created: true,
  pending: true,
  saved: false,
  failed: false,
};

function OneMethod({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const read = useRead(
    ["payment-methods", "one", id],
    (client) => client.GET("/payment-methods/{id}", { params: { path: { id } } }),
    { again: (answer) => (answer !== undefined && isOpen[answer.data.status] ? pollMilliseconds : false) },
  );
  if (read.data === undefined && read.error !== null)
    return <ErrorState error={read.error} again={() => void read.refetch()} />;
  if (read.data === undefined) return <Skeleton height={118} mb="lg" />;
  const method = read.data.data;
  const { color, about, text } = methodWords[method.status];
  return (
    <Alert
      color={color}
      title={about(methodName(method))}
      mb="lg"
      role="status"
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
    >
      {text}
      {method.checkout_url !== null && (
        <Group mt="sm">
          <Button component="a" href={method.checkout_url}>
            Continue to the payment provider
          </Button>
        </Group>
      )}
    </Alert>
  );
}
