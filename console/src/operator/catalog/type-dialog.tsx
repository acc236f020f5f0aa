// An instance type to be created or changed. Used by type-list.tsx.

import { Autocomplete, Select, TextInput } from "@mantine/core";
import type { Shape } from "../../../../src/client/index.ts";
import { useChange } from "../../api/queries.ts";
import { CountInput, centsOf, DollarsInput, dollarsOf } from "../accounts/limits-fields.tsx";
import { gpuModels } from "../fleet/filter.ts";
import { useHosts } from "../fleet/use-fleet.ts";
import { FormDialog, fieldErrorOf, Row, useValues } from "../form-dialog.tsx";
import { NameInput, useNameRule } from "./name-input.tsx";

type InstanceType = Shape<"InstanceType">;

const fields = [
  "name",
  "description",
  "gpu_model",
  "gpu_description",
  "gpus",
  "vcpus",
  "memory_gib",
  "storage_gb",
  "price_cents_per_hour",
  "architecture",
];

const architectures = ["x86_64", "arm64"] as const;

/** `type`: null is a new one. */
export function TypeDialog({ type, onClose }: { readonly type: InstanceType | null; readonly onClose: () => void }) {
  const { values, set } = useValues({
    name: type?.name ?? "",
    description: type?.description ?? "",
    model: type?.gpu_model ?? "",
    modelDescription: type?.gpu_description ?? "",
    gpus: (type?.gpus ?? 1) as number | string,
    vcpus: (type?.vcpus ?? "") as number | string,
    memory: (type?.memory_gib ?? "") as number | string,
    storage: (type?.storage_gb ?? "") as number | string,
    price: dollarsOf(type?.price_cents_per_hour ?? null),
    architecture: type?.architecture ?? "x86_64",
  });
  const models = gpuModels(useHosts().data?.data ?? []);
  const put = useChange(
    (client) =>
      client.PUT("/instance-types/{name}", {
        params: { path: { name: values.name } },
        body: {
          ...(values.description === "" ? {} : { description: values.description }),
          gpu_model: values.model === "" ? null : values.model,
          ...(values.modelDescription === "" ? {} : { gpu_description: values.modelDescription }),
          gpus: Number(values.gpus),
          vcpus: numberOf(values.vcpus),
          memory_gib: numberOf(values.memory),
          storage_gb: numberOf(values.storage),
          price_cents_per_hour: centsOf(values.price) ?? Number.NaN,
          architecture: values.architecture,
        },
      }),
    ["instance-types", "offers", "capacity"],
  );
  const rule = useNameRule(values.name, fieldErrorOf(put.error, "name"));
  const error = (field: string) => fieldErrorOf(put.error, field);
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={type === null ? "New instance type" : `Change ${type.name}`}
      action={type === null ? "Create" : "Save"}
      onSubmit={() => rule.passes() && put.mutate(undefined, { onSuccess: onClose })}
      pending={put.isPending}
      error={put.error}
      fields={fields}
    >
      <NameInput value={values.name} onChange={set("name")} isNew={type === null} error={rule.error} />
      <TextInput
        label="Description"
        description="For customers. Empty: the name."
        value={values.description}
        onChange={(event) => set("description")(event.currentTarget.value)}
        error={error("description")}
      />
      <Row>
        <CountInput
          label="GPUs"
          description="0: no GPUs."
          value={values.gpus}
          onChange={set("gpus")}
          error={error("gpus")}
        />
        <Autocomplete
          label="GPU model"
          description="The name that hosts report."
          data={models}
          value={values.model}
          onChange={set("model")}
          error={error("gpu_model")}
        />
        <TextInput
          label="GPU description"
          description="Empty: the model."
          value={values.modelDescription}
          onChange={(event) => set("modelDescription")(event.currentTarget.value)}
          error={error("gpu_description")}
        />
      </Row>
      <Row>
        <CountInput label="vCPUs" value={values.vcpus} onChange={set("vcpus")} error={error("vcpus")} />
        <CountInput label="Memory in GiB" value={values.memory} onChange={set("memory")} error={error("memory_gib")} />
        <CountInput
          label="Storage in GB"
          value={values.storage}
          onChange={set("storage")}
          error={error("storage_gb")}
        />
      </Row>
      <Row>
        <DollarsInput
          label="Price per hour"
          value={values.price}
          onChange={set("price")}
          error={error("price_cents_per_hour")}
        />
        <Select
          label="Architecture"
          data={[...architectures]}
          value={values.architecture}
          onChange={(value) => set("architecture")(value ?? "x86_64")}
          allowDeselect={false}
          error={error("architecture")}
        />
      </Row>
    </FormDialog>
  );
}

/** What an input has; what is no number the service refuses at its field. */
const numberOf = (value: number | string): number => (value === "" ? Number.NaN : Number(value));
