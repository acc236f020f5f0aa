// Inputs for amounts of money and for counts, as the forms of accounts and tokens have them.

import { NumberInput } from "@mantine/core";

interface AmountInputProps {
  readonly label: string;
  readonly description?: string;
  readonly value: number | string;
  readonly onChange: (value: number | string) => void;
  readonly error: string | undefined;
  readonly disabled?: boolean;
}

/** Dollars and cents; "" is no amount. */
export function DollarsInput(props: AmountInputProps) {
  return <NumberInput {...props} prefix="$" decimalScale={2} thousandSeparator="," hideControls />;
}

/** A whole number; "" is none. */
export function CountInput(props: AmountInputProps) {
  return <NumberInput {...props} decimalScale={0} thousandSeparator="," hideControls />;
}

/** Dollars as an input has them, in cents; null for none. */
export function centsOf(value: number | string): number | null {
  return value === "" ? null : Math.round(Number(value) * 100);
}

/** Cents as an input takes them. */
export function dollarsOf(cents: number | null): number | string {
  return cents === null ? "" : cents / 100;
}
