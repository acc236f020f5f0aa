// The sizes of a host in a form. Used by host-dialog.tsx and override-dialog.tsx.

import { CountInput } from "../accounts/limits-fields.tsx";
import { fieldErrorOf, Row } from "../form-dialog.tsx";
import { numberOf } from "./host-gpus.ts";

/** What the inputs have. */
export interface Sizes {
  readonly vcpus: number | string;
  readonly memory: number | string;
  readonly storage: number | string;
}

/** The fields of the interface that these inputs show. */
export const sizeFields = ["vcpus", "memory_gib", "storage_gb"] as const;

/** As a PUT takes them. */
export const sizesOf = ({ vcpus, memory, storage }: Sizes) => ({
  vcpus: numberOf(vcpus),
  memory_gib: numberOf(memory),
  storage_gb: numberOf(storage),
});

interface SizeInputsProps {
  readonly values: Sizes;
  readonly set: (name: keyof Sizes) => (value: number | string) => void;
  readonly error: Error | null;
}

export function SizeInputs({ values, set, error }: SizeInputsProps) {
  return (
    <Row>
      <CountInput label="vCPUs" value={values.vcpus} onChange={set("vcpus")} error={fieldErrorOf(error, "vcpus")} />
      <CountInput
        label="Memory in GiB"
        value={values.memory}
        onChange={set("memory")}
        error={fieldErrorOf(error, "memory_gib")}
      />
      <CountInput
        label="Storage in GB"
        value={values.storage}
        onChange={set("storage")}
        error={fieldErrorOf(error, "storage_gb")}
      />
    </Row>
  );
}
