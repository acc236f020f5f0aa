// The reservations of all accounts: a calendar of what is promised and what can still be reserved, and the reservations with
// their hosts.

import { reservationTraits } from "../../../../src/rules/reservations.ts";
import { useSession } from "../../api/session-context.tsx";
import { useWholeList } from "../../api/whole-list.ts";
import { CalendarView, useCalendarType } from "../../reservations/calendar-view.tsx";
import { type Reservation, ReservationTable } from "../../reservations/reservation-table.tsx";
import type { Column } from "../../shared/data-table.tsx";
import { Page, Section } from "../../shared/page.tsx";
import { Permitted } from "../../shared/permitted.tsx";
import { AccountName, useAccountNames } from "../account-name.tsx";

export function AllReservationsPage() {
  const missing = useSession().lack("rent", "operator");
  const nameOf = useAccountNames();
  const read = useWholeList(["reservations"], (client, page) =>
    client.GET("/reservations", { params: { query: page } }),
  );
  const all = read.data?.data ?? [];
  const [type, setType] = useCalendarType(all.findLast(({ state }) => reservationTraits[state].isOpen)?.instance_type);
  const account: Column<Reservation> = {
    key: "account",
    header: "Account",
    cell: ({ account_id: id }) => <AccountName id={id} />,
    sort: ({ account_id: id }) => nameOf(id),
    text: ({ account_id: id }) => nameOf(id),
  };
  return (
    <Page
      title="All reservations"
      description="Capacity that is promised to accounts. What hosts cannot keep, and no others can, is at risk: repair or free hosts, or cancel the reservation."
      {...(missing !== undefined && {
        actions: (
          <Permitted to="cancel reservations" missing={missing}>
            {null}
          </Permitted>
        ),
      })}
    >
      <Section title="Calendar">
        <CalendarView
          reservations={all}
          labelOf={(one) => `${one.quantity} × ${nameOf(one.account_id)}`}
          type={type}
          onType={setType}
        />
      </Section>
      <Section title="Reservations">
        <ReservationTable
          list={read}
          onRetry={() => void read.refetch()}
          first={[account]}
          mayCancel={missing === undefined}
        />
      </Section>
    </Page>
  );
}
