// The table of reservations, and the dialog that cancels one. Used by the pages of customers and of operators.

import { Badge, Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Shape } from "../../../src/client/client.ts";
import { afterReservationAction, type ReservationState, reservationTraits } from "../../../src/rules/reservations.ts";
import { useChange } from "../api/queries.ts";
import type { WholeList } from "../api/whole-list.ts";
import { useTypeTitles } from "../launch/use-offers.ts";
import { ConfirmTyped } from "../shared/confirm-typed.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { Money } from "../shared/money.tsx";
import { TypeName } from "../shared/names.tsx";
import { Time } from "../shared/time.tsx";

export type Reservation = Shape<"Reservation">;

/** What changes with a reservation. */
export const reservationSubjects = ["reservations", "reservation-calendar", "reservation-quote", "offers", "quote"];

const labels: Readonly<Record<ReservationState, { readonly title: string; readonly color: string }>> = {
  scheduled: { title: "Scheduled", color: "cobalt" },
  active: { title: "Active", color: "green" },
  ended: { title: "Ended", color: "gray" },
  cancelled: { title: "Cancelled", color: "gray" },
  unfulfilled: { title: "Unfulfilled", color: "red" },
};

interface ReservationTableProps {
  readonly list: { readonly data?: WholeList<Reservation> | undefined; readonly error: Error | null };
  readonly onRetry: () => void;
  /** Before the others. */
  readonly first?: readonly Column<Reservation>[];
  /** Besides the button that cancels one. */
  readonly actions?: (one: Reservation) => ReactNode;
  readonly mayCancel: boolean;
}

export function ReservationTable({ list, onRetry, first = [], actions, mayCancel }: ReservationTableProps) {
  const titleOf = useTypeTitles();
  const [ended, setEnded] = useState<Reservation>();
  return (
    <>
      <DataTable
        label="Reservations"
        columns={[nameColumn, ...first, ...columnsWith(titleOf)]}
        rows={list.data?.data}
        isPartial={list.data?.isComplete === false}
        rowKey={({ id }) => id}
        error={list.error}
        onRetry={onRetry}
        initialSort={{ key: "from", descending: true }}
        empty={
          <EmptyState icon="calendar" title="No reservations">
            Reserve capacity to be sure of it at a time.
          </EmptyState>
        }
        rowActions={(one) => (
          <>
            {actions?.(one)}
            {mayCancel && afterReservationAction(one.state, "cancel") !== undefined && (
              <Button
                variant="subtle"
                color="red"
                size="xs"
                aria-label={`Cancel ${one.name}`}
                onClick={() => setEnded(one)}
              >
                Cancel
              </Button>
            )}
          </>
        )}
      />
      {ended !== undefined && <CancelDialog reservation={ended} onClose={() => setEnded(undefined)} />}
    </>
  );
}

const nameColumn: Column<Reservation> = {
  key: "name",
  header: "Name",
  primary: true,
  cell: ({ name, reason, undelivered }) => (
    <div>
      {name}
      {reason !== null && <div className="soft">{reason}</div>}
      {undelivered > 0 && <div className="soft">{undelivered} not delivered now</div>}
    </div>
  ),
  sort: ({ name }) => name,
  text: ({ name, id }) => `${name} ${id}`,
};

const columnsWith = (titleOf: (type: string) => string): readonly Column<Reservation>[] => [
  {
    key: "state",
    header: "State",
    width: "120px",
    cell: ({ state, at_risk_since: risk }) => (
      <div>
        <Badge color={labels[state].color} title={reservationTraits[state].meaning}>
          {labels[state].title}
        </Badge>
        {risk != null && (
          <div className="soft">
            at risk since <Time at={risk} />
          </div>
        )}
      </div>
    ),
    sort: ({ state }) => labels[state].title,
    text: ({ state }) => labels[state].title,
  },
  {
    key: "what",
    header: "Capacity",
    cell: ({ quantity, instance_type: name, region, hosts }) => (
      <div>
        {quantity > 1 && `${quantity} × `}
        <TypeName type={{ name, description: titleOf(name) }} />
        <div className="soft">
          {region}
          {hosts !== undefined && hosts.length > 0 && `: ${hosts.map(({ host }) => host).join(", ")}`}
        </div>
      </div>
    ),
    sort: ({ instance_type: name }) => titleOf(name),
    text: ({ instance_type: name, region }) => `${name} ${titleOf(name)} ${region}`,
  },
  { key: "used", header: "Used", align: "right", cell: ({ used, quantity }) => `${used} of ${quantity}` },
  { key: "from", header: "Begins", cell: ({ from }) => <Time at={from} />, sort: ({ from }) => Date.parse(from) },
  {
    key: "to",
    header: "Ends",
    // One that is cancelled before it begins has no end of its own.
    cell: ({ from, to, ended_at: ended }) => <Time at={ended === null || ended < from ? to : ended} />,
    sort: ({ to }) => Date.parse(to),
  },
  {
    key: "cost",
    header: "Cost",
    align: "right",
    cell: ({ cost_cents: cents }) => <Money cents={cents} />,
    sort: ({ cost_cents: cents }) => Number(cents),
  },
];

function CancelDialog({ reservation, onClose }: { readonly reservation: Reservation; readonly onClose: () => void }) {
  const { id, name } = reservation;
  const cancel = useChange(
    (client) => client.POST("/reservations/{id}/cancel", { params: { path: { id } } }),
    reservationSubjects,
  );
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`Cancel the reservation ${name}?`}
      action="Cancel reservation"
      onConfirm={() => cancel.mutate(undefined, { onSuccess: onClose })}
      pending={cancel.isPending}
      error={cancel.error}
    >
      Its capacity is free for others, and it costs nothing.
    </ConfirmTyped>
  );
}
