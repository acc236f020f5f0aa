// GPUs in a form: a row for each kind, with its model, its memory and how many there are. Used by host-dialog.tsx, where
// rows come and go, and by override-dialog.tsx, where they are as they were found.

import { ActionIcon, Autocomplete, Button, Input } from "@mantine/core";
import { Icon } from "../../shared/icon.tsx";
import { CountInput } from "../accounts/limits-fields.tsx";
import { gpuModels } from "./filter.ts";
import classes from "./gpu-rows.module.css";
import { countError, type GpuRow, type gpuErrors, withNewRow } from "./host-gpus.ts";
import { useHosts } from "./use-fleet.ts";

interface GpuRowsProps {
  readonly rows: readonly GpuRow[];
  readonly onChange: (rows: readonly GpuRow[]) => void;
  /** How many there are of a kind only the engine says. */
  readonly isCountFixed?: boolean;
  /** Whether it was sent: from then on counts are judged. */
  readonly isTried?: boolean;
  readonly errors: ReturnType<typeof gpuErrors>;
}

export function GpuRows({ rows, onChange, isCountFixed = false, isTried = false, errors }: GpuRowsProps) {
  const models = gpuModels(useHosts().data?.data ?? []);
  const change = (changed: GpuRow, more: Partial<GpuRow>) =>
    onChange(rows.map((row) => (row === changed ? { ...row, ...more } : row)));
  return (
    <fieldset className={classes.all}>
      <legend>GPUs</legend>
      {rows.length === 0 && <p className="soft">No GPUs</p>}
      {rows.map((row, index) => (
        <div key={row.key} className={classes.row}>
          <Autocomplete
            className={classes.model ?? ""}
            label="Model"
            data={models}
            value={row.model}
            onChange={(model) => change(row, { model })}
            error={errors.at(index, "model")}
          />
          <CountInput
            label="GiB each"
            value={row.memory}
            onChange={(memory) => change(row, { memory })}
            error={errors.at(index, "memory_gib")}
          />
          <CountInput
            label="Count"
            value={row.count}
            onChange={(count) => change(row, { count })}
            error={isTried ? countError(row) : undefined}
            disabled={isCountFixed}
          />
          {!isCountFixed && (
            <ActionIcon
              className={classes.away ?? ""}
              variant="subtle"
              color="red"
              size={36}
              aria-label={`Remove ${row.model === "" ? `kind ${index + 1}` : row.model}`}
              onClick={() => onChange(rows.filter((one) => one !== row))}
            >
              <Icon name="trash" />
            </ActionIcon>
          )}
        </div>
      ))}
      {errors.ofAll !== undefined && <Input.Error role="alert">{errors.ofAll}</Input.Error>}
      {!isCountFixed && (
        <Button variant="default" size="xs" onClick={() => onChange(withNewRow(rows))}>
          Add GPUs
        </Button>
      )}
    </fieldset>
  );
}
