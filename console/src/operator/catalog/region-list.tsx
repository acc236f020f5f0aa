// Regions: where hosts are.

import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Shape } from "../../../../src/client/client.ts";
import { useChange, useRead } from "../../api/queries.ts";
import type { Column } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { FormDialog } from "../../shared/form-dialog.tsx";
import { EditableList } from "./editable-list.tsx";
import { NameInput, nameRule } from "./name-input.tsx";

type Region = Shape<"Region">;

const subjects = ["regions", "offers", "capacity"];

const columns: readonly Column<Region>[] = [
  {
    key: "name",
    header: "Name",
    primary: true,
    cell: ({ name }) => name,
    sort: ({ name }) => name,
    text: ({ name }) => name,
  },
  {
    key: "description",
    header: "Description",
    cell: ({ description }) => description,
    sort: ({ description }) => description,
    text: ({ description }) => description,
  },
];

export function RegionList() {
  const read = useRead(["regions"], (client) => client.GET("/regions"));
  return (
    <EditableList
      label="Regions"
      one="region"
      columns={columns}
      read={read}
      empty={
        <EmptyState icon="compass" title="No regions">
          Each host is in a region, and customers choose a region.
        </EmptyState>
      }
      form={(region, close) => <RegionDialog region={region} onClose={close} />}
      remove={(client, name) => client.DELETE("/regions/{name}", { params: { path: { name } } })}
      subjects={subjects}
      lost="Delete its hosts and file systems first."
    />
  );
}

function RegionDialog({ region, onClose }: { readonly region: Region | null; readonly onClose: () => void }) {
  const form = useForm({
    initialValues: { name: region?.name ?? "", description: region?.description ?? "" },
    validate: { name: nameRule },
  });
  const put = useChange(
    (client, { name, description }: typeof form.values) =>
      client.PUT("/regions/{name}", {
        params: { path: { name } },
        body: description === "" ? {} : { description },
      }),
    subjects,
  );
  return (
    <FormDialog
      size="lg"
      title={region === null ? "New region" : `Change ${region.name}`}
      action={region === null ? "Create" : "Save"}
      form={form}
      change={put}
      onClose={onClose}
    >
      <NameInput {...form.getInputProps("name")} isNew={region === null} />
      <TextInput
        label="Description"
        description="For customers, such as “Virginia, USA”. Empty: the name."
        {...form.getInputProps("description")}
      />
    </FormDialog>
  );
}
