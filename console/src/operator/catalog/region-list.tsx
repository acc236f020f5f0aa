// Regions: where hosts are.

import { TextInput } from "@mantine/core";
import type { Shape } from "../../../../src/client/index.ts";
import { useChange, useRead } from "../../api/queries.ts";
import type { Column } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { FormDialog, fieldErrorOf, useValues } from "../form-dialog.tsx";
import { EditableList } from "./editable-list.tsx";
import { NameInput, useNameRule } from "./name-input.tsx";

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
  const { values, set } = useValues({ name: region?.name ?? "", description: region?.description ?? "" });
  const put = useChange(
    (client) =>
      client.PUT("/regions/{name}", {
        params: { path: { name: values.name } },
        body: values.description === "" ? {} : { description: values.description },
      }),
    subjects,
  );
  const rule = useNameRule(values.name, fieldErrorOf(put.error, "name"));
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={region === null ? "New region" : `Change ${region.name}`}
      action={region === null ? "Create" : "Save"}
      onSubmit={() => rule.passes() && put.mutate(undefined, { onSuccess: onClose })}
      pending={put.isPending}
      error={put.error}
      fields={["name", "description"]}
    >
      <NameInput value={values.name} onChange={set("name")} isNew={region === null} error={rule.error} />
      <TextInput
        label="Description"
        description="For customers, such as “Virginia, USA”. Empty: the name."
        value={values.description}
        onChange={(event) => set("description")(event.currentTarget.value)}
        error={fieldErrorOf(put.error, "description")}
      />
    </FormDialog>
  );
}
