// Where: whichever region has room, or one of them, each with what it has room for now.

import { Skeleton } from "@mantine/core";
import type { Shape } from "../../../src/client/index.ts";
import classes from "./region-choice.module.css";

interface RegionChoiceProps {
  /** Undefined: on their way. */
  readonly regions: Shape<"Offer">["regions"] | undefined;
  /** Whether a product is chosen, so that there is a number to tell. */
  readonly known: boolean;
  readonly quantity: number;
  readonly value: string;
  readonly onChange: (region: string) => void;
}

export function RegionChoice({ regions, known, quantity, value, onChange }: RegionChoiceProps) {
  if (regions === undefined) return <Skeleton height={58} />;
  const all = [{ name: "any", description: "Best with room", available: undefined }, ...regions];
  return (
    <div className={classes.regions} role="radiogroup" aria-label="Region">
      {all.map(({ name, description, available }) => (
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
              <span className={classes.room} data-fits={available >= quantity}>
                {available === 0 ? "full" : `${available} free`}
              </span>
            )}
          </span>
          <span className="soft">{description}</span>
        </label>
      ))}
    </div>
  );
}
