// The states of GPUs and their counts. Selecting one shows the hosts that have such a GPU.

import { Tooltip } from "@mantine/core";
import { useMemo } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { formatNumber } from "../../shared/format-number.ts";
import { type CellState, cellOrder, cellStates, countCells, rareCells } from "./cells.ts";
import { CellSign } from "./cells.tsx";
import classes from "./legend.module.css";

interface LegendProps {
  readonly hosts: readonly Shape<"Host">[];
  readonly chosen: CellState | null;
  readonly onChoose: (state: CellState | null) => void;
}

export function Legend({ hosts, chosen, onChoose }: LegendProps) {
  const counts = useMemo(() => countCells(hosts), [hosts]);
  const shown = cellOrder.filter((state) => counts[state] > 0 || chosen === state || !rareCells.includes(state));
  return (
    <fieldset className={classes.legend}>
      <legend className="hidden">GPUs by state; choose a state to filter the hosts</legend>
      {shown.map((state) => (
        <Tooltip key={state} label={cellStates[state].meaning}>
          <button
            type="button"
            className={classes.state}
            aria-pressed={chosen === state}
            onClick={() => onChoose(chosen === state ? null : state)}
          >
            <CellSign state={state} />
            <span>{cellStates[state].label}</span>
            <strong>{formatNumber(counts[state])}</strong>
          </button>
        </Tooltip>
      ))}
    </fieldset>
  );
}
