// The calendar of an instance type: what can be reserved in the next days, by region, and the reservations of it. Used by
// the pages of customers and of operators.

import { Select, Skeleton } from "@mantine/core";
import { useState } from "react";
import { reservationTraits } from "../../../src/rules/reservations.ts";
import { useRead } from "../api/queries.ts";
import { useOffers } from "../launch/use-offers.ts";
import { EmptyState } from "../shared/empty-state.tsx";
import { ErrorState } from "../shared/error-state.tsx";
import { typeTitle } from "../shared/names.tsx";
import type { Reservation } from "./reservation-table.tsx";
import classes from "./timeline.module.css";
import { type Bar, Timeline } from "./timeline.tsx";

interface CalendarViewProps {
  readonly reservations: readonly Reservation[];
  /** What a bar says. */
  readonly labelOf: (reservation: Reservation) => string;
  /** The chosen instance type; undefined: none yet. */
  readonly type: string | undefined;
  readonly onType: (type: string) => void;
}

export function CalendarView({ reservations, labelOf, type, onType }: CalendarViewProps) {
  const { offers, read: offersRead } = useOffers();
  const read = useRead(
    ["reservation-calendar", type],
    (client) => client.GET("/reservation-calendar", { params: { query: { instance_type: type ?? "" } } }),
    { enabled: type !== undefined, keep: true },
  );
  const calendar = read.data?.data;
  const failed = calendar === undefined ? [offersRead, read].find(({ error }) => error !== null) : undefined;
  const regions = calendar?.regions.map(({ region, steps }) => ({
    name: region,
    steps: steps.map(({ from, to, available }) => ({ fromMs: Date.parse(from), toMs: Date.parse(to), available })),
    bars: reservations
      .filter(
        (one) => one.region === region && one.instance_type === type && !reservationTraits[one.state].isWithoutCost,
      )
      .map((one) => barOf(one, labelOf(one))),
  }));
  const all = regions?.flatMap(({ steps }) => steps) ?? [];
  const shown = {
    fromMs: Math.min(...all.map(({ fromMs }) => fromMs)),
    toMs: Math.max(...all.map(({ toMs }) => toMs)),
  };
  return (
    <>
      <Select
        label="Instance type"
        data={(offers ?? []).map(({ instance_type: one }) => ({ value: one.name, label: typeTitle(one) }))}
        value={type ?? null}
        onChange={(name) => name !== null && onType(name)}
        allowDeselect={false}
        searchable
        maw={420}
        mb="sm"
      />
      {failed !== undefined && failed.error !== null ? (
        <ErrorState error={failed.error} again={() => void failed.refetch()} />
      ) : offers?.length === 0 ? (
        <EmptyState icon="calendar" title="No instance types">
          Nothing is offered that could be reserved.
        </EmptyState>
      ) : regions === undefined || all.length === 0 ? (
        <Skeleton className={classes.loading} />
      ) : (
        <Timeline shown={shown} regions={regions} />
      )}
    </>
  );
}

function barOf(one: Reservation, label: string): Bar {
  const { isInForce, isOpen } = reservationTraits[one.state];
  const tone = one.at_risk_since != null ? "risk" : isInForce ? "active" : isOpen ? "scheduled" : "over";
  return { id: one.id, label, tone, fromMs: Date.parse(one.from), toMs: Date.parse(one.ended_at ?? one.to) };
}

/** The instance type that was chosen; before that, the first one that is offered. */
export function useCalendarType(first: string | undefined): [string | undefined, (type: string) => void] {
  const [chosen, choose] = useState<string>();
  const { offers } = useOffers();
  return [chosen ?? first ?? offers?.[0]?.instance_type.name, choose];
}
