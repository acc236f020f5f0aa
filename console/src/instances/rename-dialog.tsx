// The form for another name of an instance. Its host name stays.

import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../src/client/index.ts";
import { checkInstanceName } from "../../../src/rules/names.ts";
import { useChange } from "../api/queries.ts";
import { fieldError } from "../shared/error-state.tsx";
import { FormDialog } from "../shared/form-dialog.tsx";
import { hasEnded } from "./live-cost.ts";
import { useInstances } from "./use-instances.ts";

interface RenameDialogProps {
  readonly instance: Shape<"Instance">;
  readonly onClose: () => void;
}

export function RenameDialog({ instance, onClose }: RenameDialogProps) {
  const [name, setName] = useState(instance.name);
  const others = useInstances().data?.data ?? [];
  const isInUse = others.some((one) => one.id !== instance.id && one.name === name.trim() && !hasEnded(one));
  const rename = useChange(
    (client, body: { name: string }) =>
      client.PATCH("/instances/{id}", { params: { path: { id: instance.id } }, body }),
    ["instances", "usage", "events"],
  );
  const problem = name.trim() === "" ? undefined : checkInstanceName(name.trim());
  return (
    <FormDialog
      title={`Rename ${instance.name}`}
      action="Rename"
      onClose={onClose}
      onSubmit={() => rename.mutate({ name: name.trim() }, { onSuccess: onClose })}
      disabled={problem !== undefined || name.trim() === instance.name}
      pending={rename.isPending}
      error={rename.error}
    >
      <TextInput
        label="Name"
        description={
          isInUse
            ? "Another instance has this name. You can use it, but you can't tell them apart by it."
            : `The host name stays ${instance.hostname}. Leave empty for the default name.`
        }
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={problem ?? fieldError(rename.error, "name")}
        data-autofocus
      />
    </FormDialog>
  );
}
