// Emails to accounts that still wait after several attempts. Part of the page Needs attention, and only while there are any:
// many installations send none.

import type { Shape } from "../../../../src/client/client.ts";
import { emailErrors } from "../../../../src/rules/emails.ts";
import { useRead } from "../../api/queries.ts";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { Section } from "../../shared/page.tsx";
import { Time } from "../../shared/time.tsx";

type Email = Shape<"Email">;

/** The fourth attempt is some minutes after the first. */
const attemptsBefore = 4;

const columns: readonly Column<Email>[] = [
  { key: "to", header: "To", primary: true, cell: ({ recipient }) => recipient, text: ({ recipient }) => recipient },
  { key: "subject", header: "Subject", cell: ({ subject }) => subject, text: ({ subject }) => subject },
  { key: "reason", header: "Reason", cell: reasonOf, text: reasonOf },
  { key: "attempts", header: "Attempts", align: "right", cell: ({ attempts }) => attempts },
  {
    key: "next",
    header: "Next attempt",
    align: "right",
    cell: ({ next_attempt_at: next }) => <Time at={next} />,
  },
  {
    key: "created",
    header: "Created",
    align: "right",
    cell: ({ created_at: at }) => <Time at={at} />,
    sort: ({ created_at: at }) => at,
  },
];

function reasonOf({ last_failure: failure }: Email): string {
  return failure === null ? "" : `${emailErrors[failure.error]} ${failure.response ?? ""}`;
}

export function FailingEmails() {
  const { data, error, refetch } = useRead(["emails", "waiting"], (client) =>
    client.GET("/emails", { params: { query: { status: "waiting" } } }),
  );
  const rows = (data?.data ?? []).filter(({ attempts }) => attempts >= attemptsBefore);
  if (rows.length === 0 && error === null) return null;
  return (
    <Section title="Emails that fail">
      <DataTable
        label="Emails that fail"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        initialSort={{ key: "created", descending: true }}
        empty={null}
      />
    </Section>
  );
}
