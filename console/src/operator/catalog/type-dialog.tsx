// The form for an instance type, new or changed.

import { Autocomplete, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Shape } from "../../../../src/client/client.ts";
import { useChange } from "../../api/queries.ts";
import { FormDialog, Row } from "../../shared/form-dialog.tsx";
import { CountInput, centsOf, DollarsInput, dollarsOf, numberOf, type Typed } from "../../shared/number-inputs.tsx";
import { gpuModels } from "../fleet/filter.ts";
import { useHosts } from "../fleet/use-fleet.ts";
import { NameInput, nameRule } from "./name-input.tsx";

type InstanceType = Shape<"InstanceType">;

/** `type`: null is a new one. */
export function TypeDialog({ type, onClose }: { readonly type: InstanceType | null; readonly onClose: () => void }) {
  const form = useForm({
    initialValues: {
      name: type?.name ?? "",
      description: type?.description ?? "",
      gpu_model: type?.gpu_model ?? "",
      gpu_description: type?.gpu_description ?? "",
      gpus: (type?.gpus ?? 1) as Typed,
      vcpus: (type?.vcpus ?? "") as Typed,
      memory_gib: (type?.memory_gib ?? "") as Typed,
      storage_gb: (type?.storage_gb ?? "") as Typed,
      price_cents_per_hour: dollarsOf(type?.price_cents_per_hour ?? null),
      spot_price_cents_per_hour: dollarsOf(type?.spot_price_cents_per_hour ?? null),
      architecture: type?.architecture ?? ("x86_64" as const),
    },
    validate: { name: nameRule },
  });
  const models = gpuModels(useHosts().data?.data ?? []);
  const put = useChange(
    (client, { name, description, gpu_description, ...values }: typeof form.values) =>
      client.PUT("/instance-types/{name}", {
        params: { path: { name } },
        body: {
          ...(description === "" ? {} : { description }),
          gpu_model: values.gpu_model === "" ? null : values.gpu_model,
          ...(gpu_description === "" ? {} : { gpu_description }),
          gpus: Number(values.gpus),
          vcpus: numberOf(values.vcpus),
          memory_gib: numberOf(values.memory_gib),
          storage_gb: numberOf(values.storage_gb),
          price_cents_per_hour: centsOf(values.price_cents_per_hour) ?? Number.NaN,
          spot_price_cents_per_hour: centsOf(values.spot_price_cents_per_hour),
          architecture: values.architecture,
        },
      }),
    ["instance-types", "offers", "capacity"],
  );
  return (
    <FormDialog
      size="lg"
      title={type === null ? "New instance type" : `Change ${type.name}`}
      action={type === null ? "Create" : "Save"}
      form={form}
      change={put}
      onClose={onClose}
    >
      <NameInput {...form.getInputProps("name")} isNew={type === null} />
      <TextInput
        label="Description"
        description="For customers. Empty: the name."
        {...form.getInputProps("description")}
      />
      <Row>
        <CountInput label="GPUs" description="0: no GPUs." {...form.getInputProps("gpus")} />
        <Autocomplete
          label="GPU model"
          description="The name that hosts report."
          data={models}
          {...form.getInputProps("gpu_model")}
        />
        <TextInput label="GPU description" description="Empty: the model." {...form.getInputProps("gpu_description")} />
      </Row>
      <Row>
        <CountInput label="vCPUs" {...form.getInputProps("vcpus")} />
        <CountInput label="Memory in GiB" {...form.getInputProps("memory_gib")} />
        <CountInput label="Storage in GB" {...form.getInputProps("storage_gb")} />
      </Row>
      <Row>
        <DollarsInput label="Price per hour" {...form.getInputProps("price_cents_per_hour")} />
        <DollarsInput
          label="Spot price per hour"
          placeholder="No spot"
          {...form.getInputProps("spot_price_cents_per_hour")}
        />
        <Select
          label="Architecture"
          data={["x86_64", "arm64"]}
          allowDeselect={false}
          {...form.getInputProps("architecture")}
        />
      </Row>
    </FormDialog>
  );
}
