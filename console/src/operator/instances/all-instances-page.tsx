// The instances of all accounts, newest first and live. Actions on one or on several need a reason (reason-dialog.tsx).

import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { finalState } from "../../../../src/rules/lifecycle.ts";
import { useSession } from "../../api/session-context.tsx";
import { useAllInstances } from "../../instances/use-instances.ts";
import { DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { Page } from "../../shared/page.tsx";
import { Permitted } from "../../shared/permitted.tsx";
import { nameShown } from "../../shared/readable-name.ts";
import { useAccountNames } from "../account-name.tsx";
import { instanceColumns } from "./instance-columns.tsx";
import { ActionBar, ActionMenu } from "./operator-actions.tsx";

const shares = [
  { value: "current", label: "Current" },
  { value: "all", label: "Including terminated" },
] as const;

export function AllInstancesPage() {
  const [share, setShare] = useState<(typeof shares)[number]["value"]>("current");
  const missing = useSession().lack("rent", "operator");
  const nameOf = useAccountNames();
  const read = useAllInstances();
  const rows = read.data?.data.filter(({ status }) => share === "all" || status !== finalState);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  return (
    <Page
      title="All instances"
      description="Instances of all accounts with their hosts."
      {...(missing !== undefined && {
        actions: (
          <Permitted to="act on instances" missing={missing}>
            {null}
          </Permitted>
        ),
      })}
    >
      <DataTable
        label="All instances"
        columns={instanceColumns(nameOf)}
        rows={rows}
        isPartial={read.data?.isComplete === false}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        initialSort={{ key: "created", descending: true }}
        rowActions={missing === undefined ? (instance) => <ActionMenu instance={instance} /> : undefined}
        selection={missing === undefined ? { chosen, onChange: setChosen, nameOf: nameShown } : undefined}
        tools={<SegmentedControl aria-label="Which" value={share} onChange={setShare} data={[...shares]} />}
        empty={
          <EmptyState icon="instance" title="No instances">
            Instances appear here when a customer launches one.
          </EmptyState>
        }
      />
      <ActionBar
        // Without those that have ended meanwhile.
        chosen={rows?.filter(({ id, status }) => chosen.has(id) && status !== finalState) ?? []}
        onClear={() => setChosen(new Set())}
      />
    </Page>
  );
}
