// The account's reservations: a calendar of what can be reserved, the reservations, and the form for a new one.

import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { reservationTraits } from "../../../src/rules/reservations.ts";
import { useSession } from "../api/session-context.tsx";
import { useWholeList } from "../api/whole-list.ts";
import { reservedLaunchPath } from "../launch/launch-reserved.ts";
import { Icon } from "../shared/icon.tsx";
import { Page, Section } from "../shared/page.tsx";
import { CalendarView, useCalendarType } from "./calendar-view.tsx";
import { ReservationTable } from "./reservation-table.tsx";
import { ReserveDialog } from "./reserve-dialog.tsx";

export function ReservationsPage() {
  const { account, may } = useSession();
  const read = useWholeList(["reservations", account.id], (client, page) =>
    client.GET("/reservations", { params: { query: { ...page, account_id: account.id } } }),
  );
  const all = read.data?.data ?? [];
  const [type, setType] = useCalendarType(all.findLast(({ state }) => reservationTraits[state].isOpen)?.instance_type);
  const [isOpen, setOpen] = useState(false);
  return (
    <Page
      title="Reservations"
      description="Capacity that is promised to you for a time. All of that time is billed, used or not; instances that you launch with it cost nothing more."
      actions={
        may("rent") && (
          <Button leftSection={<Icon name="plus" />} onClick={() => setOpen(true)}>
            Reserve capacity
          </Button>
        )
      }
    >
      <Section title="Calendar">
        <CalendarView
          reservations={all}
          labelOf={({ quantity, name }) => `${quantity} × ${name}`}
          type={type}
          onType={setType}
        />
      </Section>
      <Section title="Your reservations">
        <ReservationTable
          list={read}
          onRetry={() => void read.refetch()}
          mayCancel={may("rent")}
          actions={({ id, name, state, used, quantity }) =>
            may("rent") &&
            reservationTraits[state].isInForce &&
            used < quantity && (
              <Button
                component={Link}
                href={reservedLaunchPath(id)}
                variant="default"
                size="xs"
                aria-label={`Launch with ${name}`}
              >
                Launch
              </Button>
            )
          }
        />
      </Section>
      {isOpen && <ReserveDialog type={type} onClose={() => setOpen(false)} />}
    </Page>
  );
}
