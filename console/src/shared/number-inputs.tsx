// Inputs for amounts of money and for counts, and what forms send of them.

import { NumberInput, type NumberInputProps } from "@mantine/core";

/** What the input has; "" is no number. */
export type Typed = number | string;

/** Dollars and cents. */
export const DollarsInput = (props: NumberInputProps) => (
  <NumberInput prefix="$" decimalScale={2} thousandSeparator="," hideControls {...props} />
);

/** A whole number. */
export const CountInput = (props: NumberInputProps) => (
  <NumberInput decimalScale={0} thousandSeparator="," hideControls {...props} />
);

/** Without a number NaN, which the service rejects at its field. */
export const numberOf = (value: Typed): number => (value === "" ? Number.NaN : Number(value));

/** Null without an amount. */
export const centsOf = (value: Typed): number | null => (value === "" ? null : Math.round(Number(value) * 100));

export const dollarsOf = (cents: number | null): Typed => (cents === null ? "" : cents / 100);
