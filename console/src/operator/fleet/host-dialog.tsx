// A host of the simulated engine to be declared or changed: all of it is what an operator says. Used by the fleet page and
// host-changes.tsx. A host that its engine discovered has override-dialog.tsx instead.

import { Select } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../../src/client/index.ts";
import { useChange, useRead } from "../../api/queries.ts";
import { NameInput, useNameRule } from "../catalog/name-input.tsx";
import { FormDialog, fieldErrorOf, useValues } from "../form-dialog.tsx";
import { GpuRows } from "./gpu-rows.tsx";
import { SizeInputs, sizeFields, sizesOf } from "./host-fields.tsx";
import { countError, declaredGpus, type GpuRow, gpuErrors, type PutGpu, rowsOf } from "./host-gpus.ts";
import { hostSubjects, useHosts } from "./use-fleet.ts";

interface HostDialogProps {
  /** Null is a new one. */
  readonly host: Shape<"Host"> | null;
  readonly engine: string;
  readonly onClose: () => void;
  readonly onSaved: (name: string) => void;
}

const fields = ["name", "region", ...sizeFields, "gpus"];

export function HostDialog({ host, engine, onClose, onSaved }: HostDialogProps) {
  const { values, set } = useValues({
    name: host?.name ?? "",
    region: host?.region ?? "",
    vcpus: (host?.vcpus ?? "") as number | string,
    memory: (host?.memory_gib ?? "") as number | string,
    storage: (host?.storage_gb ?? "") as number | string,
    rows: rowsOf(host?.gpus ?? []) as readonly GpuRow[],
  });
  const { name } = values;
  const [isTried, setTried] = useState(false);
  const [sent, setSent] = useState<readonly (readonly PutGpu[])[]>([]);
  const regions = useRead(["regions"], (client) => client.GET("/regions")).data?.data ?? [];
  const put = useChange(
    (client, gpus: readonly (readonly PutGpu[])[]) =>
      client.PUT("/hosts/{name}", {
        params: { path: { name } },
        body: { engine, region: values.region, ...sizesOf(values), gpus: gpus.flat() },
      }),
    hostSubjects,
  );
  // A PUT of a name that is taken would make that host like this.
  const isTaken = useHosts().data?.data.some((one) => one.name === name) === true && host === null;
  const taken = isTried && isTaken ? "A host with this name exists. Open it to change it." : undefined;
  const rule = useNameRule(name, taken ?? fieldErrorOf(put.error, "name"));
  const submit = () => {
    setTried(true);
    if (!rule.passes() || isTaken || values.rows.some(countError)) return;
    const gpus = declaredGpus(values.rows);
    setSent(gpus);
    put.mutate(gpus, { onSuccess: () => onSaved(name) });
  };
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={host === null ? "New host" : `Edit ${host.name}`}
      action={host === null ? "Create" : "Save"}
      onSubmit={submit}
      pending={put.isPending}
      error={put.error}
      fields={fields}
    >
      <NameInput
        value={name}
        onChange={set("name")}
        isNew={host === null}
        error={rule.error}
        {...(host === null
          ? { description: `The name can't be changed. The engine “${engine}” creates the host.` }
          : {})}
      />
      <Select
        label="Region"
        data={regions.map((region) => region.name)}
        value={values.region === "" ? null : values.region}
        onChange={(region) => set("region")(region ?? "")}
        allowDeselect={false}
        error={fieldErrorOf(put.error, "region")}
      />
      <SizeInputs values={values} set={set} error={put.error} />
      <GpuRows rows={values.rows} onChange={set("rows")} isTried={isTried} errors={gpuErrors(put.error, sent)} />
    </FormDialog>
  );
}
