// What a host that its engine discovered is to count as: at most these sizes, and GPUs by another name. Used by
// host-changes.tsx.

import { Text } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../../src/client/index.ts";
import { useChange } from "../../api/queries.ts";
import { FormDialog, useValues } from "../form-dialog.tsx";
import { GpuRows } from "./gpu-rows.tsx";
import { SizeInputs, sizeFields, sizesOf } from "./host-fields.tsx";
import { type GpuRow, gpuErrors, namedGpus, type PutGpu, rowsOf } from "./host-gpus.ts";
import { hostSubjects } from "./use-fleet.ts";

const fields = [...sizeFields, "gpus"];

export function OverrideDialog({ host, onClose }: { readonly host: Shape<"Host">; readonly onClose: () => void }) {
  const { name, engine, region, overridden } = host;
  const former = overridden ?? host;
  const { values, set } = useValues({
    vcpus: former.vcpus as number | string,
    memory: former.memory_gib as number | string,
    storage: former.storage_gb as number | string,
    rows: rowsOf(host.gpus) as readonly GpuRow[],
  });
  const [sent, setSent] = useState<readonly (readonly PutGpu[])[]>([]);
  const put = useChange(
    (client, gpus: readonly (readonly PutGpu[])[]) =>
      client.PUT("/hosts/{name}", {
        params: { path: { name } },
        body: { engine, region, ...sizesOf(values), gpus: gpus.flat() },
      }),
    hostSubjects,
  );
  const submit = () => {
    const gpus = namedGpus(values.rows, overridden);
    setSent(gpus);
    put.mutate(gpus, { onSuccess: onClose });
  };
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Edit ${name}`}
      action="Save"
      onSubmit={submit}
      pending={put.isPending}
      error={put.error}
      fields={fields}
    >
      <Text size="sm" className="soft">
        The engine “{engine}” found this host. It counts as no more than these sizes, so the rest is yours, and its GPUs
        have the models entered here. When you remove the override, the values of the engine apply again.
      </Text>
      <SizeInputs values={values} set={set} error={put.error} />
      <GpuRows rows={values.rows} onChange={set("rows")} isCountFixed errors={gpuErrors(put.error, sent)} />
    </FormDialog>
  );
}
