// The name, how many, and what each runs at its first boot.

import { NumberInput, Textarea, TextInput } from "@mantine/core";
import type { Order } from "./order.ts";
import classes from "./rent-page.module.css";

/** At most so many at once, unless the operator says otherwise; the service has the last word. */
const mostAtOnce = 64;

interface OrderOptionsProps {
  readonly order: Order;
  readonly onChange: (part: Partial<Order>) => void;
}

export function OrderOptions({ order, onChange }: OrderOptionsProps) {
  return (
    <div className={classes.options}>
      <TextInput
        label="Name"
        placeholder="Made from the product's name"
        value={order.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        maxLength={64}
      />
      <NumberInput
        label="How many"
        value={order.quantity}
        onChange={(value) =>
          onChange({ quantity: typeof value === "number" ? Math.min(mostAtOnce, Math.max(1, Math.floor(value))) : 1 })
        }
        min={1}
        max={mostAtOnce}
        allowDecimal={false}
      />
      <Textarea
        className={classes.wide ?? ""}
        label="Start-up command"
        description="Run once, at the first boot, as root"
        placeholder="apt-get update && apt-get install -y git"
        value={order.command}
        onChange={(event) => onChange({ command: event.currentTarget.value })}
        autosize
        minRows={1}
        maxRows={10}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12.5 } }}
      />
    </div>
  );
}
