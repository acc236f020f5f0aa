// Whether the launch is for spot instances, of a type that has a spot price.

import { Switch } from "@mantine/core";
import type { Shape } from "../../../src/client/client.ts";
import { priceOf } from "../shared/format-money.ts";

interface SpotChoiceProps {
  /** Undefined: none is chosen. */
  readonly type: Shape<"InstanceType"> | undefined;
  readonly value: boolean;
  readonly onChange: (spot: boolean) => void;
}

/** Nothing for a type that is not offered so. */
export function SpotChoice({ type, value, onChange }: SpotChoiceProps) {
  if (type === undefined || type.spot_price_cents_per_hour === null) return null;
  const [price, spot] = [type.price_cents_per_hour, type.spot_price_cents_per_hour].map((cents) => priceOf(cents));
  return (
    <Switch
      mt="md"
      label={`Spot instance for ${spot} /h instead of ${price}`}
      description="Evicted, after a notice of usually two minutes, when another launch needs its GPUs. Its disk is deleted then"
      checked={value}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
