// Moves a stopped instance to another host: the one that is chosen, or the best one with capacity.

import { Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { hostTraits } from "../../../../src/rules/host-lifecycle.ts";
import { useChange } from "../../api/queries.ts";
import { FormDialog } from "../../shared/form-dialog.tsx";
import { nameShown } from "../../shared/readable-name.ts";
import { hostSubjects, useHosts } from "../fleet/use-fleet.ts";
import type { Instance } from "./instance-columns.tsx";

interface MoveDialogProps {
  readonly instance: Instance;
  readonly onClose: () => void;
}

export function MoveDialog({ instance, onClose }: MoveDialogProps) {
  const { id, host: from, engine, region } = instance;
  const hosts = useHosts().data?.data ?? [];
  const form = useForm({ initialValues: { host: null as string | null, reason: "" } });
  const move = useChange(
    (client, { host, reason }: typeof form.values) => {
      const body = { ...(host !== null && { host }), ...(reason.trim() !== "" && { reason: reason.trim() }) };
      return client.POST("/instances/{id}/move", { params: { path: { id } }, body });
    },
    [...hostSubjects, "instances"],
  );
  const targets = hosts.filter(
    (one) =>
      one.name !== from &&
      one.engine === engine &&
      one.region === region.name &&
      hostTraits[one.state].acceptsInstances,
  );
  return (
    <FormDialog
      title={`Move ${nameShown(instance)}`}
      action="Move instance"
      form={form}
      change={move}
      onClose={onClose}
    >
      <p>
        Its disk is copied from {from}. It can be restarted meanwhile, and starts when the copy is complete. The old
        copy is removed after the first start on the new host; until then both hosts reserve its capacity.
      </p>
      <Select
        label="New host"
        description={`Of region ${region.name}. Empty: the best one with capacity.`}
        placeholder="Automatic"
        data={targets.map(({ name }) => name)}
        searchable
        clearable
        {...form.getInputProps("host")}
      />
      <TextInput
        label="Reason"
        description="For other operators. It may be empty."
        maxLength={300}
        {...form.getInputProps("reason")}
      />
    </FormDialog>
  );
}
