// All machines of the account, live.

import { Link } from "wouter";
import type { Shape } from "../../../src/client/index.ts";
import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { Copyable } from "../shared/copyable.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { HourlyPrice, Money } from "../shared/money.tsx";
import { Page } from "../shared/page.tsx";
import { MachineState, states } from "./machine-state.tsx";

type Instance = Shape<"Instance">;

const columns: readonly Column<Instance>[] = [
  {
    key: "name",
    header: "Name",
    primary: true,
    cell: ({ id, name }) => <Link href={`/machines/${id}`}>{name}</Link>,
    sort: ({ name }) => name,
    text: ({ name, id, hostname }) => `${name} ${hostname} ${id}`,
  },
  {
    key: "state",
    header: "State",
    width: "190px",
    cell: (machine) => <MachineState machine={machine} />,
    sort: ({ status }) => status,
    text: ({ status }) => states[status].title,
  },
  {
    key: "type",
    header: "Type",
    cell: ({ instance_type }) => instance_type.description,
    sort: ({ instance_type }) => instance_type.description,
    text: ({ instance_type }) => `${instance_type.name} ${instance_type.description}`,
  },
  {
    key: "region",
    header: "Region",
    cell: ({ region }) => region.name,
    sort: ({ region }) => region.name,
    text: ({ region }) => `${region.name} ${region.description}`,
  },
  {
    key: "address",
    header: "Address",
    cell: ({ ip }) => (ip === null ? <span className="soft">–</span> : <Copyable value={ip} label="address" />),
    text: ({ ip }) => ip ?? "",
  },
  {
    key: "price",
    header: "Price",
    align: "right",
    cell: ({ instance_type }) => <HourlyPrice cents={instance_type.price_cents_per_hour} />,
    sort: ({ instance_type }) => instance_type.price_cents_per_hour,
  },
  {
    key: "cost",
    header: "Cost so far",
    align: "right",
    cell: ({ cost_cents }) => <Money cents={cost_cents} />,
    sort: ({ cost_cents }) => Number(cost_cents),
  },
];

export function MachinesPage() {
  const { account } = useSession();
  const read = useRead(["instances"], (client) =>
    client.GET("/instances", { params: { query: { account_id: account.id } } }),
  );
  return (
    <Page title="Machines">
      <DataTable
        label="Machines"
        columns={columns}
        rows={read.data?.data}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        empty={
          <EmptyState icon="machine" title="No machines yet">
            What you rent is listed here, with its address and what it has cost.
          </EmptyState>
        }
      />
    </Page>
  );
}
