// An input for an amount in the currency of payments, used by the forms of top-ups.

import { NumberInput, type NumberInputProps } from "@mantine/core";
import { DollarsInput } from "../shared/number-inputs.tsx";

interface AmountInputProps extends NumberInputProps {
  /** Without the currency, which is added unless it is in front of the amount. */
  readonly label: string;
  /** ISO 4217 in lower case. */
  readonly currency: string;
}

export function AmountInput({ label, currency, ...props }: AmountInputProps) {
  if (currency === "usd") return <DollarsInput label={label} min={0} {...props} />;
  const named = `${label} in ${currency.toUpperCase()}`;
  return <NumberInput label={named} decimalScale={2} thousandSeparator="," hideControls min={0} {...props} />;
}
