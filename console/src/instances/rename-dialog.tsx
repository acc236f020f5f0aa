// The form to rename an instance. Its host name stays.

import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Shape } from "../../../src/client/client.ts";
import { checkInstanceName } from "../../../src/rules/names.ts";
import { useChange } from "../api/queries.ts";
import { FormDialog } from "../shared/form-dialog.tsx";
import { hasEnded } from "./live-cost.ts";
import { useInstances } from "./use-instances.ts";

interface RenameDialogProps {
  readonly instance: Shape<"Instance">;
  readonly onClose: () => void;
}

export function RenameDialog({ instance, onClose }: RenameDialogProps) {
  const form = useForm({
    initialValues: { name: instance.name },
    validate: { name: (typed) => (typed.trim() === "" ? null : checkInstanceName(typed.trim())) },
  });
  const name = form.values.name.trim();
  const others = useInstances().data?.data ?? [];
  const isInUse = others.some((one) => one.id !== instance.id && one.name === name && !hasEnded(one));
  const rename = useChange(
    (client, values: typeof form.values) =>
      client.PATCH("/instances/{id}", {
        params: { path: { id: instance.id } },
        body: { name: values.name.trim() },
      }),
    ["instances", "usage", "events"],
  );
  return (
    <FormDialog
      title={`Rename ${instance.name}`}
      action="Rename"
      form={form}
      change={rename}
      onClose={onClose}
      disabled={name === instance.name}
    >
      <TextInput
        label="Name"
        description={
          isInUse
            ? "Another instance has this name. You can use it, but you can't tell them apart by it."
            : `The host name stays ${instance.hostname}. Leave empty for the default name.`
        }
        {...form.getInputProps("name")}
        data-autofocus
      />
    </FormDialog>
  );
}
