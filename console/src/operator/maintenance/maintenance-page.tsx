// Maintenance of hosts: what lies ahead and lasts, and what is past; schedule, change, cancel and end it.

import { Badge, Button, SegmentedControl } from "@mantine/core";
import { useMemo, useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { Shape } from "../../../../src/client/client.ts";
import { afterWindowAction, phaseTraits } from "../../../../src/rules/maintenance.ts";
import { useChange } from "../../api/queries.ts";
import { useSession } from "../../api/session-context.tsx";
import { useWholeList } from "../../api/whole-list.ts";
import { ConfirmTyped } from "../../shared/confirm-typed.tsx";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { formatNumber } from "../../shared/format-number.ts";
import { span } from "../../shared/format-time.ts";
import { Icon } from "../../shared/icon.tsx";
import { Page } from "../../shared/page.tsx";
import { Permitted } from "../../shared/permitted.tsx";
import { Time } from "../../shared/time.tsx";
import { hostSubjects } from "../fleet/use-fleet.ts";
import { WindowDialog } from "./window-dialog.tsx";
import { modeEffects, phaseLabels } from "./window-labels.ts";

type Window = Shape<"MaintenanceWindow">;

const columns: readonly Column<Window>[] = [
  {
    key: "host",
    header: "Host",
    primary: true,
    cell: ({ host = "", reason }) => (
      <div>
        <Link href={`/operator/fleet?host=${encodeURIComponent(host)}`}>{host}</Link>
        <div className="soft">{reason}</div>
      </div>
    ),
    sort: ({ host = "" }) => host,
    text: ({ host = "", reason }) => `${host} ${reason}`,
  },
  {
    key: "phase",
    header: "Phase",
    width: "120px",
    cell: ({ phase }) => <Badge color={phaseLabels[phase].color}>{phaseLabels[phase].title}</Badge>,
    sort: ({ phase }) => phaseLabels[phase].title,
  },
  { key: "from", header: "Begins", cell: ({ from }) => <Time at={from} />, sort: ({ from }) => Date.parse(from) },
  {
    key: "to",
    header: "Ends",
    cell: ({ ended_at: ended, from, to }) => (
      <div>
        <Time at={ended ?? to} />
        <div className="soft">{span((Date.parse(to) - Date.parse(from)) / 1000)}</div>
      </div>
    ),
    sort: ({ to }) => Date.parse(to),
  },
  {
    key: "instances",
    header: "Instances",
    cell: ({ instance_ids: ids, mode }) => (
      <div>
        {formatNumber(ids.length)}
        <div className="soft">{modeEffects[mode]}</div>
      </div>
    ),
    sort: ({ instance_ids: ids }) => ids.length,
  },
  {
    key: "deferrable",
    header: "Deferrable until",
    cell: ({ deferrable_until: limit, deferred_by: by }) => (
      <div>
        <Time at={limit} never="no" />
        {by != null && <div className="soft">deferred by {by}</div>}
      </div>
    ),
  },
];

const isOpen = ({ phase }: Window) => phaseTraits[phase].isOpen;

export function MaintenancePage() {
  const missing = useSession().lack("fleet", "operator");
  const read = useWholeList(["maintenance"], (client, page) =>
    client.GET("/maintenance-windows", { params: { query: page } }),
  );
  const [search, setSearch] = useSearchParams();
  const [shown, setShown] = useState<"open" | "past">("open");
  // The fleet leads here with a host.
  const [edited, setEdited] = useState<Window | "new" | null>(
    search.has("host") && missing === undefined ? "new" : null,
  );
  const [ended, setEnded] = useState<Window | null>(null);
  const all = read.data?.data;
  const rows = useMemo(() => all?.filter((one) => isOpen(one) === (shown === "open")), [all, shown]);
  return (
    <Page
      title="Maintenance"
      description="Windows in which hosts accept no instances. Customers with instances there are told, and can defer them where you allow it."
      actions={
        <Permitted to="schedule maintenance" missing={missing}>
          <Button leftSection={<Icon name="plus" />} onClick={() => setEdited("new")}>
            Schedule maintenance
          </Button>
        </Permitted>
      }
    >
      <DataTable
        key={shown}
        label="Maintenance"
        columns={columns}
        rows={rows}
        isPartial={read.data?.isComplete === false}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        initialSort={{ key: "from", descending: shown === "past" }}
        tools={
          <SegmentedControl
            aria-label="Maintenance filter"
            value={shown}
            onChange={setShown}
            data={[
              { value: "open", label: "Current" },
              { value: "past", label: "Past" },
            ]}
          />
        }
        empty={
          <EmptyState icon="calendar" title={shown === "open" ? "No maintenance" : "No past maintenance"}>
            {shown === "open"
              ? "Schedule it to tell customers ahead of time."
              : "Maintenance that is over appears here."}
          </EmptyState>
        }
        rowActions={
          shown === "open" && missing === undefined
            ? (one) => <Actions window={one} onChange={setEdited} onEnd={setEnded} />
            : undefined
        }
      />
      {edited !== null && (
        <WindowDialog
          window={edited === "new" ? null : edited}
          host={search.get("host") ?? undefined}
          onClose={() => {
            setEdited(null);
            setSearch({}, { replace: true });
          }}
        />
      )}
      {ended !== null && <EndDialog window={ended} onClose={() => setEnded(null)} />}
    </Page>
  );
}

interface ActionsProps {
  readonly window: Window;
  readonly onChange: (window: Window) => void;
  readonly onEnd: (window: Window) => void;
}

const canCancel = ({ phase }: Window) => afterWindowAction(phase, "cancel") !== undefined;

function Actions({ window, onChange, onEnd }: ActionsProps) {
  const { host = "" } = window;
  const end = canCancel(window) ? "Cancel" : "End";
  return (
    <>
      <Button variant="default" size="xs" onClick={() => onChange(window)} aria-label={`Change maintenance of ${host}`}>
        Change
      </Button>
      <Button
        variant="subtle"
        color="red"
        size="xs"
        onClick={() => onEnd(window)}
        aria-label={`${end} maintenance of ${host}`}
      >
        {end}
      </Button>
    </>
  );
}

function EndDialog({ window, onClose }: { readonly window: Window; readonly onClose: () => void }) {
  const { id, host = "", revision } = window;
  const remove = useChange(
    (client) =>
      client.DELETE("/maintenance-windows/{id}", {
        params: { path: { id }, query: revision === undefined ? {} : { revision } },
      }),
    ["maintenance", "instances", ...hostSubjects],
  );
  const isAhead = canCancel(window);
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`${isAhead ? "Cancel" : "End"} maintenance of ${host}?`}
      action={isAhead ? "Cancel maintenance" : "End now"}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      pending={remove.isPending}
      error={remove.error}
    >
      {isAhead
        ? "It does not begin. Customers are told."
        : "The host returns to the state it had before, and the instances that were stopped start again."}
    </ConfirmTyped>
  );
}
