// Images: what instances boot.

import { Badge } from "@mantine/core";
import type { Shape } from "../../../../src/client/client.ts";
import { useRead } from "../../api/queries.ts";
import type { Column } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import classes from "../words.module.css";
import { EditableList } from "./editable-list.tsx";
import { ImageDialog } from "./image-dialog.tsx";

type Image = Shape<"Image">;

const columns: readonly Column<Image>[] = [
  {
    key: "name",
    header: "Name",
    primary: true,
    cell: ({ name, description, default: isDefault }) => (
      <div className={classes.whole}>
        {name} {isDefault && <Badge size="sm">Default</Badge>}
        <div className="soft">{description}</div>
      </div>
    ),
    sort: ({ name }) => name,
    text: ({ name, description }) => `${name} ${description}`,
  },
  { key: "number", header: "Number", align: "right", cell: ({ number }) => number, sort: ({ number }) => number },
  {
    key: "family",
    header: "Family",
    cell: ({ family, version }) => `${family} ${version}`,
    sort: ({ family, version }) => `${family} ${version}`,
    text: ({ family, version }) => `${family} ${version}`,
  },
  {
    key: "user",
    header: "Login",
    cell: ({ login_user }) => <code>{login_user}</code>,
    sort: ({ login_user }) => login_user,
  },
  {
    key: "not",
    header: "Not on",
    cell: ({ unsupported_gpu_models: models }) =>
      models.length === 0 ? <span className="soft">–</span> : models.join(", "),
    text: ({ unsupported_gpu_models: models }) => models.join(" "),
  },
];

export function ImageList() {
  const read = useRead(["images", "all"], (client) => client.GET("/images"));
  return (
    <EditableList
      label="Images"
      one="image"
      columns={columns}
      read={read}
      empty={
        <EmptyState icon="catalog" title="No images">
          An instance boots from an image.
        </EmptyState>
      }
      form={(image, close) => <ImageDialog image={image} onClose={close} />}
      remove={(client, name) => client.DELETE("/images/{name}", { params: { path: { name } } })}
      subjects={["images"]}
      lost="It can no longer be launched. Existing instances keep running."
    />
  );
}
