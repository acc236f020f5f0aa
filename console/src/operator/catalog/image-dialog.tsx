// The form for an image, new or changed.

import { Select, Switch, TagsInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Shape } from "../../../../src/client/client.ts";
import { useChange } from "../../api/queries.ts";
import { FormDialog, Row } from "../../shared/form-dialog.tsx";
import { CountInput, numberOf, type Typed } from "../../shared/number-inputs.tsx";
import { gpuModels } from "../fleet/filter.ts";
import { useHosts } from "../fleet/use-fleet.ts";
import { NameInput, nameRule } from "./name-input.tsx";

type Image = Shape<"Image">;

/** `image`: null is a new one. */
export function ImageDialog({ image, onClose }: { readonly image: Image | null; readonly onClose: () => void }) {
  const form = useForm({
    initialValues: {
      name: image?.name ?? "",
      number: (image?.number ?? "") as Typed,
      description: image?.description ?? "",
      family: image?.family ?? "",
      version: image?.version ?? "",
      architecture: image?.architecture ?? ("x86_64" as const),
      login_user: image?.login_user ?? "ubuntu",
      unsupported_gpu_models: image?.unsupported_gpu_models ?? [],
      jupyter: image?.jupyter ?? false,
      metrics: image?.metrics ?? false,
      driver_branch: image?.driver_branch ?? "",
      default: image?.default ?? false,
    },
    validate: { name: nameRule },
  });
  const models = gpuModels(useHosts().data?.data ?? []);
  const put = useChange(
    (client, { name, number, description, family, driver_branch, ...others }: typeof form.values) =>
      client.PUT("/images/{name}", {
        params: { path: { name } },
        body: {
          ...others,
          number: numberOf(number),
          driver_branch: driver_branch === "" ? null : driver_branch,
          ...(description === "" ? {} : { description }),
          ...(family === "" ? {} : { family }),
        },
      }),
    ["images"],
  );
  return (
    <FormDialog
      size="lg"
      title={image === null ? "New image" : `Change ${image.name}`}
      action={image === null ? "Create" : "Save"}
      form={form}
      change={put}
      onClose={onClose}
    >
      <NameInput {...form.getInputProps("name")} isNew={image === null} />
      <TextInput
        label="Description"
        description="For customers. Empty: the name."
        {...form.getInputProps("description")}
      />
      <Row>
        <CountInput label="Number" description="Unique." {...form.getInputProps("number")} />
        <TextInput label="Family" description="Empty: the name." {...form.getInputProps("family")} />
        <TextInput label="Version" description="Free text." {...form.getInputProps("version")} />
      </Row>
      <Row>
        <TextInput label="Login user" {...form.getInputProps("login_user")} />
        <Select
          label="Architecture"
          data={["x86_64", "arm64"]}
          allowDeselect={false}
          {...form.getInputProps("architecture")}
        />
      </Row>
      <Row>
        <TagsInput label="Unsupported GPU models" data={models} {...form.getInputProps("unsupported_gpu_models")} />
        <TextInput
          label="Driver branch"
          description="On boards with NVSwitch. Empty: each."
          placeholder="570"
          {...form.getInputProps("driver_branch")}
        />
      </Row>
      <Switch label="Serves Jupyter" {...form.getInputProps("jupyter", { type: "checkbox" })} />
      <Switch
        label="Has the agent for metrics"
        description="Images of lessor image build --metrics have it."
        {...form.getInputProps("metrics", { type: "checkbox" })}
      />
      <Switch label="Default image" {...form.getInputProps("default", { type: "checkbox" })} />
    </FormDialog>
  );
}
