// The name, the quantity, and what runs at the first boot.

import { NumberInput, Textarea, TextInput } from "@mantine/core";
import { checkInstanceName } from "../../../src/rules/names.ts";
import classes from "./launch-page.module.css";
import { inUseWords, namesShown } from "./names.ts";
import type { Order } from "./order.ts";

/** The default maximum; the service validates it. */
const mostAtOnce = 64;

interface OrderOptionsProps {
  readonly order: Order;
  /** Of the names that the instances would get. */
  readonly namesInUse: readonly string[];
  readonly onChange: (part: Partial<Order>) => void;
}

export function OrderOptions({ order, namesInUse, onChange }: OrderOptionsProps) {
  const name = order.name.trim();
  const preview = namesShown(name, order.quantity);
  const inUse = name === "" ? undefined : inUseWords(namesInUse);
  return (
    <div className={classes.options}>
      <TextInput
        label="Name"
        placeholder="Instance type and 8 digits"
        value={order.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={name === "" ? undefined : checkInstanceName(name, order.quantity)}
        maxLength={64}
      />
      <NumberInput
        label="Quantity"
        value={order.quantity}
        onChange={(value) =>
          onChange({ quantity: typeof value === "number" ? Math.min(mostAtOnce, Math.max(1, Math.floor(value))) : 1 })
        }
        min={1}
        max={mostAtOnce}
        allowDecimal={false}
      />
      <div className={classes.names} role="status">
        {preview !== undefined && <p className="soft">Named {preview}</p>}
        {inUse !== undefined && <p className={classes.warn}>{inUse} Names need not be unique.</p>}
      </div>
      <Textarea
        className={classes.wide ?? ""}
        label="Startup command"
        description="Runs once, at the first boot, as root"
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
