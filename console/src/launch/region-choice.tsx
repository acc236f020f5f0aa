// The region: automatic, or one of them, each with its capacity.

import { Skeleton } from "@mantine/core";
import type { Shape } from "../../../src/client/client.ts";
import { formatNumber } from "../shared/format-number.ts";
import { ReturningNote } from "../shared/returning.tsx";
import classes from "./region-choice.module.css";

interface RegionChoiceProps {
  /** Undefined: loading. */
  readonly regions: Shape<"Offer">["regions"] | undefined;
  /** Whether an instance type is chosen, so that there is a capacity to show. */
  readonly known: boolean;
  readonly quantity: number;
  readonly value: string;
  readonly onChange: (region: string) => void;
}

export function RegionChoice({ regions, known, quantity, value, onChange }: RegionChoiceProps) {
  if (regions === undefined) return <Skeleton height={58} />;
  const any = { name: "any", description: "Automatic", available: undefined, offered: true, returning: [] };
  const all = [any, ...regions];
  return (
    <div className={classes.regions} role="radiogroup" aria-label="Region">
      {all.map(({ name, description, available, offered, returning }) => (
        <label key={name} className={classes.region} data-chosen={name === value}>
          <input
            className="hidden"
            type="radio"
            name="region"
            value={name}
            checked={name === value}
            onChange={() => onChange(name)}
          />
          <span className={classes.name}>
            {name === "any" ? "Any region" : name}
            {known && available !== undefined && (
              <span className={classes.room} data-fits={available >= quantity} data-offered={offered}>
                {roomWords(available, offered)}
              </span>
            )}
          </span>
          <span className="soft">{description}</span>
          {known && available !== undefined && available < quantity && (
            <ReturningNote returning={returning} className={classes.back ?? ""} />
          )}
        </label>
      ))}
    </div>
  );
}

/** A region without the GPU model is not full: it never has capacity for the type. */
function roomWords(available: number, offered: boolean): string {
  if (!offered) return "not offered";
  return available === 0 ? "full" : `${formatNumber(available)} free`;
}
