// The machines of all accounts, live: events of the stream make the list out of date, and it is asked again.

import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../api/queries.ts";
import { DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { Page } from "../../shared/page.tsx";
import { useAccountNames } from "../account-name.tsx";
import { machineColumns } from "./machine-columns.tsx";

const shares = [
  { value: "present", label: "Present" },
  { value: "all", label: "With terminated" },
] as const;

export function AllMachinesPage() {
  const [share, setShare] = useState<(typeof shares)[number]["value"]>("present");
  const nameOf = useAccountNames();
  const read = useRead(["instances", "all"], (client) => client.GET("/instances"));
  const rows = read.data?.data.filter(({ status }) => share === "all" || status !== "terminated");
  return (
    <Page title="All machines" description="What all accounts rent, and where it runs.">
      <DataTable
        label="All machines"
        columns={machineColumns(nameOf)}
        rows={rows}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        initialSort={{ key: "created", descending: true }}
        tools={<SegmentedControl aria-label="Which" value={share} onChange={setShare} data={[...shares]} />}
        empty={
          <EmptyState icon="machine" title="Nobody rents anything">
            Machines of all accounts are listed here as soon as somebody launches one.
          </EmptyState>
        }
      />
    </Page>
  );
}
