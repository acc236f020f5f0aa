// The form for the override of a discovered host: at most these sizes, and other names for its GPUs.

import { Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Shape } from "../../../../src/client/client.ts";
import { useChange } from "../../api/queries.ts";
import { FormDialog } from "../../shared/form-dialog.tsx";
import type { Typed } from "../../shared/number-inputs.tsx";
import { GpuRows } from "./gpu-rows.tsx";
import { SizeInputs, sizesOf } from "./host-fields.tsx";
import { namedGpus, rowsOf } from "./host-gpus.ts";
import { hostSubjects } from "./use-fleet.ts";

export function OverrideDialog({ host, onClose }: { readonly host: Shape<"Host">; readonly onClose: () => void }) {
  const { name, engine, region, overridden } = host;
  const former = overridden ?? host;
  const form = useForm({
    initialValues: {
      vcpus: former.vcpus as Typed,
      memory_gib: former.memory_gib as Typed,
      storage_gb: former.storage_gb as Typed,
      rows: rowsOf(host.gpus),
    },
  });
  const put = useChange(
    (client, { rows, ...sizes }: typeof form.values) =>
      client.PUT("/hosts/{name}", {
        params: { path: { name } },
        body: { engine, region, ...sizesOf(sizes), gpus: namedGpus(rows, overridden).flat() },
      }),
    hostSubjects,
  );
  const sent = put.variables === undefined ? [] : namedGpus(put.variables.rows, overridden);
  return (
    <FormDialog size="lg" title={`Edit ${name}`} action="Save" form={form} change={put} shown="gpus" onClose={onClose}>
      <Text size="sm" className="soft">
        The engine “{engine}” found this host. It counts as no more than these sizes, so the rest is yours, and its GPUs
        have the models entered here. When you remove the override, the values of the engine apply again.
      </Text>
      <SizeInputs form={form} />
      <GpuRows form={form} isCountFixed error={put.error} sent={sent} />
    </FormDialog>
  );
}
