// The sizes of a host in a form. Used by host-dialog.tsx and override-dialog.tsx.

import type { UseFormReturnType } from "@mantine/form";
import { Row } from "../../shared/form-dialog.tsx";
import { CountInput, numberOf, type Typed } from "../../shared/number-inputs.tsx";

interface Sizes {
  readonly vcpus: Typed;
  readonly memory_gib: Typed;
  readonly storage_gb: Typed;
}

/** As a PUT takes them. */
export const sizesOf = ({ vcpus, memory_gib, storage_gb }: Sizes) => ({
  vcpus: numberOf(vcpus),
  memory_gib: numberOf(memory_gib),
  storage_gb: numberOf(storage_gb),
});

export const SizeInputs = ({ form }: { readonly form: UseFormReturnType<Sizes> }) => (
  <Row>
    <CountInput label="vCPUs" {...form.getInputProps("vcpus")} />
    <CountInput label="Memory in GiB" {...form.getInputProps("memory_gib")} />
    <CountInput label="Storage in GB" {...form.getInputProps("storage_gb")} />
  </Row>
);
