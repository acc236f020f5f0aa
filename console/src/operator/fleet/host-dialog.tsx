// A host of the simulated engine, registered or changed: everything about it is entered here. A host that its engine
// discovered has override-dialog.tsx instead.

import { Select } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Shape } from "../../../../src/client/client.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { FormDialog } from "../../shared/form-dialog.tsx";
import type { Typed } from "../../shared/number-inputs.tsx";
import { NameInput, nameRule } from "../catalog/name-input.tsx";
import { GpuRows } from "./gpu-rows.tsx";
import { SizeInputs, sizesOf } from "./host-fields.tsx";
import { countError, declaredGpus, rowsOf } from "./host-gpus.ts";
import { hostSubjects, useHosts } from "./use-fleet.ts";

interface HostDialogProps {
  /** Null is a new one. */
  readonly host: Shape<"Host"> | null;
  readonly engine: string;
  readonly onClose: () => void;
  readonly onSaved: (name: string) => void;
}

export function HostDialog({ host, engine, onClose, onSaved }: HostDialogProps) {
  const hosts = useHosts().data?.data ?? [];
  const form = useForm({
    initialValues: {
      name: host?.name ?? "",
      region: host?.region ?? null,
      vcpus: (host?.vcpus ?? "") as Typed,
      memory_gib: (host?.memory_gib ?? "") as Typed,
      storage_gb: (host?.storage_gb ?? "") as Typed,
      rows: rowsOf(host?.gpus ?? []),
    },
    validate: {
      // A PUT of a name that is taken would change that host.
      name: (name) =>
        host === null && hosts.some((one) => one.name === name)
          ? "A host with this name exists. Open it to change it."
          : nameRule(name),
      rows: { count: countError },
    },
  });
  const regions = useRead(["regions"], (client) => client.GET("/regions")).data?.data ?? [];
  const put = useChange(
    (client, { name, region, rows, ...sizes }: typeof form.values) =>
      client.PUT("/hosts/{name}", {
        params: { path: { name } },
        body: { engine, region: region ?? "", ...sizesOf(sizes), gpus: declaredGpus(rows).flat() },
      }),
    hostSubjects,
  );
  return (
    <FormDialog
      size="lg"
      title={host === null ? "New host" : `Edit ${host.name}`}
      action={host === null ? "Create" : "Save"}
      form={form}
      change={put}
      shown="gpus"
      onClose={onClose}
      onSaved={() => onSaved(form.values.name)}
    >
      <NameInput
        {...form.getInputProps("name")}
        isNew={host === null}
        {...(host === null
          ? { description: `The name can't be changed. The engine “${engine}” creates the host.` }
          : {})}
      />
      <Select
        label="Region"
        data={regions.map((region) => region.name)}
        allowDeselect={false}
        {...form.getInputProps("region")}
      />
      <SizeInputs form={form} />
      <GpuRows
        form={form}
        error={put.error}
        sent={put.variables === undefined ? [] : declaredGpus(put.variables.rows)}
      />
    </FormDialog>
  );
}
