// An image to be created or changed. Used by image-list.tsx.

import { Select, Switch, TagsInput, TextInput } from "@mantine/core";
import type { Shape } from "../../../../src/client/index.ts";
import { useChange } from "../../api/queries.ts";
import { CountInput } from "../accounts/limits-fields.tsx";
import { gpuModels } from "../fleet/filter.ts";
import { useHosts } from "../fleet/use-fleet.ts";
import { FormDialog, fieldErrorOf, Row, useValues } from "../form-dialog.tsx";
import { NameInput, useNameRule } from "./name-input.tsx";

type Image = Shape<"Image">;

const fields = [
  "name",
  "number",
  "description",
  "family",
  "version",
  "architecture",
  "login_user",
  "unsupported_gpu_models",
];

/** `image`: null is a new one. */
export function ImageDialog({ image, onClose }: { readonly image: Image | null; readonly onClose: () => void }) {
  const { values, set } = useValues({
    name: image?.name ?? "",
    number: (image?.number ?? "") as number | string,
    description: image?.description ?? "",
    family: image?.family ?? "",
    version: image?.version ?? "",
    architecture: image?.architecture ?? ("x86_64" as const),
    loginUser: image?.login_user ?? "ubuntu",
    notOn: image?.unsupported_gpu_models ?? [],
    jupyter: image?.jupyter ?? false,
    isDefault: image?.default ?? false,
  });
  const models = gpuModels(useHosts().data?.data ?? []);
  const put = useChange(
    (client) =>
      client.PUT("/images/{name}", {
        params: { path: { name: values.name } },
        body: {
          number: values.number === "" ? Number.NaN : Number(values.number),
          ...(values.description === "" ? {} : { description: values.description }),
          ...(values.family === "" ? {} : { family: values.family }),
          version: values.version,
          architecture: values.architecture,
          login_user: values.loginUser,
          unsupported_gpu_models: values.notOn,
          jupyter: values.jupyter,
          default: values.isDefault,
        },
      }),
    ["images"],
  );
  const rule = useNameRule(values.name, fieldErrorOf(put.error, "name"));
  const error = (field: string) => fieldErrorOf(put.error, field);
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={image === null ? "New image" : `Change ${image.name}`}
      action={image === null ? "Create" : "Save"}
      onSubmit={() => rule.passes() && put.mutate(undefined, { onSuccess: onClose })}
      pending={put.isPending}
      error={put.error}
      fields={fields}
    >
      <NameInput value={values.name} onChange={set("name")} isNew={image === null} error={rule.error} />
      <TextInput
        label="Description"
        description="For customers. Empty: the name."
        value={values.description}
        onChange={(event) => set("description")(event.currentTarget.value)}
        error={error("description")}
      />
      <Row>
        <CountInput
          label="Number"
          description="Unique."
          value={values.number}
          onChange={set("number")}
          error={error("number")}
        />
        <TextInput
          label="Family"
          description="Empty: the name."
          value={values.family}
          onChange={(event) => set("family")(event.currentTarget.value)}
          error={error("family")}
        />
        <TextInput
          label="Version"
          description="Free text."
          value={values.version}
          onChange={(event) => set("version")(event.currentTarget.value)}
          error={error("version")}
        />
      </Row>
      <Row>
        <TextInput
          label="Login user"
          value={values.loginUser}
          onChange={(event) => set("loginUser")(event.currentTarget.value)}
          error={error("login_user")}
        />
        <Select
          label="Architecture"
          data={["x86_64", "arm64"]}
          value={values.architecture}
          onChange={(value) => set("architecture")(value ?? "x86_64")}
          allowDeselect={false}
          error={error("architecture")}
        />
      </Row>
      <TagsInput
        label="Unsupported GPU models"
        data={models}
        value={values.notOn}
        onChange={set("notOn")}
        error={error("unsupported_gpu_models")}
      />
      <Switch
        label="Serves Jupyter"
        checked={values.jupyter}
        onChange={(event) => set("jupyter")(event.currentTarget.checked)}
      />
      <Switch
        label="Default image"
        checked={values.isDefault}
        onChange={(event) => set("isDefault")(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
