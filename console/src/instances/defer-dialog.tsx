// The form to defer maintenance within the provider's limit.

import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Shape } from "../../../src/client/client.ts";
import { useChange } from "../api/queries.ts";
import { FormDialog } from "../shared/form-dialog.tsx";
import { Time } from "../shared/time.tsx";
import { utcInput, utcMoment } from "../shared/utc-moment.ts";

interface DeferDialogProps {
  readonly maintenance: Shape<"InstanceMaintenance">;
  readonly onClose: () => void;
}

export function DeferDialog({ maintenance, onClose }: DeferDialogProps) {
  const { id, from, deferrable_until: limit } = maintenance;
  const form = useForm({ initialValues: { until: utcInput(limit ?? from) } });
  const defer = useChange(
    (client, { until }: typeof form.values) =>
      client.POST("/maintenance-windows/{id}/defer", { params: { path: { id } }, body: { until: utcMoment(until) } }),
    ["instances", "events"],
  );
  return (
    <FormDialog title="Defer maintenance" action="Defer" form={form} change={defer} onClose={onClose}>
      <p>
        It begins <Time at={from} /> now, and at the latest <Time at={limit} />.
      </p>
      <TextInput label="Begins (UTC)" type="datetime-local" step={1} data-autofocus {...form.getInputProps("until")} />
    </FormDialog>
  );
}
