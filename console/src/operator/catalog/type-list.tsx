// Instance types and their prices.

import type { Shape } from "../../../../src/client/client.ts";
import { useRead } from "../../api/queries.ts";
import type { Column } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { formatNumber } from "../../shared/format-number.ts";
import { HourlyPrice } from "../../shared/money.tsx";
import classes from "../words.module.css";
import { EditableList } from "./editable-list.tsx";
import { TypeDialog } from "./type-dialog.tsx";

type InstanceType = Shape<"InstanceType">;

const columns: readonly Column<InstanceType>[] = [
  {
    key: "name",
    header: "Name",
    primary: true,
    cell: ({ name, description }) => (
      <div className={classes.whole}>
        {name}
        <div className="soft">{description}</div>
      </div>
    ),
    sort: ({ name }) => name,
    text: ({ name, description }) => `${name} ${description}`,
  },
  {
    key: "gpus",
    header: "GPUs",
    cell: ({ gpus, gpu_model }) =>
      gpus === 0 ? (
        <span className="soft">none</span>
      ) : (
        <span className={classes.whole}>
          {formatNumber(gpus)} × {gpu_model}
        </span>
      ),
    sort: ({ gpus }) => gpus,
    text: ({ gpu_model }) => gpu_model ?? "",
  },
  count("vcpus", "vCPUs", ({ vcpus }) => vcpus),
  count("memory", "GiB memory", ({ memory_gib }) => memory_gib),
  count("storage", "GB storage", ({ storage_gb }) => storage_gb),
  {
    key: "price",
    header: "Price",
    align: "right",
    cell: ({ price_cents_per_hour }) => <HourlyPrice cents={price_cents_per_hour} />,
    sort: ({ price_cents_per_hour }) => price_cents_per_hour,
  },
  {
    key: "spot-price",
    header: "Spot price",
    align: "right",
    cell: ({ spot_price_cents_per_hour: price }) =>
      price === null ? <span className="soft">none</span> : <HourlyPrice cents={price} />,
    sort: ({ spot_price_cents_per_hour: price }) => price ?? Number.POSITIVE_INFINITY,
  },
];

export function TypeList() {
  const read = useRead(["instance-types"], (client) => client.GET("/instance-types"));
  return (
    <EditableList
      label="Instance types"
      one="instance type"
      columns={columns}
      read={read}
      empty={
        <EmptyState icon="catalog" title="No instance types">
          Create one so that customers can launch instances.
        </EmptyState>
      }
      form={(type, close) => <TypeDialog type={type} onClose={close} />}
      remove={(client, name) => client.DELETE("/instance-types/{name}", { params: { path: { name } } })}
      subjects={["instance-types", "offers", "capacity"]}
      lost="It can no longer be launched. Existing instances keep running at their price."
    />
  );
}

function count(key: string, header: string, of: (type: InstanceType) => number): Column<InstanceType> {
  return { key, header, align: "right", cell: (type) => formatNumber(of(type)), sort: of };
}
