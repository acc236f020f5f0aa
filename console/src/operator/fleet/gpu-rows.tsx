// GPUs in a form: a row for each kind, with its model, its memory and its count. Used by host-dialog.tsx, where rows are
// added and removed, and by override-dialog.tsx, where they stay as the engine found them.

import { ActionIcon, Autocomplete, Button, Input } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { Icon } from "../../shared/icon.tsx";
import { CountInput } from "../../shared/number-inputs.tsx";
import { gpuModels } from "./filter.ts";
import classes from "./gpu-rows.module.css";
import { type GpuRow, gpuErrors, newRow, type PutGpu } from "./host-gpus.ts";
import { useHosts } from "./use-fleet.ts";

interface GpuRowsProps {
  readonly form: UseFormReturnType<{ readonly rows: GpuRow[] }>;
  /** Only the engine sets counts. */
  readonly isCountFixed?: boolean;
  /** Of the service, for the GPUs of `sent`, row by row. */
  readonly error: Error | null;
  readonly sent: readonly (readonly PutGpu[])[];
}

export function GpuRows({ form, isCountFixed = false, error, sent }: GpuRowsProps) {
  const models = gpuModels(useHosts().data?.data ?? []);
  const { rows } = form.values;
  const errors = gpuErrors(error, sent);
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
            {...form.getInputProps(`rows.${index}.model`)}
            error={errors.at(index, "model")}
          />
          <CountInput
            label="GiB each"
            {...form.getInputProps(`rows.${index}.memory`)}
            error={errors.at(index, "memory_gib")}
          />
          <CountInput label="Count" {...form.getInputProps(`rows.${index}.count`)} disabled={isCountFixed} />
          {!isCountFixed && (
            <ActionIcon
              className={classes.away ?? ""}
              variant="subtle"
              color="red"
              size={36}
              aria-label={`Remove ${row.model === "" ? `kind ${index + 1}` : row.model}`}
              onClick={() => form.removeListItem("rows", index)}
            >
              <Icon name="trash" />
            </ActionIcon>
          )}
        </div>
      ))}
      {errors.ofAll !== undefined && <Input.Error role="alert">{errors.ofAll}</Input.Error>}
      {!isCountFixed && (
        <Button variant="default" size="xs" onClick={() => form.insertListItem("rows", newRow(rows))}>
          Add GPUs
        </Button>
      )}
    </fieldset>
  );
}
