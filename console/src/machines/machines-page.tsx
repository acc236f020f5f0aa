// All machines of the account, live: state, address, price and cost, and what may be asked of each.

import { Button, SegmentedControl } from "@mantine/core";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import type { Shape } from "../../../src/client/index.ts";
import { useSession } from "../api/session-context.tsx";
import { Copyable } from "../shared/copyable.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { exactPrice } from "../shared/format-money.ts";
import { counted, formatNumber } from "../shared/format-number.ts";
import { Icon } from "../shared/icon.tsx";
import { Page } from "../shared/page.tsx";
import { nameShown } from "../shared/readable-name.ts";
import { Cost } from "./cost.tsx";
import { isBilled, pricePerHour } from "./live-cost.ts";
import { MachineActions } from "./machine-actions.tsx";
import { MachineState, states } from "./machine-state.tsx";
import { sshLine } from "./ssh-line.ts";
import { useMachines } from "./use-machines.ts";

type Instance = Shape<"Instance">;
type Shown = "live" | "ended";

const hasEnded = ({ status }: Instance) => status === "terminating" || status === "terminated";

export function MachinesPage() {
  const { mayWrite } = useSession();
  const [shown, setShown] = useState<Shown>("live");
  const read = useMachines();
  const all = read.data?.data;
  const columns = useMemo(() => columnsAt(read.dataUpdatedAt), [read.dataUpdatedAt]);
  const rows = all?.filter((machine) => hasEnded(machine) === (shown === "ended"));
  const rent = mayWrite && (
    <Button component={Link} href="/rent" leftSection={<Icon name="rent" />}>
      Rent a machine
    </Button>
  );
  return (
    <Page title="Machines" description={all === undefined ? "\u00a0" : summary(all)} actions={rent}>
      <DataTable
        label="Machines"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        rowActions={(machine) => <MachineActions machine={machine} as="menu" />}
        tools={
          <SegmentedControl
            aria-label="Which machines"
            value={shown}
            onChange={(value) => setShown(value)}
            data={[
              { value: "live", label: "Live" },
              { value: "ended", label: "Ended" },
            ]}
          />
        }
        empty={
          shown === "live" ? (
            <EmptyState icon="machine" title="No machines">
              What you rent is listed here while it boots and runs, with its address and its cost.
              {rent}
            </EmptyState>
          ) : (
            <EmptyState icon="machine" title="None has ended lately">
              Machines that were terminated stay here for a while. What they have cost is on the usage page for good.
            </EmptyState>
          )
        }
      />
    </Page>
  );
}

/** "3 machines, 2 active. $7.20 an hour." */
function summary(machines: readonly Instance[]): string {
  const live = machines.filter((machine) => !hasEnded(machine));
  if (live.length === 0) return "Nothing is rented now.";
  const active = live.filter(({ status }) => status === "active").length;
  const price = live.filter(isBilled).reduce((sum, machine) => sum + pricePerHour(machine), 0n);
  return `${counted(live.length, "machine")}, ${formatNumber(active)} active. ${exactPrice(price)} an hour now.`;
}

const columnsAt = (readAt: number): readonly Column<Instance>[] => [
  {
    key: "name",
    header: "Name",
    primary: true,
    cell: (machine) => <Link href={`/machines/${machine.id}`}>{nameShown(machine)}</Link>,
    sort: ({ name }) => name,
    text: ({ name, id, hostname }) => `${name} ${hostname} ${id}`,
  },
  {
    key: "state",
    header: "State",
    width: "180px",
    cell: (machine) => <MachineState machine={machine} />,
    sort: ({ status }) => states[status].title,
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
    whole: true,
    cell: ({ region }) => <span title={region.description}>{region.name}</span>,
    sort: ({ region }) => region.name,
    text: ({ region }) => `${region.name} ${region.description}`,
  },
  {
    key: "address",
    header: "Address",
    whole: true,
    cell: (machine) => {
      const line = sshLine(machine);
      if (line === undefined) return <span className="soft">–</span>;
      return <Copyable value={line} shown={machine.ip ?? ""} label={`ssh line of ${machine.name}`} />;
    },
    text: ({ ip }) => ip ?? "",
  },
  {
    key: "price",
    header: "Per hour",
    align: "right",
    cell: (machine) => exactPrice(pricePerHour(machine)),
    sort: (machine) => Number(pricePerHour(machine)),
  },
  {
    key: "cost",
    header: "Cost so far",
    align: "right",
    cell: (machine) => <Cost machine={machine} readAt={readAt} />,
    sort: ({ cost_cents }) => Number(cost_cents),
  },
];
